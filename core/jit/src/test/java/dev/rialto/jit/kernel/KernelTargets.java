package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.Probe;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Runs a kernel as plain Java and on every target that is here, and compares every bit. */
public final class KernelTargets {
  private static final long MOST_THREADS = 5_000;

  private KernelTargets() {}

  /**
   * The targets for the host's cores that can be used here; {@code -Drialto.targets=jvm,cc} names
   * some of them.
   */
  public static List<String> host() {
    String wanted = System.getProperty("rialto.targets", "");
    if (!wanted.isEmpty()) {
      return List.of(wanted.split(","));
    }
    List<String> names = new ArrayList<>();
    for (CodeTarget target : JitBackend.targets().values()) {
      if (target.probe() instanceof Probe.Available && target.devices().isEmpty()) {
        names.add(target.name());
      }
    }
    return names;
  }

  /** The devices besides the host's cores whose code some target makes. */
  public static List<String> devices() {
    List<String> names = new ArrayList<>();
    for (CodeTarget target : JitBackend.targets().values()) {
      target.devices().forEach(device -> names.add(device.name()));
    }
    return names;
  }

  /** The targets of the host and the other devices, by name. */
  public static Stream<String> all() {
    return Stream.concat(host().stream(), devices().stream());
  }

  /** Returns the C that a target reads, also one that cannot be used here. */
  public static Dialect dialect(String name) {
    return ServiceLoader.load(CodeTarget.class).stream()
        .map(ServiceLoader.Provider::get)
        .filter(target -> target.name().equals(name))
        .findFirst()
        .flatMap(CodeTarget::dialect)
        .orElseThrow();
  }

  /** Returns settings for one of them. */
  public static JavaKernels on(String name) {
    return name.contains(":")
        ? JavaKernels.on(Devices.open(name))
        : JavaKernels.on(Devices.open("cpu:0")).withTarget(name);
  }

  /** Compares all of them; arguments are arrays of Java's and numbers. */
  static void compare(KernelBody body, int blockSize, long items, Object... arguments) {
    compare(body, Shape.of(blockSize), Shape.of(items), arguments);
  }

  /** Compares all of them over several axes. */
  static void compare(KernelBody body, Shape block, Shape items, Object... arguments) {
    compare(all().toList(), body, block, items, arguments);
  }

  /** Compares some of them. */
  static void compare(
      List<String> targets, KernelBody body, Shape block, Shape items, Object... arguments) {
    long[] extents = LongStream.range(0, block.rank()).map(a -> block.extent((int) a)).toArray();
    List<MemorySegment> expected = plain(body, block, items, arguments);
    for (String name : targets) {
      check(name, on(name).withBlock(extents), body, items, expected, arguments);
    }
    if (items.count() <= MOST_THREADS) {
      Lifted lifted = Lifter.lift("kernel", block, body);
      Procedure wide = lifted.forDevice(false);
      checkThreads("threads", wide, false, lifted, block, items, expected, arguments);
      Procedure narrow = lifted.forDevice(true);
      checkThreads("narrow places", narrow, false, lifted, block, items, expected, arguments);
      lifted
          .forGroups(true)
          .ifPresent(
              p -> checkThreads("groups", p, true, lifted, block, items, expected, arguments));
    }
  }

  /** Compares the form for a GPU, which is walked through where there is none. */
  private static void checkThreads(
      String where,
      Procedure form,
      boolean isGroup,
      Lifted lifted,
      Shape block,
      Shape items,
      List<MemorySegment> expected,
      Object... arguments) {
    List<MemorySegment> memory = new ArrayList<>();
    for (Object argument : arguments) {
      if (argument.getClass().isArray()) {
        memory.add(copy(argument));
      }
    }
    DeviceThreads.run(lifted, form, isGroup, block, items, memory, arguments);
    int array = 0;
    for (Object argument : arguments) {
      if (argument.getClass().isArray()) {
        same(where, array, argument, expected.get(array), memory.get(array));
        array++;
      }
    }
  }

  private static MemorySegment copy(Object array) {
    MemorySegment from =
        switch (array) {
          case double[] a -> MemorySegment.ofArray(a);
          case float[] a -> MemorySegment.ofArray(a);
          case long[] a -> MemorySegment.ofArray(a);
          case int[] a -> MemorySegment.ofArray(a);
          case short[] a -> MemorySegment.ofArray(a);
          case byte[] a -> MemorySegment.ofArray(a);
          default -> throw new IllegalArgumentException("no array: " + array);
        };
    MemorySegment to = MemorySegment.ofArray(new long[Math.toIntExact((from.byteSize() + 7) / 8)]);
    MemorySegment.copy(from, 0, to, 0, from.byteSize());
    return to.asSlice(0, from.byteSize());
  }

  private static Object shorts(Lifted.Argument type, MemorySegment memory) {
    return switch (type) {
      case F16 -> F16.of(memory);
      case BF16 -> BF16.of(memory);
      default -> I16.of(memory);
    };
  }

  private static List<MemorySegment> plain(
      KernelBody body, Shape block, Shape items, Object... arguments) {
    List<MemorySegment> memory = new ArrayList<>();
    Object[] passed = new Object[arguments.length];
    for (int i = 0; i < passed.length; i++) {
      passed[i] = arguments[i];
      if (arguments[i].getClass().isArray()) {
        MemorySegment own = copy(arguments[i]);
        memory.add(own);
        passed[i] =
            switch (arguments[i]) {
              case double[] _ -> F64.of(own);
              case float[] _ -> F32.of(own);
              case long[] _ -> I64.of(own);
              case int[] _ -> I32.of(own);
              case short[] _ -> shorts(Lifter.lift("plain", block, body).arguments().get(i), own);
              default -> I8.of(own);
            };
      }
    }
    PlainRun.of(body, block, items, passed);
    return memory;
  }

  private static void check(
      String where,
      JavaKernels kernels,
      KernelBody body,
      Shape items,
      List<MemorySegment> expected,
      Object... arguments) {
    ComputeClient client = kernels.client();
    List<Buffer> buffers = new ArrayList<>();
    try (JavaKernel kernel = kernels.compile(body)) {
      Object[] passed = new Object[arguments.length];
      for (int i = 0; i < passed.length; i++) {
        passed[i] = arguments[i];
        if (arguments[i].getClass().isArray()) {
          buffers.add(client.create(copy(arguments[i])));
          passed[i] = buffers.getLast();
        }
      }
      kernel.launch(items, passed);
      int array = 0;
      for (Object argument : arguments) {
        if (argument.getClass().isArray()) {
          same(where, array, argument, expected.get(array), client.read(buffers.get(array)));
          array++;
        }
      }
    } finally {
      buffers.forEach(Buffer::close);
    }
  }

  /** Compares bits; of NaN there is one. */
  private static void same(
      String where, int number, Object type, MemorySegment expected, MemorySegment actual) {
    String what = "array " + number + " on " + where;
    switch (type) {
      case double[] _ ->
          assertThat(actual.toArray(ValueLayout.JAVA_DOUBLE))
              .as(what)
              .isEqualTo(expected.toArray(ValueLayout.JAVA_DOUBLE));
      case float[] _ ->
          assertThat(actual.toArray(ValueLayout.JAVA_FLOAT))
              .as(what)
              .isEqualTo(expected.toArray(ValueLayout.JAVA_FLOAT));
      default ->
          assertThat(actual.toArray(ValueLayout.JAVA_BYTE))
              .as(what)
              .isEqualTo(expected.toArray(ValueLayout.JAVA_BYTE));
    }
  }
}
