package dev.rialto.opencl;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties.Use;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler.Form;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.kernel.LoweredKernel.Source;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Requirements on kernels beyond the kit: slices, strict arithmetic, times and messages. */
class OpenClKernelTest {
  private static final int COUNT = 1000;

  private static Source source(String name, DType type, String body) {
    String element = type == DType.F32 ? "float" : "long";
    return new Source(
        name,
        List.of(new Parameter("x", type, Access.READ_WRITE)),
        OpenClCompiler.LANGUAGE,
        """
        __kernel void %s(__global %s *x, long begin, long end) {
          for (long i = begin + get_global_id(0); i < end; i += get_global_size(0)) {
            %s
          }
        }
        """
            .formatted(name, element, body));
  }

  private static final Source ADD = source("add", DType.I64, "x[i] = 3 * x[i] + i;");

  private static MemorySegment read(Device device, MemorySegment from, long bytes) {
    MemorySegment result = Arena.ofAuto().allocate(bytes, 8);
    device.transfer().copy(from, result, bytes);
    return result;
  }

  @Test
  void launchesOnTwoStreamsAlternateAsTheyWaitForOneAnother() {
    Device device = OpenClTests.device();
    try (Executable add = device.compiler().compile(ADD);
        Timeline one = device.openStream(0);
        Timeline two = device.openStream(0);
        Allocation memory = device.memory().allocate(8 * COUNT)) {
      long[] expected = new long[COUNT];
      for (int round = 0; round < 30; round++) {
        Timeline now = round % 2 == 0 ? one : two;
        Timeline before = round % 2 == 0 ? two : one;
        now.waitFor(before, before.position());
        add.launch(COUNT, List.of(memory.segment()), now);
        for (int i = 0; i < COUNT; i++) {
          expected[i] = 3 * expected[i] + i;
        }
      }
      two.await();
      assertThat(read(device, memory.segment(), 8 * COUNT).toArray(JAVA_LONG)).isEqualTo(expected);
    }
  }

  /** An address inside an allocation is a buffer as good as its start. */
  @Test
  void aBufferMayStartAnywhereInAnAllocation() {
    Device device = OpenClTests.device();
    try (Executable add = device.compiler().compile(ADD);
        Timeline stream = device.openStream(0);
        Allocation memory = device.memory().allocate(8 * COUNT)) {
      MemorySegment inside = MemorySegment.ofAddress(memory.segment().address() + 8 * 7);
      add.launch(5, List.of(inside), stream);
      stream.await();
      long[] result = read(device, memory.segment(), 8 * COUNT).toArray(JAVA_LONG);
      long[] expected = new long[COUNT];
      for (int i = 0; i < 5; i++) {
        expected[7 + i] = i;
      }
      assertThat(result).isEqualTo(expected);
    }
  }

  @Test
  void theDeviceReadsHowManyItemsALaunchHas() {
    Device device = OpenClTests.device();
    for (long count : new long[] {7, -1, COUNT + 5}) {
      try (Executable add = device.compiler().compile(ADD, new Form(false, true));
          Timeline stream = device.openStream(0);
          Allocation memory = device.memory().allocate(8 * COUNT);
          Allocation counted = device.memory().allocate(8)) {
        device.transfer().copy(MemorySegment.ofArray(new long[] {count}), counted.segment(), 8);
        add.launch(COUNT - 1, List.of(memory.segment(), counted.segment()), stream);
        stream.await();
        long[] expected = new long[COUNT];
        for (int i = 0; i < Math.min(COUNT - 1, count); i++) {
          expected[i] = i;
        }
        assertThat(read(device, memory.segment(), 8 * COUNT).toArray(JAVA_LONG))
            .isEqualTo(expected);
      }
    }
  }

  @Test
  void aTypeHasAtomicStepsIfTheDeviceSaysSo() {
    OpenClDevice device = (OpenClDevice) OpenClTests.device();
    assertThat(device.properties().supports(DType.I64, Use.ATOMICS))
        .isEqualTo(device.context().has("cl_khr_int64_extended_atomics"));
  }

  @Test
  void memoryOfTheHostIsRefusedAsABuffer() {
    Device device = OpenClTests.device();
    try (Executable add = device.compiler().compile(ADD);
        Timeline stream = device.openStream(0);
        Allocation host = device.staging().allocate(80)) {
      assertThatThrownBy(() -> add.launch(10, List.of(host.segment()), stream))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("buffer x of kernel add is no open memory of opencl:0");
    }
  }

  @Test
  void productsAndSumsAreRoundedAsJavaRoundsThem() {
    Device device = OpenClTests.device();
    Source kernel = source("strict", DType.F32, "x[i] = x[i] / 3.1f + x[i] * x[i] - 1 / x[i];");
    float[] expected = new float[COUNT];
    try (Executable strict = device.compiler().compile(kernel);
        Timeline stream = device.openStream(0);
        Allocation memory = device.memory().allocate(4 * COUNT)) {
      Random random = new Random(3);
      float[] values = new float[COUNT];
      for (int i = 0; i < COUNT; i++) {
        float x = random.nextFloat();
        values[i] = x;
        expected[i] = x / 3.1f + x * x - 1 / x;
      }
      device.transfer().copy(MemorySegment.ofArray(values), memory.segment(), 4 * COUNT);
      strict.launch(COUNT, List.of(memory.segment()), stream);
      stream.await();
      assertThat(read(device, memory.segment(), 4 * COUNT).toArray(JAVA_FLOAT)).isEqualTo(expected);
    }
  }

  @Test
  void theCompilersWordsAndLinesAreTold() {
    Device device = OpenClTests.device();
    Source wrong = source("wrong", DType.F32, "x[i] = nowhere;");
    assertThatThrownBy(() -> device.compiler().compile(wrong).close())
        .isInstanceOf(CompilationException.class)
        .hasMessageContaining("kernel wrong does not compile")
        .hasMessageContaining("nowhere");
  }

  @Test
  void timesOfLaunchesFollowOneAnother() {
    Device device = OpenClTests.device();
    List<Long> times = Collections.synchronizedList(new ArrayList<>());
    try (Executable add = device.compiler().compile(ADD);
        Timeline stream = device.openStream(0);
        Allocation memory = device.memory().allocate(8 * COUNT)) {
      long before = System.nanoTime();
      stream.observe(
          new Observer() {
            @Override
            public boolean isTiming() {
              return true;
            }

            @Override
            public void ended(
                @Nullable Object label,
                long position,
                long added,
                long began,
                long ended,
                @Nullable Throwable failure) {
              times.add(began - before);
              times.add(ended - before);
            }
          });
      for (int i = 0; i < 5; i++) {
        add.launch(COUNT, List.of(memory.segment()), stream);
      }
      stream.await();
      assertThat(times).hasSize(10).isSorted();
      assertThat(times.getFirst()).isNotNegative();
    }
  }
}
