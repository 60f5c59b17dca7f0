package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lift.VectorSupport;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Variables in kernels whose barriers split the loop over a block's items. */
@Tag("gpu")
final class BarriersTest {
  private static final int BLOCK = 40;
  private static final int ITEMS = 100;

  private static int[] numbers() {
    return IntStream.range(0, ITEMS).map(i -> i * 7919 % 101).toArray();
  }

  private static void compare(KernelBody.Of2<I32, I32> body) {
    KernelTargets.compare(body, BLOCK, ITEMS, new int[ITEMS], numbers());
  }

  /** The arrays of a block's thread. */
  private static List<String> arrays(Shape block, KernelBody body) {
    List<String> names = new ArrayList<>();
    Ir.walk(
        Lifter.lift("kernel", block, body).forHost(VectorSupport.NONE).body(),
        s -> {
          if (s instanceof Stmt.Array(var buffer)) {
            names.add(buffer.name());
          }
        });
    return names;
  }

  @Test
  void countersAndPlacesAreNoArrays() {
    KernelBody.Of2<F32, F32> product =
        (Item it, F32 c, F32 a) -> {
          float[] tile = it.sharedFloats(64);
          int i = it.local(0);
          int j = it.local(1);
          float sum = 0;
          for (int first = 0; first < 64; first += 8) {
            tile[i * 8 + j] = a.get(it.global(0) * 64 + first + j);
            it.barrier();
            for (int k = 0; k < 8; k++) {
              sum += tile[i * 8 + k] * tile[k * 8 + j];
            }
            it.barrier();
          }
          c.set(it.global(0) * 64 + it.global(1), sum);
        };
    // The tile, and a sum of each item.
    assertThat(arrays(Shape.of(8, 8), product)).hasSize(2);
    float[] numbers = new float[24 * 64];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i * 7919 % 101;
    }
    KernelTargets.compare(product, Shape.of(8, 8), Shape.of(24, 16), new float[24 * 64], numbers);
  }

  @Test
  void aSlotThatIsUsedAgainIsKeptForNothing() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(BLOCK);
          {
            int sum = 0;
            for (int k = 0; k < 3; k++) {
              sum += x.get((it.global() + k) % ITEMS);
            }
            all[it.local()] = sum;
          }
          it.barrier();
          for (int distance = 1; distance < 4; distance *= 2) {
            int left = it.local() >= distance ? all[it.local() - distance] : 0;
            it.barrier();
            all[it.local()] += left;
            it.barrier();
          }
          y.set(it.global(), all[it.local()]);
        };
    // What is shared, and what is on the left.
    assertThat(arrays(Shape.of(BLOCK), body)).hasSize(2);
    compare(body);
  }

  @Test
  void whatFollowsFromACounterKeepsItsValue() {
    compare(
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(BLOCK);
          int count = 0;
          int sum = 0;
          for (int round = 0; round < 3; round++) {
            int before = count + it.local();
            all[it.local()] = x.get(it.global()) + before;
            it.barrier();
            count += 2;
            sum += before * 100 + count + all[it.blockSize() - 1 - it.local()];
            it.barrier();
            sum += before;
          }
          y.set(it.global(), sum + count);
        });
  }

  @Test
  void whatSomeItemsWriteStaysWithTheOthers() {
    compare(
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(BLOCK);
          int mine = x.get(it.global());
          all[it.local()] = mine;
          it.barrier();
          if (mine % 3 == 0) {
            mine = all[0];
          }
          it.barrier();
          while (mine % 5 != 0) {
            mine++;
          }
          it.barrier();
          y.set(it.global(), mine);
        });
  }

  @Test
  void itemsThatReturnLeaveCountersToTheOthers() {
    compare(
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(BLOCK);
          all[it.local()] = 0;
          it.barrier();
          int count = 1;
          for (int round = 0; round < 4; round++) {
            if (x.get(it.global()) % 4 == round) {
              y.set(it.global(), count);
              return;
            }
            it.atomicAdd(all, 0, count);
            it.barrier();
            count = count * 3 + round;
            it.barrier();
          }
          y.set(it.global(), all[0] + count);
        });
  }

  @Test
  void conditionsOfTheBlockChooseCounters() {
    compare(
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(BLOCK);
          int step = 1;
          if (it.block() % 2 == 0) {
            all[it.local()] = x.get(it.global());
            it.barrier();
            step = 3;
          } else {
            all[it.local()] = -x.get(it.global());
            it.barrier();
            step += 1;
          }
          y.set(it.global(), all[(it.local() * step) % it.blockSize()]);
        });
  }

  @Test
  void variablesOutliveExchangesAndBarriers() {
    compare(
        (Item it, I32 y, I32 x) -> {
          int[] sums = it.sharedInts(2);
          int mine = x.get(it.global());
          int place = it.local() + 1;
          int seen = 0;
          for (int round = 0; round < 2; round++) {
            int together = Subgroup.sum(it, mine * place);
            seen += together + it.ballot(mine % 2 == 0);
            if (it.lane() == 0) {
              sums[it.local() / Item.SUBGROUP] = together;
            }
            it.barrier();
            mine += sums[0] + seen;
            it.barrier();
          }
          y.set(it.global(), mine + seen);
        });
  }

  @Test
  void smallElementsAreSharedToo() {
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          byte[] bytes = it.sharedBytes(16);
          char[] chars = it.sharedChars(16);
          boolean[] flags = it.sharedBooleans(16);
          int v = x.get(it.global());
          bytes[it.local()] = (byte) v;
          chars[it.local()] = (char) (v >> 8);
          flags[it.local()] = v > 0;
          it.barrier();
          int from = it.blockSize() - 1 - it.local();
          x.set(it.global(), flags[from] ? bytes[from] : chars[from]);
        };
    KernelTargets.compare(body, 16, 37, new Random(9).ints(37).toArray());
  }

  private static int early(Item it, int[] all, int own) {
    all[it.local()] = own;
    it.barrier();
    if (it.local() == 0 || own > 50) {
      return -own;
    }
    int left = all[it.local() - 1];
    return left > 20 ? left : own;
  }

  @Test
  void anItemReturnsByItselfAfterABarrierOfAMethod() {
    compare(
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(BLOCK);
          y.set(it.global(), early(it, all, x.get(it.global())));
        });
  }

  /** The expressions of a block's thread. */
  private static List<Expr> expressions(Shape block, int vectorBits, KernelBody body) {
    List<Expr> all = new ArrayList<>();
    Stmt thread =
        Lifter.lift("kernel", block, body)
            .forHost(new VectorSupport(vectorBits, VectorSupport.Operations.ALL))
            .body();
    Ir.expressions(thread, e -> Ir.walk(e, all::add));
    return all;
  }

  @Test
  void whatFollowsFromALaterVariableIsComputedAgain() {
    KernelBody.Of2<I32, I32> groups =
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(64);
          int size = 8;
          all[it.local()] = x.get(it.global());
          it.barrier();
          int sum = x.get(it.local() / size);
          for (int k = it.local() / size * size; k < it.local(); k++) {
            sum += all[k];
          }
          y.set(it.global(), sum);
        };
    assertThat(expressions(Shape.of(64), 256, groups))
        .as("divisors that might be -1")
        .noneMatch(e -> e instanceof Expr.Unary(var op, var _) && op == Expr.UnaryOp.NEG);
    KernelTargets.compare(groups, 64, 150, new int[150], new Random(4).ints(150).toArray());
  }

  /** Loops over items are cut where a condition of their places begins or ceases to hold. */
  @Test
  void conditionsOfPlacesHoldForTheSameItems() {
    compare(
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(BLOCK);
          int local = it.local();
          all[local] = x.get(it.global());
          it.barrier();
          for (int bound = -7; bound < 2 * BLOCK; bound = bound * 2 + 19) {
            if (local < bound) {
              all[local] += 1;
            }
            it.barrier();
            if (local <= bound) {
              all[local] *= 3;
            } else {
              all[local] ^= bound;
            }
            it.barrier();
            if (bound < local) {
              all[local] -= 5;
            }
            it.barrier();
            if (local >= bound) {
              all[local] += local;
            }
            it.barrier();
          }
          if (local <= Long.MAX_VALUE - it.blocks() / 1000) {
            all[local] += 11;
          }
          it.barrier();
          if (local > Long.MIN_VALUE + it.blocks() / 1000) {
            all[local] *= 13;
          }
          it.barrier();
          y.set(it.global(), all[local]);
        });
  }

  @Test
  void sumsByHalvesAndDoubledDistancesAreVectors() {
    KernelBody.Of2<I32, I32> sums =
        (Item it, I32 y, I32 x) -> {
          int[] all = it.sharedInts(64);
          int[] before = it.sharedInts(64);
          int local = it.local();
          int own = x.get(it.global());
          all[local] = own;
          before[local] = own;
          it.barrier();
          for (int half = 32; half > 0; half /= 2) {
            if (local < half) {
              all[local] += all[local + half];
            }
            it.barrier();
          }
          for (int distance = 1; distance < 64; distance *= 2) {
            int left = local >= distance ? before[local - distance] : 0;
            it.barrier();
            before[local] += left;
            it.barrier();
          }
          y.set(it.global(), all[0] + before[local]);
        };
    assertThat(expressions(Shape.of(64), 256, sums))
        .as("elements a half or a distance away")
        .filteredOn(e -> e instanceof Expr.Load load && load.lanes() == 8)
        .extracting(e -> ((Expr.Load) e).offset().toString())
        .anyMatch(at -> at.contains("ADD"))
        .anyMatch(at -> at.contains("SUB"));
    KernelTargets.compare(sums, 64, 128, new int[128], new Random(5).ints(128).toArray());
  }

  /** Vectors of doubles hold half a row: rows and the halves of each are done together. */
  @Test
  void tilesOfDoublesAreDoneTogetherAlongBothAxes() {
    int n = 32;
    KernelBody.Of3<F64, F64, F64> body =
        (Item it, F64 c, F64 a, F64 b) -> {
          double[] left = it.sharedDoubles(256);
          double[] right = it.sharedDoubles(256);
          int i = it.local(0);
          int j = it.local(1);
          double sum = 0;
          for (int tile = 0; tile < n; tile += 16) {
            left[i * 16 + j] = a.get(it.global(0) * n + tile + j);
            right[i * 16 + j] = b.get((long) (tile + i) * n + it.global(1));
            it.barrier();
            for (int k = 0; k < 16; k++) {
              sum += left[i * 16 + k] * right[k * 16 + j];
            }
            it.barrier();
          }
          c.set(it.global(0) * n + it.global(1), sum);
        };
    Predicate<Expr> isOfRow = e -> e instanceof Expr.Var v && v.name().equals("local0");
    assertThat(expressions(Shape.of(16, 16), 512, body))
        .as("vectors that all rows use, loaded once for each half")
        .filteredOn(e -> e instanceof Expr.Load load && load.lanes() == 8 && load.buffer().local())
        .filteredOn(e -> !Ir.contains(e, isOfRow))
        .hasSize(2);
    double[] x = new Random(7).doubles((long) n * n).toArray();
    KernelTargets.compare(body, Shape.of(16, 16), Shape.of(n, n), new double[n * n], x, x.clone());
  }
}
