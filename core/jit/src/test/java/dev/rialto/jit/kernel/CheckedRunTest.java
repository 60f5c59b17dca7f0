package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("gpu")
final class CheckedRunTest {
  private static final int ITEMS = 8;

  private final ComputeClient client = Devices.open("cpu:0");

  private static String thisLine() {
    return "CheckedRunTest.java:"
        + StackWalker.getInstance()
            .walk(frames -> frames.skip(1).findFirst().orElseThrow())
            .getLineNumber();
  }

  /** Runs a kernel over blocks of four items with checks and returns the array. */
  private int[] run(KernelBody.Of1<I32> body, int... x) {
    try (JavaKernel kernel =
            JavaKernels.on(client)
                .withTarget("jvm")
                .withBlockSize(4)
                .withChecks(Checks.RACES)
                .compile(body);
        Buffer array = client.create(MemorySegment.ofArray(x))) {
      try {
        kernel.launch(ITEMS, array);
      } catch (IllegalStateException | IndexOutOfBoundsException | ArithmeticException e) {
        assertThat(client.read(array).toArray(ValueLayout.JAVA_INT)).containsExactly(x);
        throw e;
      }
      return client.read(array).toArray(ValueLayout.JAVA_INT);
    }
  }

  private void refuses(
      Class<? extends RuntimeException> type, KernelBody.Of1<I32> body, String... said) {
    assertThatExceptionOfType(type)
        .isThrownBy(() -> run(body, IntStream.range(0, ITEMS).toArray()))
        .satisfies(e -> assertThat(e.getMessage()).contains(said));
  }

  private void isRace(KernelBody.Of1<I32> body, String... said) {
    refuses(IllegalStateException.class, body, said);
  }

  @Test
  void twoItemsThatWriteOnePlaceAreNamed() {
    String line = thisLine();
    isRace(
        (Item it, I32 x) -> {
          int[] pairs = it.sharedInts(2);
          pairs[it.local() / 2] = it.local();
        },
        below(line, 4) + ": item 1 writes index 0 of the shared array of " + below(line, 3),
        "which item 0 wrote at " + below(line, 4),
        "barrier");
  }

  private static String below(String line, int lines) {
    int colon = line.indexOf(':');
    return line.substring(0, colon + 1) + (Integer.parseInt(line.substring(colon + 1)) + lines);
  }

  @Test
  void readingWhatAnotherItemWritesNeedsABarrier() {
    isRace(
        (Item it, I32 x) -> {
          int[] all = it.sharedInts(4);
          all[it.local()] = it.local();
          x.set(it.global(), all[3 - it.local()]);
        },
        "item 2 writes index 2 of the shared array",
        "which item 1 read");
    isRace(
        (Item it, I32 x) -> {
          int[] all = it.sharedInts(4);
          all[it.local()] = it.local();
          x.set(it.global(), all[it.local() / 2]);
        },
        "item 1 reads index 0 of the shared array",
        "which item 0 wrote");
  }

  @Test
  void writingWhatAnotherItemReadsNeedsABarrier() {
    isRace(
        (Item it, I32 x) -> {
          int[] all = it.sharedInts(4);
          all[it.local()] = x.get(it.global());
          it.barrier();
          int next = all[(it.local() + 1) % 4];
          all[it.local()] = next;
        },
        "item 1 writes index 1 of the shared array",
        "which item 0 read");
  }

  @Test
  void aWriterIsNoReaderAmongSeveral() {
    isRace(
        (Item it, I32 x) -> {
          int first = x.get(0);
          if (it.global() == 0) {
            x.set(0, first + 1);
          }
        },
        "item 1 reads index 0 of 'x', which item 0 wrote");
    isRace(
        (Item it, I32 x) -> {
          int first = x.get(0);
          if (it.global() == 3) {
            x.set(0, first + 1);
          }
        },
        "item 3 writes index 0 of 'x', which item 2 read");
  }

  @Test
  void barriersOrderAccesses() {
    int[] reversed =
        run(
            (Item it, I32 x) -> {
              int[] all = it.sharedInts(4);
              for (int turn = 0; turn < 3; turn++) {
                all[it.local()] = x.get(it.global());
                it.barrier();
                x.set(it.global(), all[3 - it.local()]);
                it.barrier();
              }
            },
            IntStream.range(0, ITEMS).toArray());
    assertThat(reversed).containsExactly(3, 2, 1, 0, 7, 6, 5, 4);
  }

  @Test
  void blocksAreNeverInOrder() {
    isRace(
        (Item it, I32 x) -> {
          if (it.local() == 0) {
            x.set(0, (int) it.block());
          }
        },
        "item 4 writes index 0 of 'x', which item 0 wrote",
        "blocks do not wait for one another");
  }

  @Test
  void atomicStepsNeedNoOrder() {
    assertThat(run((Item it, I32 x) -> it.atomicAdd(x, 0, 2), 1, 1)).containsExactly(17, 1);
    isRace(
        (Item it, I32 x) -> {
          it.atomicAdd(x, 0, 1);
          x.set(it.local() + 1, x.get(0));
        },
        "item 1 changes atomically index 0 of 'x', which item 0 read");
  }

  @Test
  void indicesOutsideAreNamed() {
    String line = thisLine();
    refuses(
        IndexOutOfBoundsException.class,
        (Item it, I32 x) -> x.set(it.global() + 1, 1),
        below(line, 3) + ": item 7 uses index 8 of 'x', which has 8 elements");
    refuses(
        IndexOutOfBoundsException.class,
        (Item it, I32 x) -> {
          int[] all = it.sharedInts(3);
          all[it.local()] = 1;
        },
        "item 3 uses index 3 of the shared array");
    refuses(
        IndexOutOfBoundsException.class,
        (Item it, I32 x) -> {
          int[] own = new int[2];
          x.set(it.global(), own[x.get(it.global()) - 1]);
        },
        "item 0 uses index -1 of the array of CheckedRunTest.java:");
  }

  @Test
  void integersDividedByZeroAreNamed() {
    String line = thisLine();
    refuses(
        ArithmeticException.class,
        (Item it, I32 x) -> x.set(it.global(), 100 / (3 - x.get(it.global()))),
        below(line, 3) + ": item 3 divides an integer by 0");
    refuses(
        ArithmeticException.class,
        (Item it, I32 x) -> x.set(it.global(), (int) (100L % (5L - x.get(it.global())))),
        "item 5 divides an integer by 0");
    int[] divisors = {-1, 0, 1, 2, -1, 0, 1, 2};
    int[] quotients =
        run(
            (Item it, I32 x) -> {
              int by = x.get(it.global());
              x.set(it.global(), by == 0 ? 7 : Integer.MIN_VALUE / by + 5 % by);
            },
            divisors);
    assertThat(Arrays.copyOf(quotients, 4))
        .containsExactly(Integer.MIN_VALUE, 7, Integer.MIN_VALUE, Integer.MIN_VALUE / 2 + 1);
  }

  @Test
  void allItemsComeToABarrier() {
    String line = thisLine();
    isRace(
        (Item it, I32 x) -> {
          if (it.local() < 3) {
            it.barrier();
          }
        },
        below(line, 3) + ": items 0 and 3 of a block decide differently",
        "make the condition the same");
    isRace(
        (Item it, I32 x) -> {
          for (int i = 0; i < it.local() + 1; i++) {
            it.barrier();
          }
        },
        "items 0 and 1 of a block decide differently");
  }

  @Test
  void itemsThatReturnAreNotWaitedFor() {
    int[] found =
        run(
            (Item it, I32 x) -> {
              if (it.local() == 3) {
                return;
              }
              it.barrier();
              x.set(it.global(), -1);
            },
            IntStream.range(0, ITEMS).toArray());
    assertThat(found).containsExactly(-1, -1, -1, 3, -1, -1, -1, 7);
  }

  @Test
  void subgroupsExchangeValues() {
    int[] sums =
        run(
            (Item it, I32 x) -> x.set(it.global(), Subgroup.sum(it, x.get(it.global()))),
            IntStream.range(0, ITEMS).toArray());
    assertThat(sums).containsExactly(6, 6, 6, 6, 22, 22, 22, 22);
  }

  @Test
  void atomicStepsOfNarrowElementsAreNoRace() {
    int[] x =
        run(
            (Item it, I32 all) -> {
              byte[] counts = it.sharedBytes(2);
              if (it.local() < 2) {
                counts[it.local()] = 0;
              }
              it.barrier();
              it.atomicAdd(counts, it.local() / 2, (byte) 1);
              it.barrier();
              all.set(it.global(), counts[it.local() / 2]);
            },
            new int[ITEMS]);
    assertThat(x).containsOnly(2);
    String line = thisLine();
    isRace(
        (Item it, I32 all) -> {
          byte[] counts = it.sharedBytes(1);
          it.atomicMax(counts, 0, (byte) it.local());
          counts[0] = 3;
        },
        below(line, 4) + ": item 1 changes atomically index 0",
        "which item 0 wrote at " + below(line, 5));
  }
}
