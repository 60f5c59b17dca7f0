package dev.rialto.cuda.dialect;

import dev.rialto.spi.code.Buffer.Storage;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.KernelDialect;
import dev.rialto.spi.code.Stmt.AtomicOp;
import dev.rialto.spi.code.Stmt.ExchangeOp;
import dev.rialto.spi.code.Type;
import java.util.Locale;
import java.util.Optional;

/** CUDA C++: {@code extern "C" __global__} functions. */
public final class CudaDialect implements KernelDialect {
  @Override
  public String prelude() {
    return """
    typedef signed char int8_t;
    typedef short int16_t;
    typedef int int32_t;
    typedef long long int64_t;
    typedef unsigned int uint32_t;
    typedef unsigned long long uint64_t;
    #define INLINE static __device__ __forceinline__
    #define EACH _Pragma("unroll") for (int i = 0; i < N; i++)
    template <typename T, int N> struct alignas(sizeof(T) * N) pack {
      T v[N];
      pack() = default;
      __device__ __forceinline__ explicit pack(T x) { EACH v[i] = x; }
      __device__ __forceinline__ T &operator[](int64_t i) { return v[i]; }
      __device__ __forceinline__ pack operator+(const pack &x) const {
        pack r; EACH r.v[i] = v[i] + x.v[i]; return r;
      }
      __device__ __forceinline__ pack operator*(const pack &x) const {
        pack r; EACH r.v[i] = v[i] * x.v[i]; return r;
      }
    };
    """
        + Dialect.bits("memcpy");
  }

  @Override
  public String restrict() {
    return "__restrict__";
  }

  @Override
  public String function(String name, Type type) {
    return name + (type.kind() == Type.Kind.F32 ? "f" : "");
  }

  @Override
  public String bitCount(String x, boolean wide) {
    return "__popc" + (wide ? "ll(" : "(") + x + ")";
  }

  @Override
  public String leadingZeros(String x, boolean wide) {
    return "__clz" + (wide ? "ll(" : "(") + x + ")";
  }

  /** By the device's own conversions, which saturate; but for floats and ints, NaN is special. */
  @Override
  public Optional<String> saturated(Type to, Type from) {
    boolean wide = to.kind() == Type.Kind.I64;
    boolean single = from.kind() == Type.Kind.F32;
    String name = "__" + (single ? "float" : "double") + "2" + (wide ? "ll" : "int") + "_rz(x)";
    return Optional.of(single && !wide ? name : "x != x ? 0 : " + name);
  }

  @Override
  public String place(Place place) {
    return switch (place) {
      case THREAD -> "(int64_t)blockIdx.x * blockDim.x + threadIdx.x";
      case THREADS -> "(int64_t)gridDim.x * blockDim.x";
      case LOCAL -> "threadIdx.x";
      case BLOCK -> "blockIdx.x";
    };
  }

  @Override
  public String head(String name, String parameters, int items) {
    String bounds = items > 0 ? "__launch_bounds__(" + items + ") " : "";
    return "extern \"C\" __global__ void " + bounds + name + parameters;
  }

  @Override
  public Moves moves() {
    return new CudaMoves();
  }

  @Override
  public String shared() {
    return "__shared__ __align__(16) ";
  }

  @Override
  public String barrier(boolean copies) {
    String wait = "asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); ";
    return (copies ? wait : "") + "__syncthreads();";
  }

  @Override
  public boolean awaitsEnded() {
    return false;
  }

  /** Threads that have ended are not waited for, though the mask names all. */
  @Override
  public Optional<String> exchange(ExchangeOp op, String value, String lane) {
    return Optional.of(
        switch (op) {
          case SHUFFLE -> "__shfl_sync(0xffffffffu, " + value + ", " + lane + ")";
          case BALLOT -> "(int32_t)__ballot_sync(0xffffffffu, " + value + ")";
        });
  }

  @Override
  public Optional<String> pack(String type, long count) {
    return Optional.of(CudaVectors.pack(type, count));
  }

  @Override
  public String unroll() {
    return "#pragma unroll";
  }

  @Override
  public Optional<Vectors> vectors() {
    return Optional.of(new CudaVectors());
  }

  @Override
  public Optional<Tiles> tiles() {
    return Optional.of(new CudaTiles());
  }

  private static String unsigned(boolean wide) {
    return wide ? "unsigned long long" : "unsigned int";
  }

  @Override
  public Optional<String> atomic(AtomicOp op, Storage storage) {
    if (op == AtomicOp.GET) {
      // By a volatile pointer: from where all blocks meet, and sooner than a step that adds
      // nothing.
      return Optional.of("*p");
    }
    String name = op.name().charAt(0) + op.name().substring(1).toLowerCase(Locale.ROOT);
    if (storage.register().isFloat()) {
      String type = storage == Storage.F64 ? "double" : "float";
      return op == AtomicOp.ADD ? Optional.of("atomicAdd((" + type + " *)p, v)") : Optional.empty();
    }
    boolean wide = storage == Storage.I64;
    String u = unsigned(wide);
    String signed = wide ? "int64_t" : "int32_t";
    return switch (op) {
      case ADD, AND, OR, XOR ->
          Optional.of("(%s)atomic%s((%s *)p, (%s)v)".formatted(signed, name, u, u));
      case EXCHANGE -> Optional.of("(%s)atomicExch((%s *)p, (%s)v)".formatted(signed, u, u));
      case MIN, MAX -> Optional.of("atomic%s((%s *)p, v)".formatted(name, signed));
      case COMPARE_AND_SET, GET -> Optional.empty();
    };
  }

  @Override
  public String compareAndSwap(boolean wide) {
    return "(%1$s)atomicCAS((%2$s *)b, (%2$s)o, (%2$s)n)"
        .formatted(wide ? "int64_t" : "int32_t", unsigned(wide));
  }
}
