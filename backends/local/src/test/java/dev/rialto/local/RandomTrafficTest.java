package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random programs of many ranks, compared with a sequential reference of the matching rules.
 *
 * <p>A program is a list of steps, each a send on one rank and a receive on another. A receive
 * names its source, and a tag or none; then what it gets follows from the rules alone: the oldest
 * message of that source, with that tag, that no earlier receive got. Operations block only where
 * they wait for nothing later in the list, so no program deadlocks.
 */
class RandomTrafficTest {
  private static final long[] SIZES = {0, 1, 8, 47, 112, 113, 500, 5_000, 40_000, 300_000};

  @ParameterizedTest
  @CsvSource({
    "1, 1, 40",
    "2, 2, 300",
    "3, 2, 300",
    "4, 3, 300",
    "5, 4, 400",
    "6, 5, 400",
    "7, 8, 600",
    "8, 2, 1000",
    "9, 2, 1000",
    "10, 16, 800"
  })
  void everyReceiveGetsWhatTheRulesSay(long seed, int ranks, int steps) {
    System.out.println("seed " + seed);
    List<Step> program = program(new Random(seed), ranks, steps);
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Arena arena = Arena.ofConfined()) {
              new Player(comm, seed, program, arena).play();
            }
          });
    }
  }

  /** A message and the receive of the same step; the receive gets the message of {@code gets}. */
  private record Step(
      int index, int source, int target, int tag, long bytes, int wantedTag, int gets, int gotBy) {
    boolean sendMayBlock() {
      return gotBy <= index;
    }

    boolean receiveMayBlock() {
      return gets <= index;
    }

    byte valueAt(long element) {
      return (byte) (31L * index + 7 * element);
    }
  }

  private static List<Step> program(Random random, int ranks, int steps) {
    List<Step> program = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      long bytes = SIZES[random.nextInt(random.nextInt(4) == 0 ? SIZES.length : 6)];
      program.add(
          new Step(
              i,
              random.nextInt(ranks),
              random.nextInt(ranks),
              random.nextInt(3),
              bytes,
              PointToPoint.ANY_TAG,
              -1,
              -1));
    }
    int[] gets = new int[steps];
    int[] gotBy = new int[steps];
    int[] wanted = new int[steps];
    List<Step> left = new ArrayList<>(program);
    for (Step step : program) {
      List<Step> ofPair =
          left.stream()
              .filter(each -> each.source == step.source && each.target == step.target)
              .toList();
      Step aim = ofPair.get(random.nextInt(Math.min(ofPair.size(), 4)));
      boolean any = random.nextInt(3) == 0;
      Step got =
          ofPair.stream().filter(each -> any || each.tag == aim.tag).findFirst().orElseThrow();
      wanted[step.index] = any ? PointToPoint.ANY_TAG : aim.tag;
      gets[step.index] = got.index;
      gotBy[got.index] = step.index;
      left.remove(got);
    }
    program.replaceAll(
        step ->
            new Step(
                step.index,
                step.source,
                step.target,
                step.tag,
                step.bytes,
                wanted[step.index],
                gets[step.index],
                gotBy[step.index]));
    return program;
  }

  /** Memory for one message: native or on the heap, with or without gaps. */
  private record Block(MemorySegment memory, Layout layout) {
    static Block of(long bytes, Random random, Arena arena) {
      Layout layout =
          switch (random.nextInt(5)) {
            case 0 -> Layout.strided(DType.I8, Shape.of(bytes), new long[] {3}, random.nextInt(2));
            case 1 -> {
              long[] indices = LongStream.range(0, bytes).map(i -> 2 * (bytes - 1 - i)).toArray();
              yield Layout.indexed(DType.I8, indices, 1);
            }
            default -> Layout.contiguous(DType.I8, bytes);
          };
      long span = layout.span() + 1;
      MemorySegment memory =
          random.nextBoolean()
              ? arena.allocate(span)
              : MemorySegment.ofArray(new byte[Math.toIntExact(span)]);
      return new Block(memory, layout);
    }

    /** Calls {@code visitor} with the offsets of the elements, in their order. */
    private void forEach(Layout.RunVisitor visitor) {
      long[] element = {0};
      layout.forEachRun(
          (offset, bytes) -> {
            for (long i = 0; i < bytes; i++) {
              visitor.run(offset + i, element[0]++);
            }
          });
    }

    Block fill(Step step) {
      forEach((at, i) -> memory.set(ValueLayout.JAVA_BYTE, at, step.valueAt(i)));
      return this;
    }

    void check(Step step) {
      forEach(
          (at, i) -> {
            if (i < step.bytes && memory.get(ValueLayout.JAVA_BYTE, at) != step.valueAt(i)) {
              throw new AssertionError("byte " + i + " of the message of " + step);
            }
          });
    }
  }

  /** One rank's part in a program. */
  private static final class Player {
    private final Communicator comm;
    private final Random random;
    private final List<Step> program;
    private final Arena arena;
    private final List<Runnable> endings = new ArrayList<>();

    Player(Communicator comm, long seed, List<Step> program, Arena arena) {
      this.comm = comm;
      this.random = new Random(seed * 1000 + comm.rank());
      this.program = program;
      this.arena = arena;
    }

    void play() {
      for (Step step : program) {
        if (step.source == comm.rank() && step.target == comm.rank()) {
          begin(receive(step));
          begin(send(step));
        } else if (step.target == comm.rank()) {
          Receiving receiving = receive(step);
          if (step.receiveMayBlock() && random.nextBoolean()) {
            receiving.block();
          } else {
            begin(receiving);
          }
        } else if (step.source == comm.rank()) {
          Sending sending = send(step);
          if (step.sendMayBlock() && random.nextBoolean()) {
            sending.block();
          } else {
            begin(sending);
          }
        }
      }
      Collections.shuffle(endings, random);
      endings.forEach(Runnable::run);
    }

    private void begin(Sending sending) {
      Request request = sending.begin();
      endings.add(
          () -> {
            assertThat(request.await()).isEqualTo(Status.EMPTY);
            request.close();
          });
    }

    private void begin(Receiving receiving) {
      Request request = receiving.begin();
      endings.add(
          () -> {
            while (random.nextBoolean() && !request.test()) {
              Thread.onSpinWait();
            }
            receiving.check(request.await());
            request.close();
          });
    }

    private Sending send(Step step) {
      return new Sending(step, Block.of(step.bytes, random, arena).fill(step));
    }

    private Receiving receive(Step step) {
      Step expected = program.get(step.gets);
      long room = expected.bytes + random.nextInt(3);
      return new Receiving(step, expected, Block.of(room, random, arena));
    }

    private final class Sending {
      private final Step step;
      private final Block block;

      Sending(Step step, Block block) {
        this.step = step;
        this.block = block;
      }

      void block() {
        if (block.layout.isContiguous()) {
          SendMode mode = random.nextBoolean() ? SendMode.STANDARD : SendMode.SYNCHRONOUS;
          comm.send(block.memory, DType.I8, step.bytes, step.target, step.tag, mode);
        } else {
          begin().await();
        }
      }

      Request begin() {
        boolean persistent = random.nextInt(4) == 0;
        if (block.layout.isContiguous()) {
          SendMode mode = random.nextBoolean() ? SendMode.STANDARD : SendMode.SYNCHRONOUS;
          if (!persistent) {
            return comm.isend(block.memory, DType.I8, step.bytes, step.target, step.tag, mode);
          }
          return started(
              comm.persistentSend(block.memory, DType.I8, step.bytes, step.target, step.tag, mode));
        }
        return persistent
            ? started(comm.persistentSend(block.memory, block.layout, step.target, step.tag))
            : comm.isend(block.memory, block.layout, step.target, step.tag);
      }
    }

    private final class Receiving {
      private final Step step;
      private final Step expected;
      private final Block block;

      Receiving(Step step, Step expected, Block block) {
        this.step = step;
        this.expected = expected;
        this.block = block;
      }

      void block() {
        long count = block.layout.count();
        if (!block.layout.isContiguous()) {
          check(begin().await());
        } else if (random.nextInt(4) == 0) {
          check(
              comm.matchedProbe(step.source, step.wantedTag)
                  .receive(block.memory, DType.I8, count));
        } else {
          check(comm.receive(block.memory, DType.I8, count, step.source, step.wantedTag));
        }
      }

      Request begin() {
        boolean persistent = random.nextInt(4) == 0;
        if (block.layout.isContiguous()) {
          long count = block.layout.count();
          return persistent
              ? started(
                  comm.persistentReceive(
                      block.memory, DType.I8, count, step.source, step.wantedTag))
              : comm.ireceive(block.memory, DType.I8, count, step.source, step.wantedTag);
        }
        return persistent
            ? started(
                comm.persistentReceive(block.memory, block.layout, step.source, step.wantedTag))
            : comm.ireceive(block.memory, block.layout, step.source, step.wantedTag);
      }

      void check(Status status) {
        assertThat(status)
            .as("receive of %s", step)
            .isEqualTo(new Status(expected.source, expected.tag, expected.bytes, false));
        block.check(expected);
      }
    }

    private static Request started(PersistentRequest request) {
      request.start();
      return request;
    }
  }
}
