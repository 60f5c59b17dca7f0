// Products of matrices of 16-bit elements by the warpgroup instructions of compute capability 9.0:
// c = a b, summed in binary32, in batches.
//
// A block has three groups of 128 threads and computes 128 by 256 elements at a time. The first
// group copies slices of both factors to shared memory, up to STAGES ahead; the others multiply 64
// rows each. Slices lie as the instructions want them: lines of 128 bytes whose pieces of 16 bytes
// are swapped by the line's number, so that neither side meets a bank twice.
//
// Before this text are defined: BF, whether elements are upper halves of binary32 instead of
// binary16; A_ALONG and B_ALONG, whether neighbours of a factor lie along the summed axis. The
// other stride is a multiple of 8, as are the places where matrices begin.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;
typedef unsigned short half_bits;

#define STAGES 4
#define LAG 1 // slices on their way besides the one that is awaited
#define GROUP 16
#define ROWS 128
#define COLUMNS 256
#define DEPTH 64
#define LINE 128
#define SLICE_A (ROWS * LINE)
#define SLICE_B (COLUMNS * LINE)
#define SLICES (SLICE_A + SLICE_B)
#define FN static __device__ __forceinline__

FN u32 shared_address(const void *p) {
  u32 r;
  asm("{ .reg .u64 at; cvta.to.shared.u64 at, %1; cvt.u32.u64 %0, at; }" : "=r"(r) : "l"(p));
  return r;
}
FN void arrive(u32 barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}
FN void await(u32 barrier, u32 parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(barrier), "r"(parity) : "memory");
}
FN void copy(u32 to, const half_bits *from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}
FN int bytes(i64 left) { return left >= 8 ? 16 : left <= 0 ? 0 : (int)left * 2; }

// Copies the pieces of a slice that are a thread's: every sixteenth line, zeros behind the edges.
template <bool ALONG, int WIDE> struct loader {
  const half_bits *from;
  i64 stride, outer, summed;
  u32 to;

  __device__ __forceinline__ loader(const half_bits *matrix, i64 stride, i64 first, i64 size, i64 summed, int t)
      : stride(stride) {
    int line = t / 8, piece = t % 8;
    to = line * LINE + ((piece ^ (line & 7)) << 4);
    if (ALONG) {
      from = matrix + (first + line) * stride + piece * 8;
      outer = size - first - line;
      this->summed = summed - piece * 8;
    } else {
      from = matrix + line * stride + first + piece * 8;
      outer = size - first - piece * 8;
      this->summed = summed - line;
    }
  }
  __device__ __forceinline__ void next(u32 slice) {
    #pragma unroll
    for (int i = 0; i < (ALONG ? WIDE : DEPTH) / 16; i++) {
      if (ALONG) {
        copy(slice + to + i * 16 * LINE, from + i * 16 * stride, i * 16 < outer ? bytes(summed) : 0);
      } else {
        #pragma unroll
        for (int g = 0; g < WIDE / 64; g++)
          copy(slice + to + (g * DEPTH + i * 16) * LINE, from + i * 16 * stride + g * 64,
               i * 16 < summed ? bytes(outer - g * 64) : 0);
      }
    }
    from += ALONG ? DEPTH : DEPTH * stride;
    summed -= DEPTH;
  }
};

// Where a slice lies, for the instruction: its address, the distance of 64 elements across if the
// lines are along that, and of eight lines.
FN u64 place(u32 address) {
  return (u64)((address & 0x3ffff) >> 4) | (u64)(DEPTH * LINE >> 4) << 16 | (u64)(8 * LINE >> 4) << 32
      | 1ull << 62;
}

#if BF
#define TYPES "f32.bf16.bf16 "
#else
#define TYPES "f32.f16.f16 "
#endif

FN void multiply(float (&d)[128], u64 a, u64 b, int add) {
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16." TYPES "{"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, add, 1, 1, %131, %132; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
          "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
          "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]),
          "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]),
          "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]),
          "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]),
          "+f"(d[48]), "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63]),
          "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]), "+f"(d[70]), "+f"(d[71]),
          "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]), "+f"(d[77]), "+f"(d[78]), "+f"(d[79]),
          "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]), "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]),
          "+f"(d[88]), "+f"(d[89]), "+f"(d[90]), "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]),
          "+f"(d[96]), "+f"(d[97]), "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
          "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]), "+f"(d[110]), "+f"(d[111]),
          "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]), "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]),
          "+f"(d[120]), "+f"(d[121]), "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
      : "l"(a), "l"(b), "r"(add), "n"(!A_ALONG), "n"(!B_ALONG));
}

FN u32 rounded(float low, float high) {
  u32 r;
#if BF
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
#else
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
#endif
  return r;
}

// Four threads have two columns each of four blocks of eight; then each has a block.
FN void exchange(u32 (&x)[4], int lane) {
  #pragma unroll
  for (int step = 1; step < 4; step *= 2) {
    bool high = lane & step;
    #pragma unroll
    for (int i = 0; i < 4; i++) {
      if (i & step) continue;
      u32 got = __shfl_xor_sync(0xffffffffu, high ? x[i] : x[i + step], step);
      if (high) x[i] = got; else x[i + step] = got;
    }
  }
}

struct numbers {
  i64 rows, columns, summed, batches, c_row, c_batch, a_stride, a_batch, b_stride, b_batch;
};

// Tiles in bands of GROUP rows of them, so that what is read at a time stays in the cache.
FN void tile(i64 number, const numbers &n, i64 &batch, i64 &row, i64 &column) {
  i64 down = (n.rows - 1) / ROWS + 1, across = (n.columns - 1) / COLUMNS + 1;
  batch = number / (down * across);
  i64 rest = number % (down * across), band = rest / (GROUP * across) * GROUP;
  i64 high = down - band < GROUP ? down - band : GROUP;
  row = (band + rest % (GROUP * across) % high) * ROWS;
  column = rest % (GROUP * across) / high * COLUMNS;
}

extern "C" __global__ void __launch_bounds__(384, 1) half_product(
    half_bits *c, const half_bits *a, const half_bits *b, i64 rows, i64 columns, i64 summed,
    i64 batches, i64 c_row, i64 c_batch, i64 a_stride, i64 a_batch, i64 b_stride, i64 b_batch) {
  const numbers n = {rows, columns, summed, batches, c_row, c_batch, a_stride, a_batch, b_stride,
                     b_batch};
  extern __shared__ unsigned char memory[];
  __shared__ u64 barriers[2 * STAGES];
  u32 full = shared_address(barriers), empty = full + STAGES * 8;
  u32 slices = (shared_address(memory) + 1023) & ~1023u;
  int t = threadIdx.x % 128, group = threadIdx.x / 128;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) {
      asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(full + i * 8) : "memory");
      asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(empty + i * 8) : "memory");
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  i64 tiles = ((rows - 1) / ROWS + 1) * ((columns - 1) / COLUMNS + 1) * batches;
  int steps = (int)((summed - 1) / DEPTH + 1);
  i64 batch, row, column;
  u32 at = 0, turn = 0;
  if (group == 0) {
    int pending = 0;
    u32 oldest = 0;
    for (i64 number = blockIdx.x; number < tiles; number += gridDim.x) {
      tile(number, n, batch, row, column);
      loader<A_ALONG, ROWS> left(a + batch * a_batch, a_stride, row, rows, summed, t);
      loader<B_ALONG, COLUMNS> right(b + batch * b_batch, b_stride, column, columns, summed, t);
      for (int k = 0; k < steps; k++) {
        await(empty + at * 8, turn ^ 1);
        left.next(slices + at * SLICES);
        right.next(slices + at * SLICES + SLICE_A);
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (++pending > LAG) {
          asm volatile("cp.async.wait_group %0;" ::"n"(LAG) : "memory");
          asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
          arrive(full + oldest * 8);
          oldest = oldest + 1 == STAGES ? 0 : oldest + 1;
          pending--;
        }
        if (++at == STAGES) at = 0, turn ^= 1;
      }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    for (; pending > 0; pending--) {
      arrive(full + oldest * 8);
      oldest = oldest + 1 == STAGES ? 0 : oldest + 1;
    }
    return;
  }
  const int lane = t % 32, quarter = lane % 4;
  // Lines along the summed axis are a row each; else eight lines are as many summed elements.
  const u32 step_a = A_ALONG ? 32 : 16 * LINE, step_b = B_ALONG ? 32 : 16 * LINE;
  const u32 own = (group - 1) * 64 * LINE;
  for (i64 number = blockIdx.x; number < tiles; number += gridDim.x) {
    float d[128];
    u32 last = 0;
    for (int k = 0; k < steps; k++) {
      await(full + at * 8, turn);
      u32 left = slices + at * SLICES + own, right = slices + at * SLICES + SLICE_A;
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      #pragma unroll
      for (int i = 0; i < DEPTH / 16; i++)
        multiply(d, place(left + i * step_a), place(right + i * step_b), k + i > 0);
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
      if (k > 0 && t == 0) arrive(empty + last * 8);
      last = at;
      if (++at == STAGES) at = 0, turn ^= 1;
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    if (t == 0) arrive(empty + last * 8);
    tile(number, n, batch, row, column);
    i64 first = row + (group - 1) * 64 + t / 32 * 16 + lane / 4;
    half_bits *to = c + batch * c_batch + first * c_row + column;
    bool whole = column + COLUMNS <= columns && ((u64)to & 15) == 0 && c_row % 8 == 0;
    #pragma unroll
    for (int h = 0; h < 2; h++) {
      // All threads of a warp exchange, whether the row is there or not.
      bool there = first + h * 8 < rows;
      #pragma unroll
      for (int j = 0; j < 32; j += 4) {
        u32 x[4];
        #pragma unroll
        for (int q = 0; q < 4; q++) x[q] = rounded(d[(j + q) * 4 + h * 2], d[(j + q) * 4 + h * 2 + 1]);
        exchange(x, lane);
        half_bits *place = to + h * 8 * c_row + (j + quarter) * 8;
        if (there && whole) {
          *(uint4 *)place = make_uint4(x[0], x[1], x[2], x[3]);
        } else if (there) {
          #pragma unroll
          for (int e = 0; e < 8; e++)
            if (column + (j + quarter) * 8 + e < columns)
              place[e] = (half_bits)(x[e / 2] >> e % 2 * 16);
        }
      }
    }
  }
}
