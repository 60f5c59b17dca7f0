package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.device.ArrayKernels;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.parts.DeviceLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The kernels of exchanges on a GPU. Moving is what {@link LayoutKernel} does; adding, scaling and
 * converting are kernels with a thread per number. Lists of indices are brought to the GPU when a
 * kernel is prepared.
 */
final class CudaArrays implements ArrayKernels {
  static final String SOURCE =
      LayoutKernel.SIDES
          + """
          struct F64 { typedef double Type;
            static __device__ Type add(Type a, Type b) { return a + b; }
            static __device__ Type scale(Type a, double f) { return a * f; }
            static __device__ float narrow(Type a) { return (float)a; }
            static __device__ Type widen(float a) { return a; } };
          struct F32 { typedef float Type;
            static __device__ Type add(Type a, Type b) { return a + b; }
            static __device__ Type scale(Type a, double f) { return (float)(a * f); }
            static __device__ float narrow(Type a) { return a; }
            static __device__ Type widen(float a) { return a; } };
          struct BF16 { typedef unsigned short Type;
            static __device__ float narrow(Type a) { return __uint_as_float((unsigned)a << 16); }
            static __device__ Type widen(float a) {
              unsigned bits = __float_as_uint(a);
              if (a != a) return (Type)(bits >> 16 | 0x40);
              return (Type)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); }
            static __device__ Type add(Type a, Type b) { return widen(narrow(a) + narrow(b)); }
            static __device__ Type scale(Type a, double f) {
              return widen((float)(narrow(a) * f)); } };
          struct F16 { typedef unsigned short Type;
            static __device__ float narrow(Type a) {
              float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(a)); return f; }
            static __device__ Type widen(float a) {
              Type h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a)); return h; }
            static __device__ Type add(Type a, Type b) { return widen(narrow(a) + narrow(b)); }
            static __device__ Type scale(Type a, double f) {
              return widen((float)(narrow(a) * f)); } };
          template <typename T> struct Integer { typedef T Type;
            static __device__ Type add(Type a, Type b) { return (T)(a + b); }
            static __device__ Type scale(Type a, double) { return a; } };

          #define INDEX ((long long)blockIdx.x * blockDim.x + threadIdx.x)
          #define THREADS ((long long)gridDim.x * blockDim.x)

          template <typename N>
          static __device__ __forceinline__ void change(
              const char *source, const Side &from, char *target, const Side &to,
              long long count, long long parts, bool scales, double factor) {
            typedef typename N::Type T;
            for (long long i = INDEX; i < count * parts; i += THREADS) {
              long long element = i / parts, part = i % parts * sizeof(T);
              T *at = (T *)(target + place(to, element) + part);
              *at = scales ? N::scale(*at, factor)
                           : N::add(*at, *(const T *)(source + place(from, element) + part));
            }
          }

          extern "C" __global__ void rialto_change(
              const char *source, Side from, char *target, Side to,
              long long count, long long parts, long long kind, long long scales, double factor) {
            switch (kind) {
              case 0: change<F64>(source, from, target, to, count, parts, scales, factor); break;
              case 1: change<F32>(source, from, target, to, count, parts, scales, factor); break;
              case 2: change<F16>(source, from, target, to, count, parts, scales, factor); break;
              case 3: change<BF16>(source, from, target, to, count, parts, scales, factor); break;
              case 4: change<Integer<unsigned long long>>(
                  source, from, target, to, count, parts, scales, factor); break;
              case 5: change<Integer<unsigned>>(
                  source, from, target, to, count, parts, scales, factor); break;
              default: change<Integer<unsigned char>>(
                  source, from, target, to, count, parts, scales, factor); break;
            }
          }

          template <typename A, typename B>
          static __device__ __forceinline__ void convert(
              const void *from, void *to, long long count) {
            for (long long i = INDEX; i < count; i += THREADS)
              ((typename B::Type *)to)[i] =
                  B::widen(A::narrow(((const typename A::Type *)from)[i]));
          }

          extern "C" __global__ void rialto_convert(
              const void *from, void *to, long long count, long long kinds) {
            switch (kinds) {
              case 0x01: convert<F64, F32>(from, to, count); break;
              case 0x03: convert<F64, BF16>(from, to, count); break;
              case 0x10: convert<F32, F64>(from, to, count); break;
              case 0x13: convert<F32, BF16>(from, to, count); break;
              case 0x30: convert<BF16, F64>(from, to, count); break;
              case 0x31: convert<BF16, F32>(from, to, count); break;
            }
          }
          """;

  private static final int BLOCK = LoadedKernel.BLOCK;

  private final CudaDevice device;
  private final KernelText kernels;

  CudaArrays(CudaDevice device, CudaCompiler compiler) {
    this.device = device;
    this.kernels = new KernelText(compiler, SOURCE);
  }

  /** Returns what the kernels call the type of a number; complex elements are two of them. */
  static int kind(DType type) {
    return switch (type) {
      case F64, C128 -> 0;
      case F32, C64 -> 1;
      case F16 -> 2;
      case BF16 -> 3;
      case I64 -> 4;
      case I32 -> 5;
      case I8 -> 6;
      case I16, U8, U16, U32, U64 ->
          throw new IllegalArgumentException(
              "adding " + type + " elements; exchanges only move them, kernels add them");
    };
  }

  private static int parts(DType type) {
    return type.kind() == DType.Kind.COMPLEX ? 2 : 1;
  }

  @Override
  public Prepared move(Layout from, Layout to, boolean add) {
    StridedCopy.requireAlike(from, to);
    if (add) {
      return new Change(from, to, false, 0);
    }
    return new Listed(from, to) {
      @Override
      void add(long source, long target, long stream) {
        boolean within = device.isWithin(source) && device.isWithin(target);
        device
            .transfer()
            .layouts()
            .copy(source, from, fromList, target, to, toList, within, stream);
      }
    };
  }

  @Override
  public Prepared scale(Layout layout, double factor) {
    if (layout.type().kind() == DType.Kind.INTEGER) {
      throw new IllegalArgumentException(
          "scaling " + layout.type() + " elements; integers can only be added");
    }
    return new Change(layout, layout, true, factor);
  }

  @Override
  public Prepared convert(DType from, DType to, long count) {
    int kinds = kind(from) << 4 | kind(to);
    if (kinds != 0x01
        && kinds != 0x03
        && kinds != 0x10
        && kinds != 0x13
        && kinds != 0x30
        && kinds != 0x31) {
      throw new IllegalArgumentException(
          "converting %s to %s; give two of F64, F32 and BF16".formatted(from, to));
    }
    return new Listed(Layout.contiguous(DType.I8, 0), Layout.contiguous(DType.I8, 0)) {
      @Override
      void add(long source, long target, long stream) {
        launch("rialto_convert", count, stream, source, target, count, kinds);
      }
    };
  }

  private void launch(String name, long items, long stream, long... arguments) {
    if (items == 0) {
      return;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment values = arena.allocateFrom(JAVA_LONG, arguments);
      MemorySegment[] each = new MemorySegment[arguments.length];
      for (int i = 0; i < each.length; i++) {
        each[i] = values.asSlice((long) i * Long.BYTES);
      }
      int blocks = LoadedKernel.blocks(items, BLOCK);
      kernels.get(name).launch(blocks, BLOCK, stream, LayoutKernel.pointers(arena, each));
    }
  }

  /** A kernel whose lists of indices are on the GPU. */
  private abstract class Listed implements Prepared {
    private final List<Allocation> lists = new ArrayList<>();
    final long fromList;
    final long toList;

    Listed(Layout from, Layout to) {
      this.fromList = list(from);
      this.toList = from.equals(to) ? fromList : list(to);
    }

    private long list(Layout layout) {
      if (!(layout instanceof Layout.Indexed indexed)) {
        return 0;
      }
      MemorySegment indices = MemorySegment.ofArray(indexed.indices());
      Allocation list = device.memory().allocate(indices.byteSize());
      lists.add(list);
      device.transfer().copy(indices, list.segment(), indices.byteSize());
      return list.segment().address();
    }

    /** Adds a run to a driver's stream. */
    abstract void add(long source, long target, long stream);

    @Override
    public final void run(MemorySegment from, MemorySegment to, Stream stream) {
      long source = from.address();
      long target = to.address();
      CudaStream.require(stream)
          .submit(CudaStream.label(stream), handle -> add(source, target, handle));
    }

    @Override
    public final void close() {
      lists.forEach(Allocation::close);
      lists.clear();
    }
  }

  /** Adds elements to others, or scales them. */
  private final class Change extends Listed {
    private final Layout from;
    private final Layout to;
    private final boolean scales;
    private final double factor;

    Change(Layout from, Layout to, boolean scales, double factor) {
      super(from, to);
      this.from = from;
      this.to = to;
      this.scales = scales;
      this.factor = factor;
    }

    @Override
    void add(long source, long target, long stream) {
      int parts = parts(to.type());
      int size = to.type().size() / parts;
      if ((source | target) % size != 0) {
        throw new IllegalArgumentException(
            "elements of %s at 0x%x and 0x%x; a GPU adds at multiples of %d bytes"
                .formatted(to.type(), source, target, size));
      }
      long count = to.count();
      if (count == 0) {
        return;
      }
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment numbers =
            arena.allocateFrom(
                JAVA_LONG,
                source,
                target,
                count,
                parts,
                kind(to.type()),
                scales ? 1 : 0,
                Double.doubleToRawLongBits(factor));
        MemorySegment pointers =
            LayoutKernel.pointers(
                arena,
                numbers,
                DeviceLayout.describe(from, fromList, arena),
                numbers.asSlice(8),
                DeviceLayout.describe(to, toList, arena),
                numbers.asSlice(16),
                numbers.asSlice(24),
                numbers.asSlice(32),
                numbers.asSlice(40),
                numbers.asSlice(48));
        int blocks = LoadedKernel.blocks(count * parts, BLOCK);
        kernels.get("rialto_change").launch(blocks, BLOCK, stream, pointers);
      }
    }
  }
}
