package dev.rialto.jit.kernel;

import static dev.rialto.jit.kernel.KernelTargets.compare;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.spi.data.Shape;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exchanges in a subgroup, on every target, compared with the method as the JVM runs it. */
@Tag("gpu")
class SubgroupTest {
  private static double[] doubles(int count) {
    return new Random(count).doubles(count, -1e3, 1e3).toArray();
  }

  private static int[] ints(int count) {
    return new Random(count).ints(count).toArray();
  }

  private static final KernelBody.Of1<I32> PLACES =
      (Item it, I32 out) -> {
        long at = it.global() * 3;
        out.set(at, it.lane());
        out.set(at + 1, it.subgroupSize());
        out.set(at + 2, it.ballot(it.local() % 3 == 0));
      };

  @ParameterizedTest
  @CsvSource({"32, 64", "256, 300", "70, 141", "7, 20"})
  void everyItemKnowsItsLaneAndTheSubgroup(int block, int items) {
    compare(PLACES, block, items, new int[items * 3]);
  }

  @Test
  void valuesOfAllTypesGoFromLaneToLane() {
    KernelBody.Of4<I32, I64, F32, F64> body =
        (Item it, I32 i, I64 l, F32 f, F64 d) -> {
          long at = it.global();
          int next = (it.lane() + 5) % it.subgroupSize();
          i.set(at, it.shuffle(i.get(at), next));
          l.set(at, it.shuffle(l.get(at), next ^ 0));
          f.set(at, it.shuffle(f.get(at), it.subgroupSize() - 1 - it.lane()));
          d.set(at, it.shuffle(it.shuffle(d.get(at), 0) + d.get(at), next));
        };
    long[] longs = new Random(3).longs(100).toArray();
    float[] floats = new float[100];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = i * 0.7f;
    }
    compare(body, 96, 100, ints(100), longs, floats, doubles(100));
  }

  @Test
  void subgroupsInALoopWithBarriersKnowTheTurn() {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 out, F64 x) -> {
          double[] sums = it.sharedDoubles(4);
          for (int turn = 0; turn < 3; turn++) {
            double sum = Subgroup.sum(it, x.get(it.global() + 10L * turn));
            if (it.lane() == 0) {
              sums[it.local() / Item.SUBGROUP] = sum;
            }
            it.barrier();
            out.set(3 * it.global() + turn, sums[turn]);
            it.barrier();
          }
        };
    compare(body, 128, 256, new double[3 * 256], doubles(300));
  }

  @Test
  void sumsExtremesAndScansHaveTheSameBitsEverywhere() {
    KernelBody.Of3<F64, F64, I32> body =
        (Item it, F64 out, F64 x, I32 k) -> {
          long i = it.global();
          long at = i * 6;
          out.set(at, Subgroup.sum(it, x.get(i)));
          out.set(at + 1, Subgroup.min(it, x.get(i)));
          out.set(at + 2, Subgroup.max(it, k.get(i)));
          out.set(at + 3, Subgroup.scan(it, x.get(i)));
          out.set(at + 4, Subgroup.scan(it, k.get(i)));
          out.set(at + 5, Subgroup.any(it, k.get(i) > 2_000_000_000) ? 1 : 0);
        };
    compare(body, 256, 300, new double[1800], doubles(300), ints(300));
  }

  @Test
  void subgroupsOfSmallBlocksAreNotWhole() {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 out, F64 x) -> {
          long i = it.global();
          out.set(2 * i, Subgroup.sum(it, x.get(i)));
          out.set(2 * i + 1, Subgroup.scan(it, x.get(i)));
        };
    compare(body, 40, 100, new double[200], doubles(100));
  }

  @Test
  void itemsThatReturnedTakeNoPart() {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 out, F64 x) -> {
          long i = it.global();
          if (x.get(i) < -300) {
            return;
          }
          double sum = Subgroup.sum(it, x.get(i));
          if (sum < 0) {
            return;
          }
          out.set(i, Subgroup.scan(it, x.get(i)) + (Subgroup.all(it, x.get(i) < 999) ? 0.5 : 0));
        };
    compare(body, 64, 150, new double[150], doubles(150));
  }

  /** The first subgroup adds what the others have found: the usual sum of a block. */
  static void blockSum(Item it, F64 sums, F64 x) {
    double[] parts = it.sharedDoubles(32);
    double sum = Subgroup.sum(it, it.global() < x.length() ? x.get(it.global()) : 0);
    if (it.lane() == 0) {
      parts[it.local() / Item.SUBGROUP] = sum;
    }
    it.barrier();
    if (it.local() < Item.SUBGROUP) {
      int subgroups = (it.blockSize() + Item.SUBGROUP - 1) / Item.SUBGROUP;
      double part = it.lane() < subgroups ? parts[it.lane()] : 0;
      double all = Subgroup.sum(it, part);
      if (it.local() == 0) {
        sums.set(it.block(), all);
      }
    }
    it.barrier();
    if (it.local() == it.blockSize() - 1) {
      it.atomicAdd(sums, it.blocks(), parts[0]);
    }
  }

  @ParameterizedTest
  @CsvSource({"256, 1000", "100, 321", "20, 50"})
  void oneSubgroupMayDoWhatOthersDoNot(int block, int items) {
    KernelBody.Of2<F64, F64> body = SubgroupTest::blockSum;
    int blocks = (items + block - 1) / block;
    double[] whole = new double[items];
    for (int i = 0; i < items; i++) {
      whole[i] = i % 17 - 8;
    }
    compare(body, block, items, new double[blocks + 1], whole);
  }

  @Test
  void loopsAndConditionsMayBeTheSubgroups() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 out, I32 x) -> {
          long i = it.global();
          int value = x.get(i) & 1023;
          int turns = 0;
          while (Subgroup.any(it, value > 0)) {
            int most = Subgroup.max(it, value);
            if (most % 2 == 0) {
              value -= it.shuffle(value, 0) % 7 + 300;
            } else if (most % 3 == 0) {
              value -= 100;
              continue;
            } else {
              value -= most;
            }
            turns++;
          }
          out.set(i, turns);
        };
    compare(body, 128, 200, new int[200], ints(200));
  }

  @Test
  void subgroupsGoThroughBlocksOfTwoAxesRowByRow() {
    KernelBody.Of1<I64> body =
        (Item it, I64 out) -> {
          long place = it.global(0) * 100 + it.global(1);
          out.set(
              it.global(), it.shuffle(place, it.subgroupSize() - 1) + it.ballot(it.local(1) > 2));
        };
    compare(body, Shape.of(6, 9), Shape.of(13, 20), new long[260]);
  }

  @Test
  void gpusExchangeByTheirOwnInstructions() {
    KernelBody.Of1<F64> body =
        (Item it, F64 x) -> x.set(it.global(), it.shuffle(x.get(it.global()), it.ballot(true) & 1));
    assertThat(
            CPrinter.print(
                KernelTargets.dialect("cuda"),
                List.of(Lifter.lift("kernel", Shape.of(64), body).procedure())))
        .contains("= __shfl_sync(0xffffffffu, ")
        .contains("= (int32_t)__ballot_sync(0xffffffffu, 1);");
  }

  @Test
  void aPlainRunThrowsWhereNoItemIsAtTheLane() {
    KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(it.global(), it.shuffle(1, 20));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> PlainRun.of(body, 8, 8, I32.of(new int[8])))
        .withMessageContaining("asks for lane 20 of its subgroup");
    KernelBody.Of1<I32> early =
        (Item it, I32 x) -> {
          if (it.local() != 3) {
            x.set(it.global(), it.shuffle(1, 3));
          }
        };
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> PlainRun.of(early, 8, 8, I32.of(new int[8])))
        .withMessageContaining("asks for lane 3");
  }

  @Test
  void aPlainRunThrowsWhereItemsWaitAtDifferentPlaces() {
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          if (it.local() == 0) {
            it.barrier();
          } else {
            x.set(it.global(), it.ballot(true));
          }
          it.barrier();
        };
    assertThatExceptionOfType(IllegalStateException.class)
        .isThrownBy(() -> PlainRun.of(body, 8, 8, I32.of(new int[8])))
        .withMessageContaining("wait where others never come");
  }
}
