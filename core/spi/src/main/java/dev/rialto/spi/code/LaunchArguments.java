package dev.rialto.spi.code;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** The buffers of a launch on a device, apart from those that are passed by value. */
public final class LaunchArguments {
  private final List<MemorySegment> memory;
  private final long[] numbers;

  private LaunchArguments(List<MemorySegment> memory, long[] numbers) {
    this.memory = List.copyOf(memory);
    this.numbers = numbers;
  }

  /**
   * Takes the buffers of a procedure apart.
   *
   * @param buffers one segment per parameter
   * @throws IllegalArgumentException if there are more or fewer, or more or fewer numbers than one
   *     that is passed by value has
   */
  public static LaunchArguments of(Procedure procedure, List<MemorySegment> buffers) {
    if (buffers.size() != procedure.parameters().size()) {
      throw new IllegalArgumentException(
          "procedure "
              + procedure.name()
              + " takes "
              + procedure.parameters().size()
              + " buffers, but "
              + buffers.size()
              + " were given");
    }
    List<MemorySegment> memory = new ArrayList<>();
    LongStream numbers = LongStream.empty();
    for (int i = 0; i < buffers.size(); i++) {
      Buffer parameter = procedure.parameters().get(i);
      if (!parameter.byValue()) {
        memory.add(buffers.get(i));
        continue;
      }
      long[] values = buffers.get(i).toArray(ValueLayout.JAVA_LONG);
      if (values.length != parameter.elements()) {
        throw new IllegalArgumentException(
            "procedure %s takes %d numbers for %s, but %d were given"
                .formatted(
                    procedure.name(), parameter.elements(), parameter.name(), values.length));
      }
      numbers = LongStream.concat(numbers, LongStream.of(values));
    }
    return new LaunchArguments(memory, numbers.toArray());
  }

  /** Returns the memory that is passed, in order. */
  public List<MemorySegment> memory() {
    return memory;
  }

  /** Returns the numbers that are passed, in order; not to be changed. */
  public long[] numbers() {
    return numbers;
  }
}
