package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import dev.rialto.spi.data.DType;
import java.util.Arrays;
import java.util.List;

/**
 * Statistics of the elements of a node. Numbers that are not finite are counted and leave the
 * others alone; a complex number is two.
 *
 * @param node the node
 * @param count how many numbers there are
 * @param nans how many are NaN
 * @param infinities how many are infinite
 * @param least the least finite one; NaN if there is none
 * @param greatest the greatest finite one; NaN if there is none
 * @param mean of the finite ones; NaN if there is none
 * @param deviation the standard deviation of the finite ones; NaN if there is none
 * @param firstValues the first numbers, at most eight
 */
public record NodeStatistics(
    Node node,
    long count,
    long nans,
    long infinities,
    double least,
    double greatest,
    double mean,
    double deviation,
    List<Double> firstValues) {
  private static final int SHOWN = 8;

  /** Copies the first values. */
  public NodeStatistics {
    firstValues = List.copyOf(firstValues);
  }

  static NodeStatistics of(Node node, double[] values) {
    double[] finite = Arrays.stream(values).filter(Double::isFinite).toArray();
    double mean = Arrays.stream(finite).average().orElse(Double.NaN);
    double squares =
        Arrays.stream(finite).map(x -> (x - mean) * (x - mean)).average().orElse(Double.NaN);
    return new NodeStatistics(
        node,
        values.length,
        Arrays.stream(values).filter(Double::isNaN).count(),
        Arrays.stream(values).filter(Double::isInfinite).count(),
        Arrays.stream(finite).min().orElse(Double.NaN),
        Arrays.stream(finite).max().orElse(Double.NaN),
        mean,
        Math.sqrt(squares),
        Arrays.stream(values).limit(SHOWN).boxed().toList());
  }

  /** Returns the place of the first number that is not finite, or -1 if all are. */
  static int firstWrong(double[] values) {
    for (int i = 0; i < values.length; i++) {
      if (!Double.isFinite(values[i])) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the indices of an element, such as {@code [3, 4]}. */
  static String index(Node node, long number) {
    long element = node.type().kind() == DType.Kind.COMPLEX ? number / 2 : number;
    long[] index = new long[node.shape().rank()];
    for (int axis = 0; axis < index.length; axis++) {
      index[axis] = element / node.stride(axis) % node.shape().extent(axis);
    }
    return Arrays.toString(index);
  }

  @Override
  public String toString() {
    return "node %s of %s %s: %d NaN, %d infinite, from %s to %s, mean %s, deviation %s; %s%s"
        .formatted(
            node,
            node.type(),
            node.shape(),
            nans,
            infinities,
            least,
            greatest,
            mean,
            deviation,
            firstValues,
            count > firstValues.size() ? " …" : "");
  }
}
