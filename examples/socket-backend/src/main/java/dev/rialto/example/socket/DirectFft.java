package dev.rialto.example.socket;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import java.lang.foreign.MemorySegment;

/** Transforms by definition: a sum over all points for each point, O(n²) and in double. */
final class DirectFft implements FftEngine {
  @Override
  public String name() {
    return "direct";
  }

  @Override
  public boolean supports(FftSpec spec) {
    return true;
  }

  @Override
  public FftPlan plan(FftSpec spec) {
    return new Plan(spec);
  }

  /** Returns the real part of the factor with which point j of n goes into sum k. */
  private static double real(FftSpec.Kind kind, long n, long j, long k) {
    return switch (kind) {
      case FORWARD, INVERSE, REAL_TO_COMPLEX -> cos(2 * j * k, n);
      case COMPLEX_TO_REAL -> (j == 0 || 2 * j == n ? 1 : 2) * cos(2 * j * k, n);
      case DCT1 -> (j == 0 || j == n - 1 ? 1 : 2) * cos(j * k, n - 1);
      case DCT2 -> 2 * cos((2 * j + 1) * k, 2 * n);
      case DCT3 -> (j == 0 ? 1 : 2) * cos(j * (2 * k + 1), 2 * n);
      case DCT4 -> 2 * cos((2 * j + 1) * (2 * k + 1), 4 * n);
      case DST1 -> 2 * sin((j + 1) * (k + 1), n + 1);
      case DST2 -> 2 * sin((2 * j + 1) * (k + 1), 2 * n);
      case DST3 -> (j == n - 1 ? 1 : 2) * sin((j + 1) * (2 * k + 1), 2 * n);
      case DST4 -> 2 * sin((2 * j + 1) * (2 * k + 1), 4 * n);
      case HARTLEY -> cos(2 * j * k, n) + sin(2 * j * k, n);
    };
  }

  private static double imaginary(FftSpec.Kind kind, long n, long j, long k) {
    return switch (kind) {
      case FORWARD, REAL_TO_COMPLEX -> -sin(2 * j * k, n);
      case INVERSE -> sin(2 * j * k, n);
      case COMPLEX_TO_REAL -> 2 * sin(2 * j * k, n);
      default -> 0;
    };
  }

  /** Returns the cosine of πp/q, of the angle within one turn: larger ones lose digits. */
  private static double cos(long p, long q) {
    return Math.cos(Math.PI * (p % (2 * q)) / q);
  }

  private static double sin(long p, long q) {
    return Math.sin(Math.PI * (p % (2 * q)) / q);
  }

  private static final class Plan implements FftPlan {
    private final FftSpec spec;
    private volatile boolean closed;

    Plan(FftSpec spec) {
      this.spec = spec;
    }

    @Override
    public FftSpec spec() {
      return spec;
    }

    @Override
    public long workspaceBytes() {
      return DType.C128.bytes(spec.outPoints());
    }

    @Override
    public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
      if (closed) {
        throw new IllegalStateException("the plan is closed; make another");
      }
      Arguments.buffer(in, DType.I8, spec.inBytes(), "input");
      Arguments.buffer(out, DType.I8, spec.outBytes(), "output");
      Arguments.buffer(workspace, DType.C128, spec.outPoints(), "workspace");
      for (long plane = 0; plane < spec.planes(); plane++) {
        for (long line = 0; line < spec.lines(); line++) {
          long from = plane * spec.inPlane() + line * spec.inDistance();
          long to = plane * spec.outPlane() + line * spec.outDistance();
          // The output may be where the input is, so all sums of a line come before any is stored.
          for (long k = 0; k < spec.outPoints(); k++) {
            sum(in, from, k, workspace);
          }
          for (long k = 0; k < spec.outPoints(); k++) {
            store(workspace, k, out, to + k * spec.outStride());
          }
        }
      }
    }

    private void sum(MemorySegment in, long first, long k, MemorySegment sums) {
      double re = 0;
      double im = 0;
      for (long j = 0; j < spec.inPoints(); j++) {
        long at = first + j * spec.inStride();
        double u = real(spec.kind(), spec.length(), j, k);
        double v = imaginary(spec.kind(), spec.length(), j, k);
        if (spec.kind().complexInput()) {
          double x = getReal(in, spec.precision(), 2 * at);
          double y = getReal(in, spec.precision(), 2 * at + 1);
          re += x * u - y * v;
          im += x * v + y * u;
        } else {
          double x = getReal(in, spec.precision(), at);
          re += x * u;
          im += x * v;
        }
      }
      setReal(sums, DType.F64, 2 * k, re * spec.scale());
      setReal(sums, DType.F64, 2 * k + 1, im * spec.scale());
    }

    private void store(MemorySegment sums, long k, MemorySegment out, long at) {
      double re = getReal(sums, DType.F64, 2 * k);
      if (spec.kind().complexOutput()) {
        setReal(out, spec.precision(), 2 * at, re);
        setReal(out, spec.precision(), 2 * at + 1, getReal(sums, DType.F64, 2 * k + 1));
      } else {
        setReal(out, spec.precision(), at, re);
      }
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private static double getReal(MemorySegment segment, DType type, long i) {
    return type == DType.F32
        ? segment.get(JAVA_FLOAT_UNALIGNED, 4 * i)
        : segment.get(JAVA_DOUBLE_UNALIGNED, 8 * i);
  }

  private static void setReal(MemorySegment segment, DType type, long i, double value) {
    if (type == DType.F32) {
      segment.set(JAVA_FLOAT_UNALIGNED, 4 * i, (float) value);
    } else {
      segment.set(JAVA_DOUBLE_UNALIGNED, 8 * i, value);
    }
  }
}
