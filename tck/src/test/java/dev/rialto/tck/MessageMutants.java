package dev.rialto.tck;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.error.TruncationException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Communicators with broken messages, requests, groups and worlds. */
final class MessageMutants {
  private MessageMutants() {}

  static List<Mutant> all() {
    return List.of(
        mutant(
            "ignores tags",
            call -> {
              if (call.is(PointToPoint.class, "receive")) {
                call.arguments()[4] = PointToPoint.ANY_TAG;
              }
              return call.proceed();
            },
            "MAT-001",
            "MAT-004"),
        mutant(
            "takes a named source for any",
            call -> {
              if (call.is(PointToPoint.class, "receive")
                  || call.is(PointToPoint.class, "ireceive")) {
                call.arguments()[3] = PointToPoint.ANY_SOURCE;
              }
              return call.proceed();
            },
            "MAT-002"),
        mutant(
            "names the wrong source",
            call -> {
              Object result = call.proceed();
              return result instanceof Status status && call.is(PointToPoint.class, "receive")
                  ? new Status(0, status.tag(), status.bytes(), false)
                  : result;
            },
            "MAT-003"),
        mutant(
            "sends 64 KB of a longer message",
            call -> {
              if (call.is(PointToPoint.class, "send")) {
                long most = 65536 / call.argument(1, DType.class).size();
                call.arguments()[2] = Math.min(most, call.argument(2, Long.class));
              }
              return call.proceed();
            },
            "P2P-001",
            "P2P-006",
            "P2P-012"),
        mutant(
            "drops messages above 64 KB",
            call ->
                call.is(PointToPoint.class, "send")
                        && call.argument(1, DType.class).bytes(call.argument(2, Long.class)) > 65536
                    ? null
                    : call.proceed(),
            "P2P-001"),
        mutant(
            "truncates in silence",
            call -> {
              try {
                return call.proceed();
              } catch (TruncationException e) {
                return Status.EMPTY;
              }
            },
            "P2P-007",
            "P2P-008",
            "REQ-004",
            "REQ-006",
            "PRB-007",
            "LAY-004"),
        mutant(
            "lets the second message overtake the first", new Overtaking(), "MAT-004", "PRB-003"),
        mutant(
            "takes a synchronous send for a standard one",
            call -> {
              if (call.is(PointToPoint.class, "isend") && call.arguments().length == 6) {
                call.arguments()[5] = SendMode.STANDARD;
              }
              return call.proceed();
            },
            "MAT-007"),
        mutant("completes a send before it has read the buffer", new LateReading(), "REQ-008"),
        mutant(
            "loses the message that a cancelled receive would get", new LosingCancel(), "REQ-010"),
        mutant(
            "forgets that it timed out",
            call -> {
              try {
                return call.proceed();
              } catch (TimeoutException e) {
                return Status.EMPTY;
              }
            },
            "REQ-005"),
        mutant(
            "finds any request complete",
            call -> call.is(Communicator.class, "awaitAny") ? 0 : call.proceed(),
            "REQ-007"),
        mutant("starts a persistent request only once", new StartingOnce(), "PST-001"),
        mutant(
            "claims probes and has none",
            call -> {
              if (call.is(PointToPoint.class, "iprobe")) {
                throw new UnsupportedOperationException("not yet");
              }
              return call.proceed();
            },
            "PRB-001",
            "PRB-002"),
        mutant(
            "ignores the keys of a split",
            call -> {
              if (call.is(Communicator.class, "split")) {
                call.arguments()[1] = 0;
              }
              return call.proceed();
            },
            "COMM-006",
            "COMM-009"),
        mutant(
            "mixes the messages of duplicates",
            call -> call.is(Communicator.class, "dup") ? call.target() : call.proceed(),
            "COMM-005",
            "ARG-007"),
        mutant(
            "accepts any tag",
            call -> {
              try {
                return call.proceed();
              } catch (IllegalArgumentException e) {
                return call.is(PointToPoint.class, "send") ? null : rethrow(e);
              }
            },
            "ARG-003",
            "ARG-004"),
        new Mutant(
            "never tells that a peer failed",
            "local",
            call -> {
              try {
                return call.proceed();
              } catch (PeerFailedException e) {
                new CountDownLatch(1).await();
                throw e;
              }
            },
            List.of("WORLD-007", "WORLD-012"),
            List.of(1, 2, 3),
            true));
  }

  private static Mutant mutant(String name, Intercepted.Interceptor fault, String... caughtBy) {
    return new Mutant(name, "local", fault, List.of(caughtBy));
  }

  private static Object rethrow(RuntimeException e) {
    throw e;
  }

  /** Begins the first of two sends after the second, or when it is awaited. */
  private static final class Overtaking implements Intercepted.Interceptor {
    private final Map<Object, LateRequest> held = new ConcurrentHashMap<>();

    @Override
    public @Nullable Object intercept(Intercepted.Call call) throws Throwable {
      if (!call.is(PointToPoint.class, "isend")) {
        return call.proceed();
      }
      LateRequest first = held.remove(call.target());
      if (first == null) {
        LateRequest late = new LateRequest(call, false);
        held.put(call.target(), late);
        return late;
      }
      Object second = call.proceed();
      first.begin();
      return second;
    }
  }

  /** Calls a send complete and reads its buffer at the next call. */
  private static final class LateReading implements Intercepted.Interceptor {
    private final Map<Object, LateRequest> held = new ConcurrentHashMap<>();

    @Override
    public @Nullable Object intercept(Intercepted.Call call) throws Throwable {
      LateRequest earlier = held.remove(call.target());
      if (earlier != null) {
        earlier.begin();
      }
      if (call.is(PointToPoint.class, "isend")) {
        LateRequest late = new LateRequest(call, true);
        held.put(call.target(), late);
        return late;
      }
      return call.proceed();
    }
  }

  /** Says that a receive is cancelled and leaves it pending. */
  private static final class LosingCancel implements Intercepted.Interceptor {
    private final Set<Object> cancelled = ConcurrentHashMap.newKeySet();

    @Override
    public @Nullable Object intercept(Intercepted.Call call) throws Throwable {
      if (call.is(Request.class, "cancel")) {
        return cancelled.add(call.target());
      }
      if (!cancelled.contains(call.target())) {
        return call.proceed();
      }
      return call.is(Request.class, "test") ? true : Status.CANCELLED;
    }
  }

  /** Ignores each start but the first. */
  private static final class StartingOnce implements Intercepted.Interceptor {
    private final Set<Object> started = ConcurrentHashMap.newKeySet();

    @Override
    public @Nullable Object intercept(Intercepted.Call call) throws Throwable {
      boolean again = call.is(PersistentRequest.class, "start") && !started.add(call.target());
      return again ? null : call.proceed();
    }
  }
}
