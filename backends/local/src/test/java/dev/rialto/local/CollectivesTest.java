package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CollectivesTest {
  @Test
  void numbersOfAllRanksAreCombined() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            assertThat(comm.sum(0.5 * comm.rank())).isEqualTo(1.5);
            assertThat(comm.max(-1.5 * comm.rank())).isZero();
            assertThat(comm.min(-1.5 * comm.rank())).isEqualTo(-3);
            long large = Long.MAX_VALUE - 3 + comm.rank();
            assertThat(comm.max(large)).isEqualTo(Long.MAX_VALUE - 1);
            assertThat(comm.min(large)).isEqualTo(Long.MAX_VALUE - 3);
            assertThat(comm.sum(1L << comm.rank())).isEqualTo(7);
            assertThat(comm.sum(new double[] {1, comm.rank()})).containsExactly(3, 3);
            assertThat(comm.sum(new double[0])).isEmpty();
          });
    }
  }

  /** An operation that one rank has begun. */
  private record Begun(RandomCollective operation, MemorySegment receive, Request request) {}

  @ParameterizedTest(name = "{0} ranks")
  @ValueSource(ints = {1, 2, 3, 4, 5, 8})
  void randomProgramsMatchASequentialComputation(int ranks) {
    try (World world = World.local(ranks)) {
      for (int seed = 0; seed < 6; seed++) {
        runProgram(world, 1000L * ranks + seed);
      }
    }
  }

  /** Runs many operations, blocking or not, and completes those that are not in any order. */
  private static void runProgram(World world, long seed) {
    Random random = new Random(seed);
    List<RandomCollective> program = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      program.add(new RandomCollective(random, world.size()));
    }
    world.run(
        comm -> {
          Random own = new Random(seed + comm.rank());
          List<Begun> begun = new ArrayList<>();
          try (Arena arena = Arena.ofConfined()) {
            for (RandomCollective operation : program) {
              begin(comm, operation, own, arena, begun);
            }
            Collections.shuffle(begun, own);
            for (Begun each : begun) {
              each.request.await();
              check(comm, each.operation, each.receive, seed);
            }
          }
        });
  }

  private static void begin(
      Communicator comm, RandomCollective operation, Random own, Arena arena, List<Begun> begun) {
    byte[] elements = operation.send[comm.rank()];
    byte[] untouched = new byte[operation.expected[comm.rank()].length];
    Arrays.fill(untouched, RandomCollective.UNTOUCHED);
    MemorySegment send = memory(own, arena, elements);
    MemorySegment receive = operation.inPlace ? send : memory(own, arena, untouched);
    boolean wait = own.nextInt(3) == 0;
    Request request = operation.call(comm, wait, send, receive);
    if (request == null) {
      check(comm, operation, receive, -1);
    } else if (own.nextInt(4) == 0) {
      while (!request.test()) {
        Thread.yield();
      }
      check(comm, operation, receive, -1);
      request.close();
    } else {
      begun.add(new Begun(operation, receive, request));
    }
  }

  /** Memory of any kind a caller may have. */
  private static MemorySegment memory(Random random, Arena arena, byte[] bytes) {
    return switch (random.nextInt(3)) {
      case 0 -> MemorySegment.ofArray(bytes.clone());
      case 1 -> {
        byte[] padded = new byte[bytes.length + 3];
        System.arraycopy(bytes, 0, padded, 3, bytes.length);
        yield MemorySegment.ofArray(padded).asSlice(3);
      }
      default -> {
        MemorySegment segment = arena.allocate(bytes.length + 1, 16).asSlice(0, bytes.length);
        segment.copyFrom(MemorySegment.ofArray(bytes));
        yield segment;
      }
    };
  }

  private static void check(
      Communicator comm, RandomCollective operation, MemorySegment receive, long seed) {
    assertThat(receive.toArray(ValueLayout.JAVA_BYTE))
        .as("%s on rank %d of %d, seed %d", operation, comm.rank(), comm.size(), seed)
        .isEqualTo(operation.expected[comm.rank()]);
  }
}
