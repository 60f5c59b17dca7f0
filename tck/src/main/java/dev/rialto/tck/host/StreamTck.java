package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Together;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Requirements on a {@link Stream} and its {@link Event}s: run operations in order without the
 * caller waiting, tell each failure once, and wait for one another.
 */
@Requires(Capability.STREAMS)
public final class StreamTck extends Tck {
  private static @Nullable String causeOf(DeviceException raised) {
    Throwable cause = raised.getCause();
    return cause == null ? null : cause.getMessage();
  }

  private static void fail(Stream stream, RuntimeException failure) {
    stream.run(
        () -> {
          throw failure;
        });
  }

  @Requirement(id = "STRM-001", text = "A stream has a name.")
  void streamsHaveNames(Stream stream) {
    assertFalse(stream.name().isBlank(), "the name is empty");
  }

  @Requirement(id = "STRM-002", text = "Operations run in the order in which they were added.")
  void operationsRunInOrder(Stream stream) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      int number = i;
      stream.run(() -> order.add(number));
    }
    stream.await();
    assertEquals(IntStream.range(0, 1000).boxed().toList(), order);
  }

  @Requirement(
      id = "STRM-003",
      text = "Operations added by several threads run one at a time, in the order of the calls.")
  void severalThreadsAddOperations(Stream stream) throws Exception {
    List<List<Integer>> orders = new ArrayList<>();
    for (int thread = 0; thread < 4; thread++) {
      orders.add(new ArrayList<>());
    }
    // Not atomic: two operations at the same time would lose counts.
    int[] count = new int[1];
    Together.run(
        4,
        thread -> {
          for (int i = 0; i < 500; i++) {
            int number = i;
            stream.run(
                () -> {
                  orders.get(thread).add(number);
                  count[0]++;
                });
          }
        });
    stream.await();
    assertEquals(2000, count[0]);
    for (List<Integer> order : orders) {
      assertEquals(IntStream.range(0, 500).boxed().toList(), order);
    }
  }

  @Requirement(
      id = "STRM-004",
      text = "Adding work does not wait for it, and the stream is idle only when all has ended.")
  void addingDoesNotWait(Stream stream, Gate gate) {
    assertTrue(stream.isIdle(), "idle when new");
    stream.run(gate::await);
    stream.run(() -> {});
    Event event = stream.record();
    assertFalse(stream.isIdle(), "idle while an operation waits");
    assertFalse(event.isDone(), "the event is done while an operation before it waits");
    gate.open();
    stream.await();
    assertTrue(stream.isIdle(), "idle after all has ended");
    assertTrue(event.isDone());
  }

  @Requirement(
      id = "STRM-005",
      text = "Waiting returns when everything added so far has ended, and its writes are visible.")
  void awaitingWaitsForAll(Stream stream) {
    int[] value = new int[1];
    for (int round = 1; round <= 100; round++) {
      stream.run(() -> value[0]++);
      if (round % 2 == 0) {
        stream.await();
      } else {
        stream.record().await();
      }
      assertEquals(round, value[0]);
    }
  }

  @Requirement(
      id = "STRM-006",
      text = "A failure is raised as DeviceException with what the operation threw as its cause.")
  void failuresAreRaised(Stream stream) {
    RuntimeException failure = new IllegalStateException("operation");
    fail(stream, failure);
    DeviceException raised = assertThrows(DeviceException.class, stream::await);
    assertSame(failure, raised.getCause());
    Error error = new AssertionError("operation");
    stream.run(
        () -> {
          throw error;
        });
    assertSame(error, assertThrows(DeviceException.class, stream::await).getCause());
  }

  @Requirement(
      id = "STRM-007",
      text =
          "Operations after one that failed are skipped until the failure has been raised; then"
              + " the stream is usable again.")
  void operationsAfterAFailureAreSkipped(Stream stream) {
    List<String> ran = Collections.synchronizedList(new ArrayList<>());
    stream.run(() -> ran.add("before"));
    fail(stream, new IllegalStateException("operation"));
    stream.run(() -> ran.add("after"));
    fail(stream, new IllegalStateException("skipped"));
    DeviceException raised = assertThrows(DeviceException.class, stream::await);
    assertEquals("operation", causeOf(raised));
    stream.run(() -> ran.add("again"));
    stream.await();
    assertEquals(List.of("before", "again"), ran);
  }

  @Requirement(id = "STRM-008", text = "A failure is raised once.")
  void failuresAreRaisedOnce(Stream stream) {
    fail(stream, new IllegalStateException("operation"));
    Event event = stream.record();
    assertThrows(DeviceException.class, stream::await);
    stream.await();
    event.await();
    assertTrue(event.isDone());
    fail(stream, new IllegalStateException("another"));
    Event second = stream.record();
    DeviceException raised = assertThrows(DeviceException.class, second::await);
    assertEquals("another", causeOf(raised));
    second.await();
    stream.await();
  }

  @Requirement(
      id = "STRM-009",
      text = "An event is done, and waiting for it succeeds, whatever fails after it.")
  void eventsBeforeAFailureSucceed(Stream stream, Gate gate) {
    stream.run(() -> {});
    Event before = stream.record();
    stream.run(gate::await);
    fail(stream, new IllegalStateException("operation"));
    before.await();
    assertTrue(before.isDone());
    gate.open();
    assertThrows(DeviceException.class, stream::await);
    before.await();
  }

  @Requirement(id = "STRM-010", text = "An event of a stream without work is done.")
  void eventOfAnIdleStreamIsDone(Stream stream) {
    Event event = stream.record();
    event.await();
    assertTrue(event.isDone());
  }

  @Requirement(id = "STRM-011", text = "Streams do not wait for one another unless told to.")
  void streamsAreIndependent(Stream blocked, Stream free, Gate gate) {
    blocked.run(gate::await);
    AtomicInteger ran = new AtomicInteger();
    free.run(ran::incrementAndGet);
    free.await();
    assertEquals(1, ran.get());
    assertFalse(blocked.isIdle());
    gate.open();
  }

  @Requirement(
      id = "STRM-012",
      text = "What is added after waiting for an event runs after it; the caller does not wait.")
  void streamsWaitForEvents(Stream first, Stream second, Gate gate) {
    List<String> order = Collections.synchronizedList(new ArrayList<>());
    first.run(gate::await);
    first.run(() -> order.add("first"));
    Event event = first.record();
    second.run(() -> order.add("unhindered"));
    second.record().await();
    second.waitFor(event);
    second.run(() -> order.add("second"));
    Waiting.moment();
    assertEquals(List.of("unhindered"), order);
    gate.open();
    second.await();
    assertEquals(List.of("unhindered", "first", "second"), order);
  }

  @Requirement(
      id = "STRM-013",
      text = "A stream may wait for an event of its own, and for one that is done.")
  void streamsMayWaitForThemselves(Stream stream, Stream other) {
    AtomicInteger ran = new AtomicInteger();
    stream.run(ran::incrementAndGet);
    Event event = stream.record();
    stream.waitFor(event);
    stream.run(ran::incrementAndGet);
    stream.await();
    other.waitFor(event);
    other.run(ran::incrementAndGet);
    other.await();
    assertEquals(3, ran.get());
  }

  @Requirement(
      id = "STRM-014",
      text = "If an event's stream failed before it, a stream that waits for it fails too.")
  void failuresSpreadThroughEvents(Stream first, Stream second, Gate gate) {
    first.run(gate::await);
    fail(first, new IllegalStateException("operation"));
    Event event = first.record();
    second.waitFor(event);
    AtomicInteger ran = new AtomicInteger();
    second.run(ran::incrementAndGet);
    gate.open();
    assertThrows(DeviceException.class, second::await);
    assertEquals(0, ran.get(), "operations that ran although what they waited for failed");
    try {
      first.await();
    } catch (DeviceException e) {
      assertEquals("operation", causeOf(e));
    }
    second.run(ran::incrementAndGet);
    second.await();
    assertEquals(1, ran.get());
  }

  @Requirement(
      id = "STRM-015",
      text = "An event of another backend is refused with IllegalArgumentException.")
  void foreignEventsAreRefused(Stream stream) {
    Event foreign = Foreign.of(Event.class);
    assertThrows(IllegalArgumentException.class, () -> stream.waitFor(foreign));
    stream.await();
  }

  @Requirement(
      id = "STRM-016",
      text = "Several threads may wait for a stream and its events at the same time.")
  void severalThreadsWait(Stream stream, Gate gate) throws Exception {
    int[] value = new int[1];
    stream.run(gate::await);
    stream.run(() -> value[0] = 7);
    Event event = stream.record();
    Together.run(
        4,
        thread -> {
          switch (thread) {
            case 0 -> gate.open();
            case 1 -> stream.await();
            default -> event.await();
          }
          assertTrue(thread == 0 || value[0] == 7, "woken too early");
        });
  }

  @Requirement(
      id = "STRM-017",
      text = "Closing waits for everything added, and closing again does nothing.")
  void closingWaits() {
    int[] value = new int[1];
    Stream stream = device().openStream(0);
    for (int i = 0; i < 5; i++) {
      stream.run(
          () -> {
            Waiting.moment();
            value[0]++;
          });
    }
    Event event = stream.record();
    stream.close();
    assertEquals(5, value[0]);
    assertTrue(event.isDone());
    event.await();
    stream.close();
  }

  @Requirement(
      id = "STRM-018",
      text = "Closing throws a failure not thrown before, and ends the stream all the same.")
  void closingRaisesFailures() {
    Stream stream = device().openStream(0);
    RuntimeException failure = new IllegalStateException("operation");
    fail(stream, failure);
    assertSame(failure, assertThrows(DeviceException.class, stream::close).getCause());
    stream.close();
    assertThrows(IllegalStateException.class, () -> stream.run(() -> {}));
  }

  @Requirement(
      id = "STRM-019",
      text = "A closed stream refuses work and events with IllegalStateException.")
  void closedStreamsRefuse() {
    Stream stream = device().openStream(0);
    stream.close();
    assertThrows(IllegalStateException.class, () -> stream.run(() -> {}));
    assertThrows(IllegalStateException.class, stream::record);
  }
}
