// The kernels of the suite as one would write them in CUDA C and in OpenCL C, for blocks of 256
// threads: the same steps. Sizes are constants here as they are in Java: the suite defines them.
#ifdef __OPENCL_VERSION__
#pragma OPENCL FP_CONTRACT ON
typedef long i64;
#define KERNEL __kernel void
#define GLOBAL __global
#define SHARED __local
#define THREAD ((int)get_local_id(0))
#define GROUP ((int)get_group_id(0))
#define GROUPS ((int)get_num_groups(0))
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define atomicAdd atomic_add
#else
typedef long long i64;
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define SHARED __shared__
#define THREAD ((int)threadIdx.x)
#define GROUP ((int)blockIdx.x)
#define GROUPS ((int)gridDim.x)
#define BARRIER __syncthreads()
#define restrict __restrict__
#endif
enum { BLOCK = 256, PER_ITEM = 16, CHUNK = 8192, TILE = 16, DIGITS = 16 };
#define RANGE i64 begin, i64 end
#define ITEM ((i64)GROUP * BLOCK + THREAD)

KERNEL saxpy(
    GLOBAL float *restrict y, GLOBAL const float *restrict x, GLOBAL const float *restrict a, RANGE) {
  y[ITEM] = *a * x[ITEM] + y[ITEM];
}

KERNEL stencil5(
    GLOBAL float *restrict b, GLOBAL const float *restrict a, RANGE) {
  const i64 n = STENCIL5, across = (n - 3) / BLOCK + 1;
  i64 i = GROUP / across, j = GROUP % across * BLOCK + THREAD;
  if (j >= n - 2) return;
  GLOBAL const float *c = a + (i + 1) * n + j + 1;
  b[(i + 1) * n + j + 1] = 0.5f * c[0] + 0.125f * (c[-1] + c[1] + c[-n] + c[n]);
}

KERNEL stencil7(
    GLOBAL float *restrict b, GLOBAL const float *restrict a, RANGE) {
  const i64 n = STENCIL7, down = (n - 3) / 4 + 1, across = (n - 3) / 64 + 1;
  i64 i = GROUP / (down * across), j = GROUP / across % down * 4 + THREAD / 64;
  i64 k = GROUP % across * 64 + THREAD % 64;
  if (j >= n - 2 || k >= n - 2) return;
  i64 at = ((i + 1) * n + j + 1) * n + k + 1;
  GLOBAL const float *c = a + at;
  b[at] = 0.4f * c[0] + 0.1f * (c[-1] + c[1] + c[-n] + c[n] + c[-n * n] + c[n * n]);
}

KERNEL bodies(
    GLOBAL float *restrict ax, GLOBAL float *restrict ay, GLOBAL float *restrict az,
    GLOBAL const float *restrict x, GLOBAL const float *restrict y, GLOBAL const float *restrict z,
    GLOBAL const float *restrict mass, RANGE) {
  i64 i = ITEM;
  float xi = x[i], yi = y[i], zi = z[i], sx = 0, sy = 0, sz = 0;
  for (int j = 0; j < BODIES; j++) {
    float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
    float inverse = 1 / sqrt(dx * dx + dy * dy + dz * dz + 0.001f);
    float pull = mass[j] * inverse * inverse * inverse;
    sx += dx * pull;
    sy += dy * pull;
    sz += dz * pull;
  }
  ax[i] = sx;
  ay[i] = sy;
  az[i] = sz;
}

KERNEL mandelbrot(GLOBAL int *restrict counts, RANGE) {
  const i64 n = MANDELBROT;
  double real = ITEM % n * (2.5 / n) - 2, imaginary = ITEM / n * (2.5 / n) - 1.25, a = 0, b = 0;
  int count = 0;
  while (count < MOST && a * a + b * b <= 4) {
    double next = a * a - b * b + real;
    b = 2 * a * b + imaginary;
    a = next;
    count++;
  }
  counts[ITEM] = count;
}

KERNEL histogram(
    GLOBAL int *restrict bins, GLOBAL const int *restrict keys, RANGE) {
  SHARED int counts[BLOCK];
  counts[THREAD] = 0;
  BARRIER;
  GLOBAL const int *own = keys + (i64)GROUP * CHUNK;
  for (int k = THREAD; k < CHUNK; k += BLOCK) atomicAdd(&counts[own[k] & 255], 1);
  BARRIER;
  atomicAdd(&bins[THREAD], counts[THREAD]);
}

KERNEL scan(GLOBAL int *restrict out, GLOBAL const int *restrict in, RANGE) {
  SHARED int sums[BLOCK];
  int item = THREAD, sum = 0;
  GLOBAL const int *x = in + ITEM * PER_ITEM;
  GLOBAL int *y = out + ITEM * PER_ITEM;
  for (int k = 0; k < PER_ITEM; k++) sum += x[k];
  sums[item] = sum;
  BARRIER;
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    int left = item >= distance ? sums[item - distance] : 0;
    BARRIER;
    sums[item] += left;
    BARRIER;
  }
  int running = sums[item] - sum;
  for (int k = 0; k < PER_ITEM; k++) {
    running += x[k];
    y[k] = running;
  }
}

KERNEL csr(
    GLOBAL double *restrict y, GLOBAL const int *restrict starts, GLOBAL const int *restrict columns,
    GLOBAL const double *restrict values, GLOBAL const double *restrict x, RANGE) {
  double sum = 0;
  int last = starts[ITEM + 1];
  for (int k = starts[ITEM]; k < last; k++) sum += values[k] * x[columns[k]];
  y[ITEM] = sum;
}

KERNEL product(
    GLOBAL float *restrict c, GLOBAL const float *restrict a, GLOBAL const float *restrict b, RANGE) {
  const int n = PRODUCT;
  SHARED float left[TILE][TILE], right[TILE][TILE];
  int i = THREAD / TILE, j = THREAD % TILE;
  i64 row = GROUP / (n / TILE) * TILE + i, column = GROUP % (n / TILE) * TILE + j;
  float sum = 0;
  for (int tile = 0; tile < n; tile += TILE) {
    left[i][j] = a[row * n + tile + j];
    right[i][j] = b[(i64)(tile + i) * n + column];
    BARRIER;
    for (int k = 0; k < TILE; k++) sum += left[i][k] * right[k][j];
    BARRIER;
  }
  c[row * n + column] = sum;
}

KERNEL batched(
    GLOBAL float *restrict c, GLOBAL const float *restrict a, GLOBAL const float *restrict b, RANGE) {
  i64 matrix = ITEM / 64 * 64;
  int i = THREAD % 64 / 8, j = THREAD % 8;
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += a[matrix + 8 * i + k] * b[matrix + 8 * k + j];
  c[ITEM] = sum;
}

KERNEL radix(
    GLOBAL int *restrict out, GLOBAL const int *restrict all, GLOBAL const int *restrict starts, RANGE) {
  SHARED int counts[DIGITS * BLOCK], sums[BLOCK];
  const int item = THREAD, group = BLOCK / DIGITS;
  GLOBAL const int *keys = all + ITEM * PER_ITEM;
  for (int d = 0; d < DIGITS; d++) counts[d * BLOCK + item] = 0;
  for (int k = 0; k < PER_ITEM; k++)
    counts[((unsigned)keys[k] >> SHIFT & (DIGITS - 1)) * BLOCK + item]++;
  BARRIER;
  int sum = 0;
  for (int k = 0; k < DIGITS; k++) sum += counts[item * DIGITS + k];
  sums[item] = sum;
  BARRIER;
  int place = starts[(i64)(item / group) * GROUPS + GROUP];
  for (int k = item / group * group; k < item; k++) place += sums[k];
  for (int k = 0; k < DIGITS; k++) {
    int count = counts[item * DIGITS + k];
    counts[item * DIGITS + k] = place;
    place += count;
  }
  BARRIER;
  for (int k = 0; k < PER_ITEM; k++) {
    int key = keys[k];
    out[counts[((unsigned)key >> SHIFT & (DIGITS - 1)) * BLOCK + item]++] = key;
  }
}
