package dev.rialto.opencl;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.parts.DriverKernel;
import dev.rialto.system.DeepStack;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** One kernel of a program that is loaded on a device. */
final class OpenClKernel extends DriverKernel {
  /** Items of a group where the code does not say: enough to fill vectors. */
  static final int GROUP = 256;

  private final long program;
  private final long kernel;
  private final int group;

  /**
   * Loads a kernel.
   *
   * @param group how many items a group has
   * @throws CompilationException if the device takes no groups of that size
   */
  OpenClKernel(OpenClContext context, String name, byte[] image, int group) {
    super(name);
    this.program = ProgramFunctions.programWithBinary(context.handle(), context.device(), image);
    try {
      DeepStack.call("opencl", () -> ProgramFunctions.build(program, context.device(), ""))
          .ifPresent(
              log -> {
                throw new CompilationException(
                    "kernel " + name + " cannot be loaded: " + log, context.name(), "", null);
              });
      this.kernel = ProgramFunctions.createKernel(program, name);
    } catch (RuntimeException e) {
      ProgramFunctions.releaseProgram(program);
      throw e;
    }
    this.group = group;
    int most = ProgramFunctions.groupSize(kernel, context.device());
    if (group > most) {
      close();
      throw new CompilationException(
          "kernel %s has groups of %d items, but %s takes at most %d"
              .formatted(name, group, context.name(), most),
          context.name(),
          "use smaller blocks",
          null);
    }
  }

  @Override
  protected void unload() {
    // Launches that have gone to the driver keep the code for themselves.
    ProgramFunctions.releaseKernel(kernel);
    ProgramFunctions.releaseProgram(program);
  }

  /**
   * Adds a launch.
   *
   * @param begin the first index
   * @param end one past the last
   * @param items how many items there are for these indices, from 0
   * @param numbers what the kernel takes behind the range
   */
  void launch(
      long begin, long end, long items, List<MemorySegment> buffers, long[] numbers, long queue) {
    try (Arena arena = Arena.ofConfined()) {
      List<Argument> arguments = new ArrayList<>();
      buffers.forEach(buffer -> arguments.add(new Argument.Pointer(buffer.address())));
      arguments.add(new Argument.Value(arena.allocateFrom(JAVA_LONG, begin)));
      arguments.add(new Argument.Value(arena.allocateFrom(JAVA_LONG, end)));
      for (long number : numbers) {
        arguments.add(new Argument.Value(arena.allocateFrom(JAVA_LONG, number)));
      }
      launchWith(items, arguments, queue);
    }
  }

  /** Adds a launch with an item for each of so many elements, and arguments of any kind. */
  void launchWith(long items, List<Argument> arguments, long queue) {
    if (items == 0) {
      return;
    }
    // The arguments are the kernel's own until the launch has taken them.
    synchronized (this) {
      for (int i = 0; i < arguments.size(); i++) {
        switch (arguments.get(i)) {
          case Argument.Pointer(long address) -> ProgramFunctions.setPointer(kernel, i, address);
          case Argument.Value(MemorySegment bytes) -> ProgramFunctions.setValue(kernel, i, bytes);
        }
      }
      ProgramFunctions.launch(queue, kernel, (items - 1) / group + 1, group, name);
    }
    QueueFunctions.flush(queue);
  }

  /** An argument of a kernel. */
  sealed interface Argument {
    /** Memory of the device. */
    record Pointer(long address) implements Argument {}

    /** Bytes that are copied. */
    record Value(MemorySegment bytes) implements Argument {}
  }
}
