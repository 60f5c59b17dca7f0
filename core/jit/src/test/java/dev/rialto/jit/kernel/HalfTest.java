package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Arrays of 16-bit numbers, on every target against the method as the JVM runs it. */
@Tag("gpu")
class HalfTest {
  private static final int ALL = 1 << 16;

  static Stream<String> targets() {
    return KernelTargets.all();
  }

  private static final KernelBody.Of3<F32, F16, BF16> READ =
      (Item it, F32 out, F16 halves, BF16 uppers) -> {
        long i = it.global();
        out.set(2 * i, halves.get(i));
        out.set(2 * i + 1, uppers.get(i));
      };

  private static final KernelBody.Of4<F16, BF16, I16, F32> WRITTEN =
      (Item it, F16 halves, BF16 uppers, I16 shorts, F32 x) -> {
        long i = it.global();
        halves.set(i, x.get(i));
        uppers.set(i, x.get(i));
        shorts.set(i, (short) (shorts.get(i) * 3 + halves.length()));
      };

  private static short[] bits() {
    short[] bits = new short[ALL];
    for (int i = 0; i < ALL; i++) {
      bits[i] = (short) i;
    }
    return bits;
  }

  @ParameterizedTest
  @MethodSource("targets")
  void everyNumberIsRead(String target) {
    float[] expected = new float[2 * ALL];
    PlainRun.of(READ, 256, ALL, F32.of(expected), F16.of(bits()), BF16.of(bits()));
    assertThat(expected[2 * 0x3c00]).isEqualTo(1);
    assertThat(expected[2 * 0x3f80 + 1]).isEqualTo(1);
    JavaKernels kernels = KernelTargets.on(target);
    ComputeClient client = kernels.client();
    try (JavaKernel kernel = kernels.kernel(READ);
        Buffer out = client.empty(2L * ALL * Float.BYTES);
        Buffer in = client.create(MemorySegment.ofArray(bits()))) {
      kernel.launch(ALL, out, in, in);
      // Arrays of floats are equal if their numbers are, and NaN is one number.
      assertThat(client.read(out).toArray(ValueLayout.JAVA_FLOAT)).isEqualTo(expected);
    }
  }

  private static float[] numbers() {
    Random random = new Random(16);
    float[] numbers = new float[5_000];
    for (int i = 0; i < numbers.length; i++) {
      float number = Float.intBitsToFloat(random.nextInt());
      boolean near = i % 2 == 0 || Float.isNaN(number);
      numbers[i] = near ? Float.float16ToFloat((short) random.nextInt(0x7c00)) : number;
      numbers[i] = i % 4 == 0 ? numbers[i] + Math.ulp(numbers[i]) * (1 << 12) : numbers[i];
    }
    numbers[0] = Float.POSITIVE_INFINITY;
    numbers[1] = -0.0f;
    numbers[2] = 65520;
    numbers[3] = 0x1p-25f;
    return numbers;
  }

  @ParameterizedTest
  @MethodSource("targets")
  void numbersAreRoundedToTheNearest(String target) {
    float[] numbers = numbers();
    int n = numbers.length;
    short[] halves = new short[n];
    short[] uppers = new short[n];
    short[] shorts = bits();
    PlainRun.of(
        WRITTEN, 64, n, F16.of(halves), BF16.of(uppers), I16.of(shorts), F32.of(numbers.clone()));
    assertThat(halves[2]).isEqualTo((short) 0x7c00);
    JavaKernels kernels = KernelTargets.on(target);
    ComputeClient client = kernels.client();
    try (JavaKernel kernel = kernels.kernel(WRITTEN);
        Buffer h = client.empty(2L * n);
        Buffer u = client.empty(2L * n);
        Buffer s = client.create(MemorySegment.ofArray(bits()));
        Buffer x = client.create(MemorySegment.ofArray(numbers))) {
      kernel.launch(n, h, u, s, x);
      assertThat(client.read(h).toArray(ValueLayout.JAVA_SHORT)).containsExactly(halves);
      assertThat(client.read(u).toArray(ValueLayout.JAVA_SHORT)).containsExactly(uppers);
      assertThat(client.read(s).toArray(ValueLayout.JAVA_SHORT)).containsExactly(shorts);
    }
  }
}
