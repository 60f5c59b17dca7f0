package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Op;
import dev.rialto.jit.TensorExpression;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Index maps of every kind over 0, 1, 2, …: permutations, sums, products, {@code ...}, fixed
 * positions. Axes of matrices are batch, output, input. Each is compared with loops over the names.
 */
@Tag("gpu")
class EinsumTablesTest {
  private static final long[] ROWS = {2, 4, 3};
  private static final long[] PAIRS = {2, 3, 6, 7, 4, 5};

  /**
   * A map with its operands' shapes.
   *
   * @param spec the map
   * @param spelled the same with each {@code ...} written out
   * @param shapes one per operand
   */
  private record Row(String spec, String spelled, List<long[]> shapes) {}

  private static Row row(String spec, long[]... shapes) {
    return spelled(spec, spec, shapes);
  }

  private static Row spelled(String spec, String spelled, long[]... shapes) {
    return new Row(spec, spelled, List.of(shapes));
  }

  private static long[] shape(long... extents) {
    return extents;
  }

  private static final List<Row> TABLE =
      List.of(
          row("b o i -> o i b", ROWS),
          row("a b e f c d -> c f d b a e", PAIRS),
          row("b o i -> b i", ROWS),
          row("a b e f c d -> c d a", PAIRS),
          row("i, j -> j i", shape(2), shape(3)),
          row("i k j, l n m -> i l k n j m", ROWS, shape(5, 7, 6)),
          row("b o i, b o i -> b o i", ROWS, ROWS),
          row("b o h, b h i -> b o i", shape(2, 5, 4), ROWS),
          row("a h i, b o h -> a b o i", ROWS, shape(2, 5, 4)),
          row("b h i, b o h -> o i", ROWS, shape(2, 5, 4)),
          row("a h i, b o h -> o i", ROWS, shape(2, 5, 4)),
          spelled("... o i -> ... i o", "b o i -> b i o", ROWS),
          spelled("b o ... -> o b ...", "b o i -> o b i", ROWS),
          row("p b q o r i -> p i q b r o", PAIRS),
          row("p b q o r i -> i b o", PAIRS),
          spelled("... o i -> o", "b o i -> o", ROWS),
          spelled("... o -> o", "p o -> o", shape(3, 4)),
          spelled("... o i -> ... i o", "p o i -> p i o", shape(3, 4, 2)),
          spelled(
              "... o i, ... i z -> ... i", "b o i, b i z -> b i", shape(3, 2, 4), shape(3, 4, 1)),
          spelled("... i, ... j -> ... i j", "o i, o j -> o i j", shape(3, 2), shape(3, 4)),
          spelled("... 1 -> ...", "b o 1 -> b o", ROWS),
          row("b o i -> b 0 i", ROWS),
          spelled("... -> 0", "o i -> 0", shape(3, 2)),
          row("j i -> i 0 j", shape(3, 2)),
          spelled(
              "... 1 i, ... i z -> ... i", "b 1 i, b i z -> b i", shape(3, 2, 4), shape(3, 4, 1)),
          spelled(
              "b 1 i, b i j ... -> b i j",
              "b 1 i, b i j r -> b i j",
              shape(3, 2, 4),
              shape(3, 4, 2, 3)),
          spelled(
              "1 i, 0 i j ... -> j i ...",
              "1 i, 0 i j r s -> j i r s",
              shape(2, 2),
              shape(2, 2, 3, 4, 2)),
          row("i i -> i", shape(3, 3)),
          row("i i -> ", shape(3, 3)),
          row("i -> i i", shape(3)),
          row("i j -> i j i", shape(3, 4)),
          row("i -> i 1", shape(2)));

  static Stream<String> machines() {
    return Machines.all();
  }

  private static List<Golden> table() {
    List<Golden> cases = new ArrayList<>();
    for (int i = 0; i < TABLE.size(); i++) {
      Row row = TABLE.get(i);
      TensorExpression first = TensorExpression.range("a", DType.F32, row.shapes().get(0));
      TensorExpression[] others =
          row.shapes().size() == 1
              ? new TensorExpression[0]
              : new TensorExpression[] {
                TensorExpression.range("b", DType.F32, row.shapes().get(1))
              };
      cases.add(Golden.of("row" + i, first.einsum("result", row.spec(), others), reference(row)));
    }
    return cases;
  }

  /** Loops over all names, and nothing else. */
  private static double[] reference(Row row) {
    String[] sides = (row.spelled() + " ").split(" -> ", -1);
    String[] operands = sides[0].split(", ", -1);
    Map<String, Long> extents = new LinkedHashMap<>();
    for (int o = 0; o < operands.length; o++) {
      String[] names = operands[o].split(" ", -1);
      for (int axis = 0; axis < names.length; axis++) {
        extents.put(names[axis], row.shapes().get(o)[axis]);
      }
    }
    String[] result = sides[1].isBlank() ? new String[0] : sides[1].strip().split(" ", -1);
    long size = 1;
    for (String name : result) {
      size *= isFixed(name) ? Long.parseLong(name) + 1 : extents.get(name);
    }
    double[] sums = new double[(int) size];
    List<String> names = extents.keySet().stream().filter(n -> !isFixed(n)).toList();
    long points = names.stream().mapToLong(extents::get).reduce(1, (x, y) -> x * y);
    for (long point = 0; point < points; point++) {
      Map<String, Long> at = new LinkedHashMap<>();
      long rest = point;
      for (String name : names) {
        at.put(name, rest % extents.get(name));
        rest /= extents.get(name);
      }
      double product = 1;
      for (int o = 0; o < operands.length; o++) {
        product *= offset(operands[o].split(" ", -1), at, row.shapes().get(o));
      }
      long[] shape = new long[result.length];
      for (int axis = 0; axis < shape.length; axis++) {
        String name = result[axis];
        shape[axis] = isFixed(name) ? Long.parseLong(name) + 1 : extents.get(name);
      }
      sums[(int) offset(result, at, shape)] += product;
    }
    return sums;
  }

  private static boolean isFixed(String name) {
    return Character.isDigit(name.charAt(0));
  }

  private static long offset(String[] names, Map<String, Long> at, long[] shape) {
    long offset = 0;
    for (int axis = 0; axis < names.length; axis++) {
      String name = names[axis];
      offset = offset * shape[axis] + (isFixed(name) ? Long.parseLong(name) : at.get(name));
    }
    return offset;
  }

  @Test
  void theReferenceKnowsTheTablesByHeart() {
    assertThat(reference(row("b o i -> b i", ROWS))).containsExactly(18, 22, 26, 66, 70, 74);
    assertThat(reference(row("b o i -> o i b", ROWS))).startsWith(0, 12, 1, 13, 2, 14, 3, 15);
    assertThat(reference(row("a b e f c d -> c d a", PAIRS))).startsWith(157500, 475020);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void everyMap(String machine) {
    Golden.check(machine, table());
  }

  /** Places along three axes become one array of coordinates, by sums instead of products. */
  @ParameterizedTest
  @MethodSource("machines")
  void sumsOverBroadcastsStandInForConcatenation(String machine) {
    List<Double> expected = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      for (int j = 0; j < 3; j++) {
        for (int k = 0; k < 4; k++) {
          expected.addAll(List.of((double) i, (double) j, (double) k));
        }
      }
    }
    String text =
        """
        node ti f32[2, 3]
        node tj f32[3, 3]
        node tk f32[4, 3]
        ti[i, 0] = index(i)
        tj[j, 1] = index(j)
        tk[k, 2] = index(k)
        places[i, j, k, l] = ti[i, l] + tj[j, l] + tk[k, l]
        """;
    TensorExpression ones = TensorExpression.constant("ones", DType.F32, 1, 2, 3);
    TensorExpression iota = TensorExpression.range("iota", DType.F32, 4, 3);
    Golden.check(
        machine,
        List.of(
            Golden.of(
                "places",
                text,
                Map.of(),
                expected.stream().mapToDouble(Double::doubleValue).toArray()),
            Golden.of(
                "sums",
                ones.einsum("sums", "i l, k l -> i k", Accum.SUM, Op.ADD, iota),
                6,
                15,
                24,
                33,
                6,
                15,
                24,
                33)));
  }
}
