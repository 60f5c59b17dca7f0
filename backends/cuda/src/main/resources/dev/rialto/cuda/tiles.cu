// Steps of matrix tiles. Tiles in shared memory begin at multiples of 16 bytes. Instructions are
// PTX, for the headers of the toolkit need not be there.
INLINE uint32_t shared_address(const void *p) {
  uint32_t r;
  asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }" : "=r"(r) : "l"(p));
  return r;
}
INLINE void load_matrices(uint32_t (&r)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
INLINE void load_transposed(uint32_t (&r)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
INLINE uint32_t halves(const int16_t *p, int64_t step) {
  return (uint32_t)(unsigned short)p[0] | (uint32_t)(unsigned short)p[step] << 16;
}
template <bool BF> INLINE void multiply16(
    float *c, const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if (BF) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}
template <int R, int C, bool SHARED> INLINE void load16(
    uint32_t (&fa)[R / 16][4], uint32_t (&fb)[C / 16][4], const int16_t *a, int64_t as,
    const int16_t *b, int64_t bs, uint32_t left, uint32_t right, int k) {
  const int lane = threadIdx.x & 31, row = lane / 4, pair = lane % 4 * 2;
  #pragma unroll
  for (int i = 0; i < R / 16; i++) {
    if (SHARED) {
      load_matrices(fa[i], left + i * 32 * (uint32_t)as + k * 2);
    } else {
      #pragma unroll
      for (int e = 0; e < 4; e++)
        fa[i][e] = halves(a + (i * 16 + row + e % 2 * 8) * as + k + pair + e / 2 * 8, 1);
    }
  }
  #pragma unroll
  for (int j = 0; j < C / 16; j++) {
    if (SHARED) {
      load_transposed(fb[j], right + k * 2 * (uint32_t)bs + j * 32);
    } else {
      #pragma unroll
      for (int e = 0; e < 4; e++)
        fb[j][e] = halves(b + (k + pair + e % 2 * 8) * bs + j * 16 + row + e / 2 * 8, bs);
    }
  }
}
template <int R, int C, int D, bool BF, bool SHARED> INLINE void tile_multiply16(
    float *c, const int16_t *a, int64_t as, const int16_t *b, int64_t bs) {
  uint32_t lane = threadIdx.x & 31, left = 0, right = 0;
  if (SHARED) {
    left = shared_address(a) + (lane & 15) * 2 * (uint32_t)as + (lane >> 4) * 16;
    right = shared_address(b) + (lane & 15) * 2 * (uint32_t)bs + (lane >> 4) * 16;
  }
  // What is multiplied next is loaded before.
  uint32_t fa[2][R / 16][4], fb[2][C / 16][4];
  load16<R, C, SHARED>(fa[0], fb[0], a, as, b, bs, left, right, 0);
  #pragma unroll
  for (int k = 0; k < D; k += 16) {
    const int now = k / 16 % 2;
    if (k + 16 < D)
      load16<R, C, SHARED>(fa[1 - now], fb[1 - now], a, as, b, bs, left, right, k + 16);
    #pragma unroll
    for (int i = 0; i < R / 16; i++)
      #pragma unroll
      for (int j = 0; j < C / 8; j++)
        multiply16<BF>(
            c + (i * (C / 8) + j) * 4, fa[now][i], fb[now][j / 2][j % 2 * 2],
            fb[now][j / 2][j % 2 * 2 + 1]);
  }
}
INLINE uint32_t tf32(float x) {
  uint32_t r;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(x));
  return x != x ? 0x7fffffffu : r; // Rounding takes some NaN for infinity.
}
template <int R, int C, int D> INLINE void tile_multiply_tf32(
    float *c, const float *a, int64_t as, const float *b, int64_t bs) {
  const int lane = threadIdx.x & 31, row = lane / 4, at = lane % 4;
  #pragma unroll
  for (int k = 0; k < D; k += 8) {
    uint32_t fb[C / 8][2];
    #pragma unroll
    for (int j = 0; j < C / 8; j++)
      #pragma unroll
      for (int e = 0; e < 2; e++) fb[j][e] = tf32(b[(k + at + e * 4) * bs + j * 8 + row]);
    #pragma unroll
    for (int i = 0; i < R / 16; i++) {
      uint32_t fa[4];
      #pragma unroll
      for (int e = 0; e < 4; e++)
        fa[e] = tf32(a[(i * 16 + row + e % 2 * 8) * as + k + at + e / 2 * 4]);
      #pragma unroll
      for (int j = 0; j < C / 8; j++) {
        float *s = c + (i * (C / 8) + j) * 4;
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[j][0]), "r"(fb[j][1]));
      }
    }
  }
}
template <int R, int C, int D> INLINE void tile_multiply_f64(
    double *c, const double *a, int64_t as, const double *b, int64_t bs) {
  const int lane = threadIdx.x & 31, row = lane / 4, at = lane % 4;
  #pragma unroll
  for (int k = 0; k < D; k += 4) {
    double fb[C / 8];
    #pragma unroll
    for (int j = 0; j < C / 8; j++) fb[j] = b[(k + at) * bs + j * 8 + row];
    #pragma unroll
    for (int i = 0; i < R / 8; i++) {
      double fa = a[(i * 8 + row) * as + k + at];
      #pragma unroll
      for (int j = 0; j < C / 8; j++) {
        double *s = c + (i * (C / 8) + j) * 2;
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 "
            "{%0, %1}, {%2}, {%3}, {%0, %1};"
            : "+d"(s[0]), "+d"(s[1]) : "d"(fa), "d"(fb[j]));
      }
    }
  }
}
struct plain_store {
  template <typename T> static __device__ __forceinline__ T to(T x) { return x; }
};
struct half_store {
  static __device__ __forceinline__ int16_t to(float x) {
    int16_t r;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
  }
};
struct upper_store {
  static __device__ __forceinline__ int16_t to(float x) {
    uint32_t u = (uint32_t)bits_int32_t(x);
    return (int16_t)(x != x ? (u >> 16 | 64) : (u + 0x7fff + (u >> 16 & 1)) >> 16);
  }
};
template <int R, int C, typename S, typename F> INLINE void tile_each(S *c, F f) {
  const int lane = threadIdx.x & 31, per = sizeof(S) == 8 ? 2 : 4;
  #pragma unroll
  for (int i = 0; i < R * C / 32; i++)
    f(c[i], i / per / (C / 8) * (per * 4) + i % per / 2 * 8 + lane / 4,
      i / per % (C / 8) * 8 + lane % 4 * 2 + i % 2);
}
template <int R, int C, typename W, typename S, typename T> INLINE void tile_store(
    S *c, T *p, int64_t stride) {
  tile_each<R, C>(c, [&](S &s, int i, int j) { p[i * stride + j] = W::to(s); });
}
template <int R, int C, typename S> INLINE void tile_load(S *c, const S *p, int64_t stride) {
  tile_each<R, C>(c, [&](S &s, int i, int j) { s = p[i * stride + j]; });
}
template <int R, int C, int N, typename T> INLINE void tile_copy(
    T *to, int64_t ts, const T *from, int64_t fs) {
  const int V = 16 / sizeof(T);
  bool aligned = C % V == 0
      && (((uint64_t)to | (uint64_t)from | (ts | fs) * sizeof(T)) & 15) == 0;
  if (aligned) {
    #pragma unroll
    for (int e = 0; e < R * (C / V); e += N) {
      int n = e + threadIdx.x;
      if (R * (C / V) % N == 0 || n < R * (C / V)) {
        int i = n / (C / V), j = n % (C / V) * V;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
            :: "r"(shared_address(to + i * ts + j)), "l"(from + i * fs + j) : "memory");
      }
    }
  } else {
    for (int n = threadIdx.x; n < R * C; n += N)
      to[n / C * ts + n % C] = from[n / C * fs + n % C];
  }
}
