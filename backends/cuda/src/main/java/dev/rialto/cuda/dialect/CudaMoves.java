package dev.rialto.cuda.dialect;

import dev.rialto.spi.code.KernelDialect;

/**
 * Elements side by side, by accesses of 16 bytes, or of all of them if they are fewer, where they
 * lie at a multiple of that, and one by one elsewhere.
 */
final class CudaMoves implements KernelDialect.Moves {
  @Override
  public String functions() {
    return """
    template <int BYTES> struct word;
    template <> struct word<2> { typedef unsigned short type; };
    template <> struct word<4> { typedef unsigned int type; };
    template <> struct word<8> { typedef uint2 type; };
    template <> struct word<16> { typedef uint4 type; };
    template <int N, typename T> INLINE void load_lanes(T *to, const T *from) {
      constexpr int SIZE = sizeof(T) * N < 16 ? sizeof(T) * N : 16;
      typedef typename word<SIZE>::type word_t;
      if ((uint64_t)from % SIZE == 0) {
        _Pragma("unroll") for (int i = 0; i < N; i += SIZE / sizeof(T)) {
          word_t all = *(const word_t *)(from + i);
          memcpy(to + i, &all, SIZE);
        }
      } else {
        EACH to[i] = from[i];
      }
    }
    template <int N, typename T> INLINE void store_lanes(T *to, const T *from) {
      constexpr int SIZE = sizeof(T) * N < 16 ? sizeof(T) * N : 16;
      typedef typename word<SIZE>::type word_t;
      if ((uint64_t)to % SIZE == 0) {
        _Pragma("unroll") for (int i = 0; i < N; i += SIZE / sizeof(T)) {
          word_t all;
          memcpy(&all, from + i, SIZE);
          *(word_t *)(to + i) = all;
        }
      } else {
        EACH to[i] = from[i];
      }
    }
    """;
  }

  @Override
  public String call(String type, int lanes, boolean loads, String to, String from) {
    return "%s_lanes<%d>(%s, %s)".formatted(loads ? "load" : "store", lanes, to, from);
  }
}
