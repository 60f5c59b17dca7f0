package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More ranks than cores: waiting ranks give way to those they wait for. */
class ManyRanksTest {
  @ParameterizedTest
  @ValueSource(ints = {8, 64})
  void aTokenGoesAround(int ranks) {
    try (World world = World.local(ranks)) {
      List<Long> tokens =
          world.call(
              comm -> {
                MemorySegment token = MemorySegment.ofArray(new long[1]);
                int left = (comm.rank() + ranks - 1) % ranks;
                int right = (comm.rank() + 1) % ranks;
                for (int lap = 0; lap < 20; lap++) {
                  if (comm.rank() > 0 || lap > 0) {
                    comm.receive(token, DType.I64, 1, left, 0);
                  }
                  long value = token.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                  token.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, value + 1);
                  comm.send(token, DType.I64, 1, right, 0);
                }
                if (comm.rank() == 0) {
                  comm.receive(token, DType.I64, 1, left, 0);
                }
                return token.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
              });
      assertThat(tokens.getFirst()).isEqualTo(20L * ranks);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 64})
  void everyRankExchangesWithEveryOther(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Arena arena = Arena.ofConfined()) {
              long bytes = 1000;
              MemorySegment out = arena.allocate(bytes * ranks);
              MemorySegment in = arena.allocate(bytes * ranks);
              for (int round = 0; round < 5; round++) {
                List<Request> requests = new ArrayList<>();
                for (int peer = 0; peer < ranks; peer++) {
                  MemorySegment block = in.asSlice(peer * bytes, bytes);
                  requests.add(comm.ireceive(block, DType.I8, bytes, peer, round));
                }
                for (int peer = 0; peer < ranks; peer++) {
                  MemorySegment block = out.asSlice(peer * bytes, bytes);
                  block.fill((byte) (comm.rank() + 3 * peer + round));
                  requests.add(comm.isend(block, DType.I8, bytes, peer, round));
                }
                comm.awaitAll(requests);
                for (int peer = 0; peer < ranks; peer++) {
                  assertThat(in.get(ValueLayout.JAVA_BYTE, peer * bytes + bytes - 1))
                      .isEqualTo((byte) (peer + 3 * comm.rank() + round));
                }
              }
            }
          });
    }
  }
}
