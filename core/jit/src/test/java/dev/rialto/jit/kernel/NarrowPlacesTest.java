package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.spi.data.Shape;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Places of 32 bits, where longs stay what they are. */
@Tag("gpu")
final class NarrowPlacesTest {
  private static void stencil(Item it, F32 b, F32 a, int n) {
    long at = ((it.global(0) + 1) * n + it.global(1) + 1) * n + it.global(2) + 1;
    float inPlane = a.get(at - 1) + a.get(at + 1) + a.get(at - n) + a.get(at + n);
    b.set(at, inPlane + a.get(at - (long) n * n) + a.get(at + (long) n * n));
  }

  @Test
  void aStencilOverBlocksWithEndsIsTheSame() {
    KernelBody.Of3<F32, F32, Integer> body =
        (Item it, F32 b, F32 a, Integer n) -> stencil(it, b, a, n);
    float[] a = new float[10 * 10 * 10];
    for (int i = 0; i < a.length; i++) {
      a[i] = i * 0.37f;
    }
    KernelTargets.compare(body, Shape.of(2, 3, 4), Shape.of(8, 8, 8), new float[a.length], a, 10);
  }

  @Test
  void theTextForGpusHasNoLongDivisionAndNoMemoryForNumbers() {
    KernelBody.Of2<F32, F32> body = (Item it, F32 b, F32 a) -> stencil(it, b, a, 512);
    Lifted lifted = Lifter.lift("kernel", Shape.of(1, 4, 64), body);
    String text = CPrinter.print(KernelTargets.dialect("cuda"), List.of(lifted.forDevice(true)));
    String kernel = text.substring(text.indexOf("__global__"));
    assertThat(kernel)
        .contains("int64_t end, int64_t numbers_0, int64_t numbers_1")
        .contains("int64_t local2 = (int64_t)((int32_t)thread % 64);")
        .doesNotContain("numbers_[")
        .doesNotContain("/ (int32_t)count")
        .doesNotContain("/ 64LL");
    assertThat(kernel).contains("(int32_t)v2 - (uint64_t)512LL");
  }

  @Test
  void longsThatAreNoPlacesStayLongs() {
    KernelBody.Of2<I64, I64> body =
        (Item it, I64 out, I64 x) -> {
          long i = it.global();
          long far = i * 4_000_000_000L;
          long mixed = x.get((far + 7) % x.length()) ^ (far >>> 3);
          boolean beyond = far > Integer.MAX_VALUE;
          out.set(i, beyond ? mixed - far : i * i * i * i * i * i * i);
          out.set(i, out.get(i) + (it.globalSize() << 31) + (long) ((double) far * 0.5));
        };
    long[] x = LongStream.range(0, 100).map(i -> i * 0x9e3779b97f4a7c15L).toArray();
    KernelTargets.compare(body, 32, 75, new long[75], x);
  }

  @Test
  void offsetsOfPartsBeyondIntsAreExact() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 out, I32 x) -> {
          long up = it.global() * 5_000_000_000L;
          long down = 5_000_000_000L * it.global() - it.global();
          out.set(up - down, x.get(up - down + 1) - x.get(x.length() - 1 - (up - down)));
        };
    int[] x = new int[65];
    for (int i = 0; i < x.length; i++) {
      x[i] = i * i;
    }
    KernelTargets.compare(body, 16, 64, new int[64], x);
  }

  @Test
  void loopsThatCountInLongsAreTheSame() {
    KernelBody.Of2<I64, I32> body =
        (Item it, I64 out, I32 x) -> {
          long sum = 0;
          for (long k = it.global(); k < x.length(); k += it.globalSize()) {
            sum += x.get(k) * k;
          }
          for (long k = x.length() - 1; k >= it.local(); k -= 3) {
            sum ^= x.get(k);
          }
          out.set(it.global(), sum);
        };
    int[] x = new int[1000];
    for (int i = 0; i < x.length; i++) {
      x[i] = i * 1_000_003;
    }
    KernelTargets.compare(body, 16, 50, new long[50], x);
  }
}
