package dev.rialto.example.socket;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.comm.Window.LockMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** The programs on windows that the guide explains them by, on ranks that are threads. */
class WindowProgramTest {
  private static MemorySegment longs(long... values) {
    return MemorySegment.ofArray(values);
  }

  @Test
  void fencesOpenAndEndEpochsOfAllRanks() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Window window = comm.allocateWindow(8)) {
              int next = (comm.rank() + 1) % comm.size();
              window.fence();
              window.put(longs(comm.rank()), DType.I64, 1, next, 0);
              window.fence();
              long got = window.memory().get(ValueLayout.JAVA_LONG, 0);
              assertThat(got).isEqualTo((comm.rank() + comm.size() - 1) % comm.size());
            }
          });
    }
  }

  @Test
  void locksOpenAnEpochForOneTargetThatDoesNothing() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Window window = comm.allocateWindow(8)) {
              for (int i = 0; i < 100; i++) {
                increment(window);
              }
              comm.barrier();
              window.lock(0, LockMode.SHARED);
              long[] sum = new long[1];
              window.get(longs(sum), DType.I64, 1, 0, 0);
              window.unlock(0);
              assertThat(sum[0]).isEqualTo(100L * comm.size());
            }
          });
    }
  }

  private static void increment(Window window) {
    long[] value = new long[1];
    window.lock(0, LockMode.EXCLUSIVE);
    window.get(longs(value), DType.I64, 1, 0, 0);
    window.flush(0);
    value[0]++;
    window.put(longs(value), DType.I64, 1, 0, 0);
    window.unlock(0);
  }

  @Test
  void ticketsAreHandedOutOnce() {
    try (World world = World.local(3)) {
      long sum = world.call(WindowProgramTest::ticket).stream().mapToLong(Long::longValue).sum();
      assertThat(sum).isEqualTo(0 + 1 + 2);
    }
  }

  private static long ticket(Communicator comm) {
    try (Window window = comm.allocateWindow(8)) {
      long[] ticket = new long[1];
      window.lockAll();
      window.fetchAndOp(longs(1), longs(ticket), DType.I64, 0, 0, ReduceOp.SUM);
      window.unlockAll();
      return ticket[0];
    }
  }

  @Test
  void originsAndTargetsMayMeetAlone() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Window window = comm.allocateWindow(8)) {
              if (comm.rank() == 0) {
                window.post(1);
                window.await();
                assertThat(window.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(7);
              } else if (comm.rank() == 1) {
                window.start(0);
                window.put(longs(7), DType.I64, 1, 0, 0);
                window.complete();
              }
            }
          });
    }
  }
}
