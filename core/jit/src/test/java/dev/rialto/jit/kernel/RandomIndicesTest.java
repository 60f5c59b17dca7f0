package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.lift.GuardedSites;
import dev.rialto.jit.lift.LiftOptions;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lift.range.IndexProof;
import dev.rialto.spi.data.Shape;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Random methods: an index that goes wrong in plain Java keeps its guard. */
class RandomIndicesTest {
  private static final int METHODS = 40;

  /** Lines of accesses that were guarded, and those that went wrong. */
  private record Found(int sites, int guarded, int wrong) {}

  @Test
  void noGuardIsLeftOutThatIsNeeded() throws ReflectiveOperationException {
    int sites = 0;
    int guarded = 0;
    int wrong = 0;
    for (long seed = 0; seed < 10 * METHODS; seed += METHODS) {
      Found found = check(seed);
      sites += found.sites();
      guarded += found.guarded();
      wrong += found.wrong();
    }
    assertThat(wrong).as("indices that went wrong").isGreaterThan(sites / 10);
    assertThat(sites - guarded).as("guards left out of %s", sites).isGreaterThan(sites / 4);
  }

  private static Found check(long seed) throws ReflectiveOperationException {
    List<String> text = new ArrayList<>();
    text.add("import dev.rialto.jit.kernel.*;");
    text.add("import java.util.*;");
    text.add("public class Generated {");
    for (int i = 0; i < METHODS; i++) {
      List<String> steps = RandomIndices.lines(seed + i);
      text.add("static void run" + i + "(Item it, F64 a, I32 d, int n) {");
      for (String step : steps) {
        text.add(
            step.replaceFirst("SET\\((.*)\\);", "a.set($1, 1);")
                .replace("ME", "it.global()")
                .replace("ITEMS", "it.globalSize()")
                .replace("LENGTH", "a.length()")
                .replace("DATA", "d.get(it.global())"));
      }
      int first = text.size() - steps.size() + 1;
      text.add("}");
      text.add("public static void plain" + i);
      text.add("(long me0, long items, long length, int[] d, int n, Set<Integer> wrong) {");
      for (int line = 0; line < steps.size(); line++) {
        text.add(
            steps
                .get(line)
                .replaceFirst(
                    "SET\\((.*)\\);",
                    "{ long at = $1; if (at < 0 || at >= length) wrong.add("
                        + (first + line)
                        + "); }")
                .replace("ME", "me0")
                .replace("ITEMS", "items")
                .replace("LENGTH", "length")
                .replace("DATA", "d[(int) me0]"));
      }
      text.add("}");
      text.add("public static KernelBody.Of3<F64, I32, Integer> body" + i + "() {");
      text.add("return Generated::run" + i + "; }");
    }
    text.add("}");
    Class<?> type = CompiledSource.load("Generated", String.join("\n", text), "-g");
    int[] totals = new int[3];
    for (int i = 0; i < METHODS; i++) {
      Random random = new Random(seed + i);
      int items = random.nextInt(1, 60);
      int length = random.nextInt(1, 120);
      int n = random.nextInt(-2, 70);
      int[] data = random.ints(items, -3, 90).toArray();
      data[0] = random.nextInt();
      Method plain =
          type.getMethod(
              "plain" + i, long.class, long.class, long.class, int[].class, int.class, Set.class);
      Set<Integer> wrong = new TreeSet<>();
      for (long me = 0; me < items; me++) {
        plain.invoke(null, me, (long) items, (long) length, data, n, wrong);
      }
      KernelBody body = (KernelBody) type.getMethod("body" + i).invoke(null);
      Lifted lifted =
          Lifter.lift(
              "kernel", body, new LiftOptions(Shape.of(16)).withGuarded(GuardedSites.toProve("")));
      for (Long passed : new Long[] {(long) n, null}) {
        Set<Integer> open = new TreeSet<>();
        Long[] numbers = {(long) items, (long) length, (long) items, passed};
        for (int site : IndexProof.open(lifted, numbers, false)) {
          String line = lifted.sites().get(site).line();
          open.add(Integer.parseInt(line.substring(line.indexOf(':') + 1)));
        }
        assertThat(open)
            .as("method %s of seed %s:\n%s", i, seed, RandomIndices.lines(seed + i))
            .containsAll(wrong);
        totals[0] += lifted.sites().size();
        totals[1] += open.size();
        totals[2] += wrong.size();
      }
    }
    return new Found(totals[0], totals[1], totals[2]);
  }

  /** Tries seeds from the command line: the first, and how many. */
  public static void main(String[] args) throws ReflectiveOperationException {
    long first = Long.parseLong(args[0]);
    for (long seed = first; seed < first + Long.parseLong(args[1]); seed += METHODS) {
      System.out.println(seed + " " + check(seed));
    }
  }
}
