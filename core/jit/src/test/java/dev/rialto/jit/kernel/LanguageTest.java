package dev.rialto.jit.kernel;

import static dev.rialto.jit.kernel.KernelTargets.compare;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lift.VectorSupport;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.spi.data.Shape;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The Java that kernels may be written in, a construct at a time. */
@Tag("gpu")
class LanguageTest {
  enum Mode {
    SUM,
    PRODUCT,
    NONE
  }

  record Vector(double x, double y, double z) {
    Vector plus(Vector o) {
      return new Vector(x + o.x, y + o.y, z + o.z);
    }

    double dot(Vector o) {
      return x * o.x + y * o.y + z * o.z;
    }

    static Vector read(F64 a, long i) {
      return new Vector(a.get(3 * i), a.get(3 * i + 1), a.get(3 * i + 2));
    }
  }

  /** A value whose constructor computes. */
  record Range(int low, int high) {
    Range {
      if (low > high) {
        int t = low;
        low = high;
        high = t;
      }
    }
  }

  /** An object that changes, as random generators do. */
  static final class Lcg {
    private long state;

    Lcg(long seed) {
      this.state = seed;
    }

    int next() {
      state = state * 6364136223846793005L + 1442695040888963407L;
      return (int) (state >>> 33);
    }
  }

  /** Two ways to combine, one of which a kernel captures. */
  interface Combine {
    double of(double x, double y);
  }

  record Weighted(double w) implements Combine {
    @Override
    public double of(double x, double y) {
      return w * x + (1 - w) * y;
    }
  }

  private static final double SCALE = Math.sqrt(2);

  private final int shift = 3;

  private static double[] data(int n) {
    double[] x = new Random(n).doubles(n, -3, 3).toArray();
    double[] special = {
      0,
      -0.0,
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      Double.MIN_VALUE,
      Double.MAX_VALUE,
      1e10,
      -1e19,
      0.5,
      1.5,
      2.5,
      -0.5
    };
    System.arraycopy(special, 0, x, 0, Math.min(n, special.length));
    return x;
  }

  private static int[] integers(int n) {
    int[] x = new Random(n).ints(n).toArray();
    int[] special = {0, 1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 31, 32, 33, -32, 255, 256};
    System.arraycopy(special, 0, x, 0, Math.min(n, special.length));
    return x;
  }

  private static double combine(Mode mode, double x, double y) {
    return switch (mode) {
      case SUM -> x + y;
      case PRODUCT -> x * y;
      case NONE -> throw new IllegalStateException("nothing to combine");
    };
  }

  private static void twice(Item it, F64 y, double factor, int times, long offset, float more) {
    long i = it.global() + offset;
    double value = y.get(i);
    for (int k = 0; k < times; k++) {
      value *= factor;
    }
    y.set(i, value + more);
  }

  @Test
  void aMethodIsReferredToAndTakesNumbers() {
    KernelBody.Of5<F64, Double, Integer, Long, Float> body = LanguageTest::twice;
    compare(body, 32, 90, data(100), 1.25, 7, 10L, 0.1f);
  }

  @Test
  void capturedValuesAreConstants() {
    int n = 5;
    double factor = 0.1;
    float small = 1e-3f;
    boolean adds = true;
    KernelBody.Of1<F64> body =
        (Item it, F64 y) -> {
          double[] powers = new double[n];
          powers[0] = 1;
          for (int k = 1; k < n; k++) {
            powers[k] = powers[k - 1] * y.get(it.global());
          }
          double sum = 0;
          for (double p : powers) {
            sum += factor * p;
          }
          y.set(it.global(), adds ? sum + small : sum);
        };
    compare(body, 16, 50, data(50));
  }

  @Test
  void anEnumThatIsCapturedChoosesWhenTheKernelIsMade() {
    for (Mode mode : new Mode[] {Mode.SUM, Mode.PRODUCT}) {
      KernelBody.Of2<F64, F64> body =
          (Item it, F64 y, F64 x) ->
              y.set(it.global(), combine(mode, x.get(it.global()), y.get(it.global())));
      compare(body, 16, 50, data(50), data(51));
    }
  }

  @Test
  void recordsAreTakenApart() {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 out, F64 in) -> {
          Vector sum = Vector.read(in, it.global());
          for (int k = 0; k < 4; k++) {
            Vector other = new Vector(k, -k, 0.5 * k);
            sum = sum.dot(other) > 0 ? sum.plus(other) : other.plus(sum).plus(sum);
          }
          Vector last = sum;
          out.set(it.global(), last.dot(sum) + last.z());
        };
    compare(body, 8, 30, new double[30], data(90));
  }

  @Test
  void constructorsCompute() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 out, I32 in) -> {
          Range range = new Range(in.get(it.global()), 100 - in.get(it.global()));
          out.set(it.global(), range.high() - range.low());
        };
    compare(body, 8, 40, new int[40], integers(40));
  }

  @Test
  void anObjectIsOneWhileItsArgumentsBranch() {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 out, F64 in) -> {
          double x = in.get(it.global());
          Vector v = new Vector(x > 0 ? x : -x, x > 1 ? 1 : 2, 3);
          v = v.plus(new Vector(x < 0 ? x : 0.5, x, x));
          out.set(it.global(), v.x() + 10 * v.y() + 100 * v.z());
        };
    compare(body, 8, 30, new double[30], data(30));
  }

  @Test
  void objectsThatChangeAreVariables() {
    KernelBody.Of1<I32> body =
        (Item it, I32 out) -> {
          Lcg random = new Lcg(it.global());
          int sum = 0;
          for (int k = 0; k < 10; k++) {
            sum += random.next() - random.next() * 3;
          }
          out.set(it.global(), sum);
        };
    compare(body, 8, 40, new int[40]);
  }

  @Test
  void methodsOfCapturedObjectsAreCalled() {
    Combine combine = new Weighted(0.3);
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 y, F64 x) ->
            y.set(it.global(), SCALE * combine.of(x.get(it.global()), y.get(it.global())));
    compare(body, 8, 40, data(40), data(41));
  }

  @Test
  void finalFieldsOfTheEnclosingObjectAreConstants() {
    KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(it.global(), x.get(it.global()) << shift);
    compare(body, 8, 40, integers(40));
  }

  @Test
  void castsSaturate() {
    KernelBody.Of4<F64, I32, I64, F32> body =
        (Item it, F64 x, I32 i, I64 l, F32 f) -> {
          long at = it.global();
          double value = x.get(at);
          i.set(at, (int) value);
          l.set(at, (long) value);
          f.set(at, (float) value);
          if (at > 20) {
            i.set(at, (int) (float) value + (byte) value + (short) (value * 1e5) + (char) value);
            l.set(at, (long) (float) (value * 1e18));
          }
        };
    compare(body, 8, 60, data(60), new int[60], new long[60], new float[60]);
  }

  @Test
  void integersWrapShiftAndDivideAsJavaDoes() {
    KernelBody.Of3<I32, I32, I64> body =
        (Item it, I32 x, I32 y, I64 z) -> {
          long i = it.global();
          int a = x.get(i);
          int b = x.get((i * 7) % x.length());
          y.set(i, a * b + (a << b) - (a >> b) ^ (a >>> b) + (b == 0 ? 0 : a / b + a % b));
          long c = (long) a << 20 ^ b;
          long d = ~c >>> 3;
          z.set(i, c * d + (c << a) - (c >> b) ^ (c >>> a) + (d == 0 ? 0 : c / d + c % d));
        };
    compare(body, 16, 60, integers(60), new int[60], new long[60]);
  }

  @Test
  void aQuotientByZeroIsZero() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 q, I32 x) -> q.set(it.global(), x.get(it.global()) / x.get(0));
    try (var kernel =
            JavaKernels.on(dev.rialto.runtime.Devices.open("cpu:0"))
                .withTarget("jvm")
                .compile(body);
        var q = client().create(java.lang.foreign.MemorySegment.ofArray(new int[] {7, 7}));
        var x = client().create(java.lang.foreign.MemorySegment.ofArray(new int[] {0, 5}))) {
      kernel.launch(2, q, x);
      assertThat(client().read(q).toArray(java.lang.foreign.ValueLayout.JAVA_INT))
          .containsExactly(0, 0);
    }
  }

  private static dev.rialto.runtime.ComputeClient client() {
    return dev.rialto.runtime.Devices.open("cpu:0");
  }

  @Test
  void roundingAndExtremesKeepNanAndTheSignOfZero() {
    KernelBody.Of3<F64, F64, F32> body =
        (Item it, F64 out, F64 in, F32 single) -> {
          long i = it.global();
          double x = in.get(i);
          double y = in.get((i * 5 + 1) % in.length());
          out.set(6 * i, Math.min(x, y));
          out.set(6 * i + 1, Math.max(x, y));
          out.set(6 * i + 2, Math.floor(x) + Math.ceil(y) * 3);
          out.set(6 * i + 3, Math.rint(x) % y);
          out.set(6 * i + 4, Math.fma(x, y, 0.1) + Math.abs(x) + Math.sqrt(y));
          out.set(6 * i + 5, Math.round(x) + Math.signum(y) + Math.clamp(y, -1.0, 1.0));
          float f = (float) x;
          single.set(i, Math.min(f, (float) y) + Math.round(f) + f % 0.3f - Math.fma(f, f, f));
        };
    compare(body, 16, 60, new double[360], data(60), new float[60]);
  }

  @Test
  void clampTakesAnyBounds() {
    KernelBody.Of2<F64, I64> body =
        (Item it, F64 real, I64 whole) -> {
          long i = it.global();
          double low = real.get(i) * 0.3 - 1;
          real.set(i, Math.clamp(real.get(i), low, low + 2));
          long least = whole.get(i) % 5;
          int narrow = Math.clamp(whole.get(i), (int) least, (int) least + 3);
          whole.set(i, Math.clamp(whole.get(i) + narrow, least, least + 7) * 100 + narrow);
        };
    long[] numbers = new Random(4).longs(60, -1L << 40, 1L << 40).toArray();
    compare(body, 16, 60, new Random(5).doubles(60, -9, 9).toArray(), numbers);
  }

  @Test
  void bitsOfIntegersAreCounted() {
    KernelBody.Of2<I32, I64> body =
        (Item it, I32 x, I64 y) -> {
          int v = x.get(it.global());
          long w = y.get(it.global());
          x.set(
              it.global(),
              Integer.bitCount(v)
                  + 100 * Integer.numberOfLeadingZeros(v)
                  + 10000 * Integer.numberOfTrailingZeros(v)
                  + Integer.reverse(v)
                  + Integer.rotateLeft(v, v)
                  + Integer.highestOneBit(v)
                  + Integer.divideUnsigned(v, 7 | v >> 3)
                  + Integer.remainderUnsigned(v, 9 | v << 3)
                  + Integer.compareUnsigned(v, 1 << 20)
                  + Byte.toUnsignedInt((byte) v));
          y.set(
              it.global(),
              Long.bitCount(w)
                  + 100 * Long.numberOfLeadingZeros(w)
                  + Long.reverse(w)
                  + Math.multiplyHigh(w, w)
                  + Long.divideUnsigned(w, 7 | w >> 3)
                  + Long.remainderUnsigned(w, 9 | w << 3)
                  + Long.compareUnsigned(w, 1L << 50)
                  + Integer.toUnsignedLong(v));
        };
    compare(body, 16, 60, integers(60), new Random(1).longs(60).toArray());
  }

  @Test
  @SuppressWarnings("NarrowingCompoundAssignment")
  void bytesShortsAndCharsAreNarrow() {
    KernelBody.Of2<I8, I32> body =
        (Item it, I8 x, I32 out) -> {
          byte b = x.get(it.global());
          short s = (short) (b * 1000);
          char c = (char) (s - 1);
          char[] table = new char[3];
          short[] signed = new short[3];
          boolean[] flags = new boolean[3];
          table[1] = c;
          signed[1] = (short) c;
          flags[2] = s > 0;
          b += 100;
          s++;
          c--;
          x.set(it.global(), b);
          out.set(it.global(), s + c + table[1] * 3 + signed[1] * 5 + (flags[2] ? 7 : 0));
        };
    byte[] bytes = new byte[256];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    compare(body, 32, 256, bytes, new int[256]);
  }

  @Test
  @SuppressWarnings("fallthrough")
  void switchesFallThroughAndGiveValues() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 out, I32 in) -> {
          int x = in.get(it.global());
          int sum = 0;
          switch (x & 7) {
            case 0:
              sum += 1;
            // fall through
            case 1:
              sum += 10;
              break;
            case 2, 3:
              sum -= 5;
              break;
            default:
              sum = x;
          }
          int other =
              switch (x % 1000) {
                case -500, 123 -> 1;
                case 7 -> {
                  int y = sum * 2;
                  yield y + 1;
                }
                default -> x > 0 ? 2 : 3;
              };
          out.set(it.global(), sum + 100 * other);
        };
    compare(body, 32, 200, new int[200], integers(200));
  }

  @Test
  void loopsAreLeftContinuedAndNested() {
    KernelBody.Of2<I32, I32> body =
        (Item it, I32 out, I32 in) -> {
          int x = in.get(it.global()) & 63;
          int sum = 0;
          outer:
          for (int i = 0; i < 10; i++) {
            for (int j = i; ; j++) {
              if ((i * j + x) % 7 == 3) {
                continue outer;
              }
              if (j > 12) {
                break;
              }
              if (i + j > 17) {
                break outer;
              }
              sum += i ^ j;
              if (sum > 300) {
                out.set(it.global(), -sum);
                return;
              }
            }
            sum++;
          }
          do {
            sum -= 3;
          } while (sum > 100);
          out.set(it.global(), sum);
        };
    compare(body, 32, 100, new int[100], integers(100));
  }

  @Test
  void eachAtomicStepGivesWhatWasThere() {
    KernelBody.Of4<I32, I64, F32, F64> body =
        (Item it, I32 i, I64 l, F32 f, F64 d) -> {
          long at = it.global();
          int a = it.atomicAdd(i, at, 3) + it.atomicMin(i, at, 0) + it.atomicMax(i, at, 5);
          a += it.atomicAnd(i, at, 0xff) + it.atomicOr(i, at, 0x100) + it.atomicXor(i, at, 1);
          a += it.atomicExchange(i, at, 4) + it.atomicCompareExchange(i, at, 4, 9);
          i.set(at, it.atomicGet(i, at) + a);
          long b = it.atomicAdd(l, at, 3) + it.atomicMin(l, at, 0) + it.atomicMax(l, at, 5);
          b += it.atomicAnd(l, at, 0xff) + it.atomicOr(l, at, 0x100) + it.atomicXor(l, at, 1);
          b += it.atomicExchange(l, at, 4) + it.atomicCompareExchange(l, at, 5, 9);
          l.set(at, it.atomicGet(l, at) + b);
          float c = it.atomicAdd(f, at, 0.1f) + it.atomicMin(f, at, 0f) + it.atomicMax(f, at, -0f);
          c += it.atomicExchange(f, at, 2f) + it.atomicCompareExchange(f, at, 2f, 3f);
          f.set(at, it.atomicGet(f, at) + c);
          double e = it.atomicAdd(d, at, 0.1) + it.atomicMin(d, at, 0) + it.atomicMax(d, at, -0.0);
          e += it.atomicExchange(d, at, 2) + it.atomicCompareExchange(d, at, 1, 3);
          d.set(at, it.atomicGet(d, at) + e);
        };
    float[] floats = new float[40];
    for (int k = 0; k < floats.length; k++) {
      floats[k] = k - 20;
    }
    compare(body, 16, 40, integers(40), new Random(2).longs(40).toArray(), floats, data(40));
  }

  @Test
  void atomicStepsOfNarrowElementsLeaveTheirNeighbours() {
    KernelBody.Of4<I8, I16, F16, BF16> body =
        (Item it, I8 b, I16 s, F16 h, BF16 u) -> {
          long at = it.global();
          byte x = (byte) at;
          int a = it.atomicAdd(b, at, (byte) 99) + it.atomicMin(b, at, x);
          a += it.atomicMax(b, at, (byte) -7) + it.atomicAnd(b, at, (byte) -4);
          a += it.atomicOr(b, at, (byte) 0x81) + it.atomicXor(b, at, x);
          a += it.atomicExchange(b, at, x) + it.atomicCompareExchange(b, at, x, (byte) 5);
          b.set(at, (byte) (b.get(at) + a));
          short y = (short) (at * 1_000);
          int c = it.atomicAdd(s, at, (short) 30_000) + it.atomicMin(s, at, y);
          c += it.atomicMax(s, at, (short) -7) + it.atomicAnd(s, at, (short) -4);
          c += it.atomicOr(s, at, (short) 0x8001) + it.atomicXor(s, at, y);
          c += it.atomicExchange(s, at, y) + it.atomicCompareExchange(s, at, (short) 1, y);
          s.set(at, (short) (s.get(at) + c));
          float d = it.atomicAdd(h, at, 0.1f) + it.atomicMin(h, at, 0f) + it.atomicMax(h, at, -0f);
          d += it.atomicExchange(h, at, 2f) + it.atomicCompareExchange(h, at, 2f, 3f);
          h.set(at, h.get(at) + d);
          float e = it.atomicAdd(u, at, 0.1f) + it.atomicMin(u, at, 0f) + it.atomicMax(u, at, -0f);
          e += it.atomicExchange(u, at, 2f) + it.atomicCompareExchange(u, at, 1f, 3f);
          u.set(at, u.get(at) + e);
        };
    byte[] bytes = new byte[43];
    new Random(3).nextBytes(bytes);
    short[] shorts = new short[43];
    short[] halves = new short[43];
    for (int k = 0; k < shorts.length; k++) {
      shorts[k] = (short) (k * 1_777);
      halves[k] = Float.floatToFloat16(k - 20);
    }
    compare(body, 16, 43, bytes, shorts, halves, halves.clone());
  }

  @Test
  void itemsMeetInNarrowElements() {
    KernelBody.Of4<I8, I16, F16, I32> body =
        (Item it, I8 b, I16 s, F16 h, I32 sums) -> {
          byte[] few = it.sharedBytes(3);
          short[] more = it.sharedShorts(5);
          if (it.local() < 3) {
            few[it.local()] = 0;
          }
          if (it.local() < 5) {
            more[it.local()] = 0;
          }
          it.barrier();
          long at = it.global();
          it.atomicAdd(b, at % 7, (byte) 1);
          it.atomicMax(s, at % 3, (short) at);
          it.atomicAdd(h, at % 2, 1f);
          it.atomicXor(few, it.local() % 3, (byte) at);
          it.atomicAdd(more, it.local() % 5, (short) (at * 77));
          it.barrier();
          if (it.local() < 3) {
            it.atomicAdd(sums, it.local(), few[it.local()] * 31 + more[it.local() + 2]);
          }
        };
    compare(body, 64, 1000, new byte[7], new short[3], new short[2], new int[3]);
  }

  @Test
  void anItemKnowsItsPlace() {
    KernelBody.Of1<I64> body =
        (Item it, I64 out) -> {
          long at = 6 * it.global();
          out.set(at, it.global());
          out.set(at + 1, it.local());
          out.set(at + 2, it.block());
          out.set(at + 3, it.blocks());
          out.set(at + 4, it.blockSize());
          out.set(at + 5, it.globalSize() * 1000 + out.length());
        };
    compare(body, 16, 41, (Object) new long[246]);
  }

  @Test
  void launchesOverNothingDoNothing() {
    KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(it.global(), 1);
    compare(body, 16, 0, (Object) new int[4]);
  }

  @Test
  void whatIsNeverReachedIsNeverLifted() {
    boolean debug = false;
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          if (debug) {
            System.out.println("item " + it.global());
          }
          assert x.length() > 0 : "nothing";
          x.set(it.global(), 1);
        };
    compare(body, 16, 20, (Object) new int[20]);
  }

  @Test
  void theSameMethodIsLiftedToTheSameCode() {
    KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(it.global(), x.get(it.global()) + 1);
    assertThat(Lifter.lift("a", Shape.of(32), body))
        .isEqualTo(Lifter.lift("a", Shape.of(32), body));
  }

  @Test
  void aGpuTakesTheItemsAsThreads() {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 sums, F64 x) -> {
          double[] part = it.sharedDoubles(32);
          part[it.local()] = x.get(it.global());
          it.barrier();
          if (it.local() == 0) {
            double sum = 0;
            for (int i = 0; i < it.blockSize(); i++) {
              sum += part[i];
            }
            it.atomicAdd(sums, it.block(), sum);
          }
        };
    String text =
        CPrinter.print(
            KernelTargets.dialect("cuda"),
            List.of(Lifter.lift("sums", Shape.of(32), body).procedure()));
    assertThat(text)
        .contains("__global__ void __launch_bounds__(32) sums(")
        .contains("int64_t block = begin + blockIdx.x;")
        .contains("__shared__ __align__(16) double ")
        .contains("int64_t local = threadIdx.x;")
        .contains("if (local >= count) return;")
        .contains("__syncthreads();")
        .contains("= atomic_add_double(");
  }

  @Test
  void openClTakesTheItemsAsAGroupUnlessTheyShareOrWait() {
    KernelBody.Of2<F64, I64> apart =
        (Item it, F64 x, I64 n) -> {
          long i = it.global();
          x.set(i, x.get(i) / 3 + it.atomicAdd(n, 0, i + 1));
        };
    Lifted items = Lifter.lift("kernel", Shape.of(32), apart);
    assertThat(items.isIndependent()).isTrue();
    assertThat(CPrinter.print(KernelTargets.dialect("opencl"), List.of(items.procedure())))
        .contains("__kernel __attribute__((reqd_work_group_size(32, 1, 1))) void kernel_(")
        .contains("__global double *restrict ")
        .contains("int64_t block = begin + get_group_id(0);")
        .contains("int64_t local = get_local_id(0);")
        .contains("return atom_add(p, v);");

    KernelBody.Of1<F64> together =
        (Item it, F64 x) -> {
          double[] part = it.sharedDoubles(32);
          part[it.local()] = x.get(it.global());
          it.barrier();
          x.set(it.global(), part[31 - it.local()]);
        };
    Lifted block = Lifter.lift("kernel", Shape.of(32), together);
    assertThat(block.isIndependent()).isFalse();
    assertThat(
            CPrinter.print(
                KernelTargets.dialect("opencl"), List.of(block.forHost(VectorSupport.NONE))))
        .contains("int64_t thread = get_global_id(0);")
        .doesNotContain("barrier")
        .doesNotContain("__local");
  }
}
