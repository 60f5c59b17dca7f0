package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Tck;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Requirements on a {@link Device} and its {@link Timeline}s: tell who they are, move bytes in
 * order, count operations, wait for positions, and keep what failed. A backend without devices
 * meets all of it.
 */
public final class DeviceTck extends Tck {
  private interface TimelineCheck {
    void check(Timeline one, Timeline two, Gate gate) throws Exception;
  }

  private void eachPair(TimelineCheck check) throws Exception {
    for (Device device : backend().devices()) {
      try (Timeline one = device.openStream(0);
          Timeline two = device.openStream(0);
          Gate gate = new Gate()) {
        check.check(one, two, gate);
      }
    }
  }

  private static void fail(Timeline stream, RuntimeException failure) {
    stream.run(
        () -> {
          throw failure;
        });
  }

  @Requirement(
      id = "DEV-001",
      text = "Devices are called by the backend's name and a number that counts from 0.",
      capability = Capability.STREAMS)
  void devicesAreNumbered() {
    List<Device> devices = backend().devices();
    for (int i = 0; i < devices.size(); i++) {
      assertEquals(backend().name() + ":" + i, devices.get(i).name());
    }
  }

  @Requirement(
      id = "DEV-002",
      text = "A device describes itself, and the host can access its staging memory.",
      capability = Capability.TRANSFER)
  void devicesDescribeThemselves() {
    for (Device device : backend().devices()) {
      assertFalse(device.properties().description().isBlank(), "the description is empty");
      assertFalse(device.properties().fingerprint().isBlank(), "the fingerprint is empty");
      assertTrue(device.staging().properties().hostAccessible(), "the host cannot access staging");
    }
  }

  @Requirement(
      id = "DEV-003",
      text = "Bytes go from staging to the device and back in order with the stream.",
      capability = Capability.TRANSFER)
  void bytesGoThereAndBack() throws Exception {
    byte[] bytes = new byte[1000];
    random().nextBytes(bytes);
    for (Device device : backend().devices()) {
      try (Timeline stream = device.openStream(0);
          Allocation out = device.staging().allocate(bytes.length);
          Allocation there = device.memory().allocate(bytes.length);
          Allocation back = device.staging().allocate(bytes.length)) {
        MemorySegment.copy(bytes, 0, out.segment(), ValueLayout.JAVA_BYTE, 0, bytes.length);
        assertTrue(device.transfer().supports(device.staging(), device.memory()));
        device.transfer().copyAsync(out.segment(), there.segment(), bytes.length, stream);
        device.transfer().copyAsync(there.segment(), back.segment(), bytes.length, stream);
        stream.await();
        assertArrayEquals(bytes, back.segment().toArray(ValueLayout.JAVA_BYTE));
      }
    }
  }

  @Requirement(
      id = "DEV-004",
      text = "A position is reached when everything added before it has ended, and not earlier.",
      capability = Capability.STREAMS)
  void positionsAreReachedInOrder() throws Exception {
    eachPair(
        (one, two, gate) -> {
          long start = one.position();
          assertTrue(one.isReached(start), "nothing was added");
          one.run(() -> {});
          long first = one.position();
          one.run(gate::await);
          long second = one.position();
          assertTrue(start < first && first < second, "positions do not count up");
          one.awaitReached(first);
          assertTrue(one.isReached(first));
          assertFalse(one.isReached(second), "reached while an operation before it waits");
          assertTrue(two.isReached(two.position()), "another stream counts along");
          gate.open();
          one.awaitReached(second);
          assertTrue(one.isReached(second));
        });
  }

  @Requirement(
      id = "DEV-005",
      text = "Waiting for a position of another stream waits for it, and for nothing after it.",
      capability = Capability.STREAMS)
  void streamsWaitForPositions() throws Exception {
    eachPair(
        (one, two, gate) -> {
          try (Gate begin = new Gate()) {
            List<String> order = Collections.synchronizedList(new ArrayList<>());
            one.run(begin::await);
            one.run(() -> order.add("one"));
            long position = one.position();
            one.run(gate::await);
            two.waitFor(one, position);
            two.run(() -> order.add("two"));
            Waiting.moment();
            assertEquals(List.of(), order);
            begin.open();
            two.await();
            assertEquals(List.of("one", "two"), order);
            assertFalse(one.isIdle(), "the later operation should still wait");
            gate.open();
          }
        });
  }

  @Requirement(
      id = "DEV-006",
      text = "A position that a stream does not have is refused with IllegalArgumentException.",
      capability = Capability.STREAMS)
  void positionsToComeAreRefused() throws Exception {
    eachPair(
        (one, two, _) ->
            assertThrows(
                IllegalArgumentException.class, () -> two.waitFor(one, one.position() + 1)));
  }

  @Requirement(
      id = "DEV-007",
      text =
          "What failed or was skipped stays known by its position, also after the failure was"
              + " raised; awaiting a position raises nothing.",
      capability = Capability.STREAMS)
  void failuresStayKnown() throws Exception {
    eachPair(
        (one, _, _) -> {
          RuntimeException failure = new IllegalStateException("operation");
          one.run(() -> {});
          long before = one.position();
          fail(one, failure);
          long failed = one.position();
          one.run(() -> {});
          long skipped = one.position();
          one.awaitReached(skipped);
          assertThrows(DeviceException.class, one::await);
          one.run(() -> {});
          one.await();
          assertNull(one.failureAt(before));
          assertSame(failure, one.failureAt(failed));
          assertSame(failure, one.failureAt(skipped));
          assertNull(one.failureAt(one.position()));
        });
  }

  @Requirement(
      id = "DEV-008",
      text = "A stream that waits for the position of an operation that failed fails too.",
      capability = Capability.STREAMS)
  void failuresSpread() throws Exception {
    eachPair(
        (one, two, gate) -> {
          RuntimeException failure = new IllegalStateException("operation");
          one.run(gate::await);
          fail(one, failure);
          two.waitFor(one, one.position());
          gate.open();
          assertSame(failure, assertThrows(DeviceException.class, two::await).getCause());
          assertThrows(DeviceException.class, one::await);
        });
  }

  @Requirement(
      id = "DEV-009",
      text =
          "An observer hears of every failure and, while it takes times, of every operation, with"
              + " its label, in order.",
      capability = Capability.STREAMS)
  void observersHear() throws Exception {
    eachPair(
        (one, _, _) -> {
          List<String> heard = Collections.synchronizedList(new ArrayList<>());
          boolean[] timing = {true};
          one.observe(
              new Observer() {
                @Override
                public boolean isTiming() {
                  return timing[0];
                }

                @Override
                public void ended(
                    @Nullable Object label,
                    long position,
                    long added,
                    long began,
                    long ended,
                    @Nullable Throwable failure) {
                  heard.add(label + (failure == null ? "" : " failed"));
                  if (began - added < 0 || ended - began < 0) {
                    heard.add("times run backwards");
                  }
                }
              });
          one.labelled("first").run(() -> {});
          one.run(() -> {});
          one.await();
          timing[0] = false;
          one.labelled("unheard").run(() -> {});
          one.labelled("last")
              .run(
                  () -> {
                    throw new IllegalStateException("operation");
                  });
          assertThrows(DeviceException.class, one::await);
          assertEquals(List.of("first", "null", "last failed"), heard);
        });
  }
}
