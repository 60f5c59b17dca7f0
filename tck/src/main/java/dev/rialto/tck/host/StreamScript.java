package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.generated.Draw;
import dev.rialto.tck.reference.Place;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.Samples;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A random program of several streams. The model runs the same program one operation after another,
 * in the order in which it was added: a stream may only wait for events that were recorded before.
 *
 * <p>An operation looks whether everything that it must come after has ended. Blocks belong to one
 * stream at a time; another that uses one waits for an event of its owner first.
 */
final class StreamScript {
  private static final int STREAMS = 4;
  private static final long LATE_NANOS = 200_000;
  private static final long POLL_NANOS = 20_000;
  private static final int LONGEST = 3 << 20;

  /** An operation, and whether it is to run. */
  private static final class Step {
    private final boolean runs;
    private volatile boolean ended;

    Step(boolean runs) {
      this.runs = runs;
    }

    boolean isOver() {
      return ended || !runs;
    }
  }

  /** A point in a stream: what comes before it, and the failure that it passes on. */
  private record Point(Event event, List<Step> before, @Nullable RuntimeException failure) {}

  /** A stream and the model of it. */
  private static final class Lane {
    private final Stream stream;

    /** The steps that the next operation must come after. */
    private final List<Step> before = new ArrayList<>();

    private @Nullable RuntimeException failure;
    private long wanted = 1;

    /** Changed by operations of the stream alone; plain, so that what is not ordered is seen. */
    private long actual = 1;

    Lane(Stream stream) {
      this.stream = stream;
    }
  }

  private static final class Held {
    private final Place.Block block;
    private final byte[] content;
    private int owner;

    Held(Place.Block block, byte[] content, int owner) {
      this.block = block;
      this.content = content;
      this.owner = owner;
    }
  }

  private final BackendProvider backend;
  private final Draw draw;
  private final Coverage coverage;
  private final List<Lane> lanes = new ArrayList<>();
  private final List<Point> points = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private final List<Throwable> mistakes = Collections.synchronizedList(new ArrayList<>());
  private boolean copies;
  private @Nullable Executable kernel;
  private boolean failures;

  StreamScript(BackendProvider backend, long seed, Coverage coverage) {
    this.backend = backend;
    this.draw = new Draw(seed);
    this.coverage = coverage;
  }

  public StreamScript withCopies() {
    copies = true;
    for (Place place : Place.all(backend)) {
      hold(place, 1 + (int) draw.magnitude(LONGEST));
      hold(place, LONGEST - draw.below(1000));
    }
    return this;
  }

  public StreamScript withKernels(String language) {
    kernel = backend.devices().getFirst().compiler().compile(Samples.affine(language));
    for (Place place : Place.of(backend)) {
      for (int i = 0; i < 3; i++) {
        hold(place, Double.BYTES * (1 + (int) draw.magnitude(50_000)));
      }
    }
    return this;
  }

  private void hold(Place place, int bytes) {
    byte[] content = new byte[bytes];
    for (int i = 0; i + 7 < bytes; i += 8) {
      // As numbers: small whole ones, so that no result is rounded.
      doubles(content).putDouble(i, draw.below(1000));
    }
    held.add(new Held(place.block(content), content, draw.below(STREAMS)));
  }

  private static ByteBuffer doubles(byte[] content) {
    return ByteBuffer.wrap(content).order(ByteOrder.nativeOrder());
  }

  void run(int batches, int steps, boolean withFailures) {
    failures = withFailures;
    try {
      for (int i = 0; i < STREAMS; i++) {
        lanes.add(new Lane(backend.devices().getFirst().openStream(0)));
      }
      for (int batch = 0; batch < batches; batch++) {
        for (int step = 0; step < steps; step++) {
          step(draw.below(STREAMS));
        }
        synchronize();
      }
    } finally {
      lanes.forEach(lane -> lane.stream.close());
      held.forEach(each -> each.block.close());
      if (kernel != null) {
        kernel.close();
      }
    }
  }

  private void step(int number) {
    Lane lane = lanes.get(number);
    switch (draw.below(10)) {
      case 0, 1 -> record(lane);
      case 2 -> {
        if (!points.isEmpty()) {
          waitFor(lane, draw.of(points));
        }
      }
      case 3 -> look();
      case 4, 5 -> {
        if (copies) {
          copy(number);
        } else if (kernel != null) {
          launch(number, kernel);
        } else {
          operation(lane, failures && draw.once(4));
        }
      }
      default -> operation(lane, false);
    }
  }

  private void operation(Lane lane, boolean fails) {
    boolean runs = lane.failure == null;
    List<Step> before = List.copyOf(lane.before);
    Step step = new Step(runs);
    long factor = draw.below(1000);
    boolean late = draw.once(12);
    RuntimeException failure = new IllegalStateException("on purpose " + factor);
    lane.stream.run(
        () -> {
          if (late) {
            LockSupport.parkNanos(LATE_NANOS);
          }
          if (!runs) {
            mistakes.add(new AssertionError("ran after a failure that was not thrown"));
          }
          if (!before.stream().allMatch(Step::isOver)) {
            mistakes.add(new AssertionError("ran before what it must come after"));
          }
          lane.actual = lane.actual * 31 + factor;
          step.ended = true;
          if (fails) {
            throw failure;
          }
        });
    if (runs) {
      lane.wanted = lane.wanted * 31 + factor;
      if (fails) {
        lane.failure = failure;
      }
      lane.before.clear();
      lane.before.add(step);
    }
    coverage.add("stream", Coverage.Dimension.FORM, fails ? "fail" : "run");
  }

  private void record(Lane lane) {
    points.add(new Point(lane.stream.record(), List.copyOf(lane.before), lane.failure));
    coverage.add("stream", Coverage.Dimension.FORM, "record");
  }

  private void waitFor(Lane lane, Point point) {
    lane.stream.waitFor(point.event);
    if (lane.failure == null) {
      lane.failure = point.failure;
      lane.before.addAll(point.before);
    }
    coverage.add("stream", Coverage.Dimension.FORM, "wait");
  }

  /** Looks at an event, or waits for it, from outside. */
  private void look() {
    if (points.isEmpty()) {
      return;
    }
    Point point = draw.of(points);
    if (draw.once(3) && point.failure == null) {
      point.event.await();
      assertTrue(point.before.stream().allMatch(Step::isOver), "an event was awaited too early");
      assertTrue(point.event.isDone(), "an event that was awaited is not done");
    } else if (point.event.isDone()) {
      assertTrue(point.before.stream().allMatch(Step::isOver), "an event is done too early");
    }
    coverage.add("stream", Coverage.Dimension.FORM, "look");
  }

  /** Makes a block the stream's, after everything that its owner does with it. */
  private void take(Held each, int number) {
    if (each.owner != number) {
      Lane owner = lanes.get(each.owner);
      Point point = new Point(owner.stream.record(), List.copyOf(owner.before), null);
      waitFor(lanes.get(number), point);
      each.owner = number;
    }
  }

  private void copy(int number) {
    Held from = draw.of(held);
    Held to = draw.of(held);
    take(from, number);
    take(to, number);
    int count = Math.min(from.content.length, to.content.length);
    if (draw.once(2)) {
      count = 1 + draw.below(count);
    }
    if (from != to) {
      backend
          .devices()
          .getFirst()
          .transfer()
          .copyAsync(from.block.segment(), to.block.segment(), count, lanes.get(number).stream);
      System.arraycopy(from.content, 0, to.content, 0, count);
      coverage.addSize("copy on a stream", count);
    }
  }

  private void launch(int number, Executable code) {
    Held in = draw.of(held);
    Held out = draw.of(held);
    take(in, number);
    take(out, number);
    if (in == out) {
      return;
    }
    int most = Math.min(in.content.length, out.content.length) / Double.BYTES;
    int items = draw.once(2) ? most : draw.below(most + 1);
    code.launch(items, List.of(in.block.segment(), out.block.segment()), lanes.get(number).stream);
    for (int i = 0; i < items; i++) {
      double value = doubles(in.content).getDouble(Double.BYTES * i);
      double old = doubles(out.content).getDouble(Double.BYTES * i);
      doubles(out.content).putDouble(Double.BYTES * i, old + 3 * value + i);
    }
    coverage.addSize("launch", (long) items * Double.BYTES);
  }

  /** Waits until all is done, hears of the failures, and compares. */
  private void synchronize() {
    for (Lane lane : lanes) {
      while (!lane.stream.isIdle()) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
    Set<Throwable> told = new HashSet<>();
    for (int number : draw.order(STREAMS)) {
      Lane lane = lanes.get(number);
      Throwable raised = null;
      try {
        lane.stream.await();
      } catch (DeviceException e) {
        raised = e.getCause();
      }
      RuntimeException wanted = lane.failure;
      // A cause that several streams failed of need be told once.
      if (raised != null || wanted == null || told.add(wanted)) {
        assertSame(wanted, raised, "the failure of stream " + number);
      }
      if (wanted != null) {
        told.add(wanted);
      }
      lane.failure = null;
      lane.stream.await();
      assertEquals(lane.wanted, lane.actual, "what stream " + number + " has computed");
    }
    for (Point point : points) {
      assertTrue(point.event.isDone(), "an event of idle streams is not done");
    }
    points.clear();
    lanes.forEach(lane -> lane.before.clear());
    if (!mistakes.isEmpty()) {
      throw new AssertionError(mistakes.getFirst());
    }
    for (Held each : held) {
      RankMemory.check(
          MemorySegment.ofArray(each.content), MemorySegment.ofArray(each.block.read()), "a block");
    }
  }
}
