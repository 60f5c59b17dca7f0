package dev.rialto.opencl;

import dev.rialto.spi.code.Buffer.Storage;
import dev.rialto.spi.code.KernelDialect;
import dev.rialto.spi.code.Stmt.AtomicOp;
import dev.rialto.spi.code.Type;
import java.util.Locale;
import java.util.Optional;

/**
 * OpenCL C: {@code __kernel} functions whose names end with an underscore, as no word of it.
 *
 * @param givesNeighbours whether an item does many indices
 */
record OpenClDialect(boolean givesNeighbours) implements KernelDialect {
  /**
   * Words that OpenCL reserves in vain, for variables may be called so, come first. PoCL's {@code
   * vstore16} is four stores: writing memory with it took 1.4 times as long as with one.
   */
  @Override
  public String prelude() {
    return """
    #define local local_
    #define global global_
    #define constant constant_
    #define kernel kernel_
    #define private private_
    typedef char int8_t;
    typedef short int16_t;
    typedef int int32_t;
    typedef long int64_t;
    typedef uint uint32_t;
    typedef ulong uint64_t;
    #define INLINE static inline
    #ifdef cl_khr_int64_base_atomics
    #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
    #endif
    #ifdef cl_khr_int64_extended_atomics
    #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
    #endif
    #define bits_int32_t(x) as_int((float)(x))
    #define bits_float(x) as_float((int)(x))
    #define bits_int64_t(x) as_long((double)(x))
    #define bits_double(x) as_double((long)(x))
    #ifdef __clang__
    #define put(space, type, n, v, p) (*(space type##n##_at *)(p) = (v))
    #define PLACES(type) PLACE(type, 2); PLACE(type, 4); PLACE(type, 8); PLACE(type, 16);
    #define PLACE(type, n) \
      typedef type type##n##_at __attribute__((ext_vector_type(n), aligned(sizeof(type))))
    PLACES(int)
    PLACES(long)
    PLACES(float)
    #ifdef cl_khr_fp64
    PLACES(double)
    #endif
    #else
    #define put(space, type, n, v, p) vstore##n(v, 0, p)
    #endif
    """;
  }

  /** There is no {@code long long}: a {@code long} has 64 bits everywhere. */
  @Override
  public String longSuffix() {
    return "L";
  }

  @Override
  public String function(String name, Type type) {
    return name;
  }

  @Override
  public String bitCount(String x, boolean wide) {
    return "popcount(" + x + ")";
  }

  @Override
  public String leadingZeros(String x, boolean wide) {
    return "clz(" + x + ")";
  }

  @Override
  public String rare(String condition) {
    return condition;
  }

  @Override
  public String place(Place place) {
    return switch (place) {
      case THREAD -> "get_global_id(0)";
      case THREADS -> "get_global_size(0)";
      case LOCAL -> "get_local_id(0)";
      case BLOCK -> "get_group_id(0)";
    };
  }

  @Override
  public String head(String name, String parameters, int items) {
    String size = "__attribute__((reqd_work_group_size(" + items + ", 1, 1))) ";
    return "__kernel " + (items > 0 ? size : "") + "void " + name + "_" + parameters;
  }

  @Override
  public String space(boolean local) {
    return local ? "__local " : "__global ";
  }

  /** Vectors in memory need no more than the alignment of their elements. */
  @Override
  public Moves moves() {
    return new Moves() {
      @Override
      public String functions() {
        return "";
      }

      @Override
      public String call(String type, int lanes, boolean loads, String to, String from) {
        return "vstore%1$d(vload%1$d(0, %2$s), 0, %3$s)".formatted(lanes, from, to);
      }
    };
  }

  @Override
  public String shared() {
    return "__local ";
  }

  @Override
  public String barrier(boolean copies) {
    return "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);";
  }

  /** Functions for 64 bits are of extensions, and have other names. */
  @Override
  public Optional<String> atomic(AtomicOp op, Storage storage) {
    if (storage.register().isFloat() || op == AtomicOp.COMPARE_AND_SET) {
      return Optional.empty();
    }
    String name = op == AtomicOp.EXCHANGE ? "xchg" : op.name().toLowerCase(Locale.ROOT);
    String prefix = storage == Storage.I64 ? "atom_" : "atomic_";
    return Optional.of(op == AtomicOp.GET ? prefix + "or(p, 0)" : prefix + name + "(p, v)");
  }

  @Override
  public String compareAndSwap(boolean wide) {
    return (wide ? "atom" : "atomic") + "_cmpxchg(b, o, n)";
  }

  @Override
  public Optional<Vectors> vectors() {
    return Optional.of(new OpenClVectors());
  }
}
