package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.error.PeerFailedException;
import org.junit.jupiter.api.Test;

/** That arrays take their memory from the runtime: counted, limited and given back. */
class ArrayMemoryTest {
  private static ComputeDevice host() {
    return ComputeDevice.open(Backends.get("cpu").devices().getFirst());
  }

  @Test
  void theRuntimeReportsWhatArraysHoldAndNothingInTheEnd() {
    try (ComputeDevice device = host();
        World world = World.local(3)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm, device.client())) {
              comm.barrier();
              long before = device.client().memoryUsage().used();
              comm.barrier();
              try (F64Array a = team.f64(30_000);
                  F64Array b = team.space(30_000).divided(Decomposition.hash()).f64()) {
                comm.barrier();
                assertThat(device.client().memoryUsage().used() - before).isEqualTo(480_000);
                comm.barrier();
                a.generate(i -> 30_000 - i);
                b.copy(a);
                b.sort();
                b.redistribute(Decomposition.cyclic(3));
                assertThat(b.dot(a)).isEqualTo(4_500_450_010_000.0);
                try (RealArray few = a.copyIf(x -> x < 10)) {
                  assertThat(few.shape().count()).isEqualTo(9);
                }
              }
            }
          });
      assertThat(device.client().memoryUsage().used()).isZero();
    }
  }

  @Test
  void anArrayStartsWithZerosInMemoryThatIsUsedAgain() {
    try (ComputeDevice device = host();
        World world = World.local(2)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm, device.client())) {
              for (long size : new long[] {0, 1, 1_001, 400_000}) {
                for (int again = 0; again < 3; again++) {
                  try (I64Array a = team.i64(size)) {
                    assertThat(a.none(x -> x != 0)).isTrue();
                    a.fill(7);
                  }
                }
              }
            }
          });
    }
  }

  @Test
  void aRankWithoutMemoryFailsTheArrayAndNotTheTeam() {
    try (ComputeDevice device = host();
        World world = World.local(3)) {
      world.run(
          comm -> {
            ComputeClient client = device.client();
            boolean poor = comm.rank() == 1;
            try (Team team = Team.on(comm, poor ? client.withLimit(100_000) : client)) {
              assertThatThrownBy(() -> team.f64(100_000))
                  .isInstanceOf(poor ? MemoryException.class : PeerFailedException.class)
                  .hasMessageContaining(poor ? "limit of 100000 bytes" : "failed on rank 1");
              try (F64Array a = team.f64(1_000)) {
                a.fill(2);
                assertThat(a.sum()).isEqualTo(2_000);
                assertThatThrownBy(() -> a.resize(100_000))
                    .isInstanceOf(poor ? MemoryException.class : PeerFailedException.class);
                assertThat(a.sum()).isEqualTo(2_000);
              }
            }
          });
      assertThat(device.client().memoryUsage().used()).isZero();
    }
  }
}
