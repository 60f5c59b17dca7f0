package dev.rialto.opencl;

/**
 * The functions of OpenCL that {@link OpenClDialect} and {@link OpenClVectors} call.
 *
 * <p>PoCL has Clang read the declarations of all functions, 18,000 lines, before each text: 70 of
 * the 90 ms that a short kernel took. It leaves them out if the macro that guards them is defined;
 * these take their place. The attributes are those of Clang's own declarations.
 */
final class CalledFunctions {
  /** Leaves Clang's declarations out. */
  static final String OPTION = " -D_OPENCL_H_";

  /** Declares them, for a text that calls no others. */
  static final String DECLARED =
      """
      #pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
      #pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
      #define OVER __attribute__((overloadable))
      #define PURE OVER __attribute__((const))
      #define READS OVER __attribute__((pure))
      size_t PURE get_global_id(uint);
      size_t PURE get_global_size(uint);
      size_t PURE get_local_id(uint);
      size_t PURE get_group_id(uint);
      void OVER __attribute__((convergent)) barrier(cl_mem_fence_flags);
      #define COUNTS(T) T PURE popcount(T); T PURE clz(T);
      COUNTS(int) COUNTS(uint) COUNTS(long) COUNTS(ulong)
      #define CHANGES(S, T, to) T OVER to(volatile S T *, T);
      #define CHANGED(S, T, prefix) \\
        CHANGES(S, T, prefix##add) CHANGES(S, T, prefix##min) CHANGES(S, T, prefix##max) \\
        CHANGES(S, T, prefix##and) CHANGES(S, T, prefix##or) CHANGES(S, T, prefix##xor) \\
        CHANGES(S, T, prefix##xchg) T OVER prefix##cmpxchg(volatile S T *, T, T);
      CHANGED(__global, int, atomic_) CHANGED(__local, int, atomic_)
      CHANGED(__global, long, atom_) CHANGED(__local, long, atom_)
      #define LOADS(T, n) \\
        T##n READS vload##n(size_t, const __global T *); \\
        T##n READS vload##n(size_t, const __private T *);
      #define LOADED(T) LOADS(T, 2) LOADS(T, 4) LOADS(T, 8) LOADS(T, 16)
      LOADED(int) LOADED(long) LOADED(float) LOADED(double)
      #define ROOTS(T) T PURE fabs(T); T PURE sqrt(T); T PURE fma(T, T, T);
      #define ROUNDS(T) T PURE floor(T); T PURE ceil(T); T PURE rint(T); T PURE fmod(T, T);
      #define ANGLES(T) \\
        T PURE sin(T); T PURE cos(T); T PURE tan(T); T PURE asin(T); T PURE acos(T); \\
        T PURE atan(T); T PURE sinh(T); T PURE cosh(T); T PURE tanh(T); T PURE atan2(T, T);
      #define POWERS(T) \\
        T PURE exp(T); T PURE expm1(T); T PURE log(T); T PURE log10(T); T PURE log1p(T); \\
        T PURE cbrt(T); T PURE pow(T, T); T PURE hypot(T, T);
      #define REALS(T) \\
        ROOTS(T) ROOTS(T##2) ROOTS(T##4) ROOTS(T##8) ROOTS(T##16) ROUNDS(T) ANGLES(T) POWERS(T)
      REALS(float) REALS(double)
      #undef OVER
      #undef PURE
      #undef READS
      """;

  private CalledFunctions() {}
}
