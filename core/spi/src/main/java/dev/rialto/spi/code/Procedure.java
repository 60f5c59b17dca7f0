package dev.rialto.spi.code;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Code over a part of an index space. Parts may run in any order and at the same time.
 *
 * @param name unique in the unit; letters, digits and underscores
 * @param parameters the buffers it is given, none of them local; two may not overlap
 * @param items the size of the index space, from 0
 * @param grain the multiple that the size of a part should be, and the fewest worth a thread's
 *     while
 * @param begin the part's first index, an I64
 * @param end one past the part's last index, an I64
 * @param body the code
 */
public record Procedure(
    String name,
    List<Buffer> parameters,
    long items,
    Grain grain,
    Expr.Var begin,
    Expr.Var end,
    Stmt body) {
  /** Copies the parameters. */
  public Procedure {
    parameters = List.copyOf(parameters);
  }

  /** Returns this with another body. */
  public Procedure withBody(Stmt other) {
    return new Procedure(name, parameters, items, grain, begin, end, other);
  }

  /**
   * Tells the buffers of a launch on a device from those that are passed by value.
   *
   * @param buffers one segment per parameter
   * @throws IllegalArgumentException if there are more or fewer, or more or fewer numbers than one
   *     that is passed by value has
   */
  public Arguments arguments(List<MemorySegment> buffers) {
    requireOneEach(buffers);
    List<MemorySegment> memory = new ArrayList<>();
    LongStream numbers = LongStream.empty();
    for (int i = 0; i < buffers.size(); i++) {
      Buffer parameter = parameters.get(i);
      if (!parameter.byValue()) {
        memory.add(buffers.get(i));
        continue;
      }
      long[] values = buffers.get(i).toArray(ValueLayout.JAVA_LONG);
      if (values.length != parameter.elements()) {
        throw new IllegalArgumentException(
            "procedure %s takes %d numbers for %s, but %d were given"
                .formatted(name, parameter.elements(), parameter.name(), values.length));
      }
      numbers = LongStream.concat(numbers, LongStream.of(values));
    }
    return new Arguments(List.copyOf(memory), numbers.toArray());
  }

  void requireOneEach(List<MemorySegment> buffers) {
    if (buffers.size() != parameters.size()) {
      throw new IllegalArgumentException(
          "procedure %s takes %d buffers, but %d were given"
              .formatted(name, parameters.size(), buffers.size()));
    }
  }

  /**
   * The buffers of a launch on a device.
   *
   * @param memory the memory that is passed, in order
   * @param numbers the numbers that are passed, in order; not to be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Arguments(List<MemorySegment> memory, long[] numbers) {}

  /**
   * The best division of the index space.
   *
   * @param multiple what the size of a part should be a multiple of
   * @param atLeast the fewest indices of a part that are worth another thread
   */
  public record Grain(long multiple, long atLeast) {}
}
