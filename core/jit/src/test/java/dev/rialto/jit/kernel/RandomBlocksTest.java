package dev.rialto.jit.kernel;

import dev.rialto.spi.data.Shape;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random methods whose items work together: shared arrays, barriers, atomic steps, subgroups, in
 * loops and over one or two axes, with enums, tables and captured values. No result depends on the
 * order of items, so that every target must have the bits of the plain run.
 */
@Tag("gpu")
class RandomBlocksTest {
  private static final int STEPS = 3;

  /** Operations whose result does not depend on the order. */
  private static final List<String> OPERATIONS = List.of("Add", "Xor", "Or", "Max", "Min");

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void everyTargetGivesTheBitsOfThePlainRun(long seed) {
    check(seed);
  }

  static void check(long seed) {
    Random random = new Random(seed);
    boolean plane = random.nextBoolean();
    Shape block = plane ? Shape.of(2 + random.nextInt(3), 9) : Shape.of(8 + random.nextInt(60));
    Shape items = plane ? Shape.of(5, 14) : Shape.of(80);
    String source = source(random, (int) block.count());
    try {
      Class<?> type = CompiledSource.load("Together", source, "-g");
      int captured = 2 + random.nextInt(3);
      KernelBody body = (KernelBody) type.getMethod("body", int.class).invoke(null, captured);
      int n = (int) items.count();
      short[] shorts = new short[n];
      byte[] bytes = new byte[n];
      random.nextBytes(bytes);
      for (int i = 0; i < n; i++) {
        shorts[i] = (short) random.nextInt();
      }
      int[] ints = random.ints(n).toArray();
      long[] sums = new long[16];
      KernelTargets.compare(body, block, items, ints, shorts, bytes, sums);
    } catch (ReflectiveOperationException | RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + seed + ":\n" + source, e);
    }
  }

  /** Tries seeds from the command line: the first, and how many. */
  public static void main(String[] args) {
    long first = Long.parseLong(args[0]);
    for (long seed = first; seed < first + Long.parseLong(args[1]); seed++) {
      check(seed);
    }
  }

  private static String source(Random random, int items) {
    StringBuilder steps = new StringBuilder();
    for (int i = 0; i < STEPS; i++) {
      boolean repeats = random.nextInt(4) == 0;
      steps.append(repeats ? "for (int t = 0; t < n; t++) { v += t;\n" : "{\n");
      steps.append(step(random)).append("}\n");
    }
    return """
    import dev.rialto.jit.kernel.*;
    import java.util.function.IntUnaryOperator;

    public class Together {
      enum Rule {
        ADD(3), TURN(5), MIX(-7);
        final int weight;
        Rule(int weight) { this.weight = weight; }
        int apply(int x) {
          return switch (this) {
            case ADD -> x + weight;
            case TURN -> Integer.rotateLeft(x, weight);
            case MIX -> x * weight ^ 0x55;
          };
        }
      }
      static final int[] TABLE = {9, -4, 77, 1 << 20, 5, 6, 7, 8};

      static void run(Item it, I32 x, I16 y, I8 z, I64 sums, int n) {
        long g = it.global();
        int me = it.local();
        int size = it.blockSize();
        int[] s = it.sharedInts(%1$d);
        short[] h = it.sharedShorts(%1$d);
        long[] c = it.sharedLongs(8);
        byte[] few = it.sharedBytes(8);
        short[] more = it.sharedShorts(8);
        int[] own = new int[4];
        int v = x.get(g);
        %2$s
        it.barrier();
        x.set(g, v + own[1]);
        y.set(g, (short) (v >> 3));
        z.set(g, (byte) v);
      }

      public static KernelBody body(int n) {
        KernelBody.Of4<I32, I16, I8, I64> body =
            (Item it, I32 x, I16 y, I8 z, I64 sums) -> run(it, x, y, z, sums, n);
        return body;
      }
    }
    """
        .formatted(items, steps);
  }

  private static String step(Random random) {
    int k = 1 + random.nextInt(9);
    return switch (random.nextInt(12)) {
      case 10 -> {
        String bound =
            List.of("" + k, "n", "size - " + k, "-1", "2147483647", "t0").get(random.nextInt(6));
        String sides = random.nextBoolean() ? "me %s " + bound : bound + " %s me";
        String condition = sides.formatted(List.of("<", "<=", ">", ">=").get(random.nextInt(4)));
        yield """
        it.barrier();
        s[me] = v;
        it.barrier();
        int t0 = s[0] & 31;
        int w%1$d;
        if (%2$s) { w%1$d = s[me] * 3; } else { w%1$d = z.get(g) ^ 5; }
        int left%1$d = me >= %1$d ? s[me - %1$d] : 1;
        it.barrier();
        if (me < size - %1$d) { s[me + %1$d] = left%1$d - w%1$d; }
        it.barrier();
        v ^= s[me];
        """
            .formatted(k, condition);
      }
      case 0 ->
          "it.barrier(); s[me] = v; it.barrier(); v += s[(me + %d) %% size] ^ s[0];\n".formatted(k);
      case 1 -> "it.barrier(); h[me] = (short) v; it.barrier(); v -= h[size - 1 - me];\n";
      case 2 ->
          """
          it.barrier();
          for (int b = me; b < 8; b += size) { c[b] = b; }
          it.barrier();
          it.atomicAdd(c, v & 7, (long) v * %1$d);
          it.barrier();
          v ^= (int) c[%1$d & 7];
          """
              .formatted(k);
      case 3 -> "it.atomicAdd(sums, v & 15, v | %dL);\n".formatted(k);
      case 4 -> "v += it.shuffle(v, (it.lane() + %d) %% it.subgroupSize());\n".formatted(k);
      case 5 -> "v ^= it.ballot((v & %d) == 0) + Subgroup.max(it, v);\n".formatted(k);
      case 6 ->
          """
          Rule rule = v > 0 ? Rule.ADD : Rule.values()[(v & 0xff) %% 3];
          if (rule == Rule.MIX) { rule = Rule.TURN; }
          v = rule.apply(v) + rule.weight + %d;
          """
              .formatted(k);
      case 7 ->
          """
          IntUnaryOperator f = w -> w * %d + TABLE[w & 7];
          own[v & 3] += f.applyAsInt(v);
          v ^= own[(v >> 2) & 3];
          """
              .formatted(k);
      case 8, 9 ->
          """
          it.barrier();
          for (int b = me; b < 8; b += size) { few[b] = (byte) b; more[b] = (short) -b; }
          it.barrier();
          it.atomic%2$s(few, v & 7, (byte) (v * %1$d));
          it.atomic%3$s(more, v >> 3 & 7, (short) (v * %1$d));
          it.barrier();
          v ^= few[%1$d & 7] + more[v & 7];
          """
              .formatted(k, OPERATIONS.get(random.nextInt(5)), OPERATIONS.get(random.nextInt(5)));
      default ->
          """
          if ((v & %d) == 0) { v += y.get(g) * (int) it.global(0); } else { v -= z.get(g); }
          """
              .formatted(k);
    };
  }
}
