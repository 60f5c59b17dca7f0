// The kernels of the suite as one would write them in CUDA C, for blocks of 256 threads: the same
// steps. Sizes are constants here as they are in Java: the suite defines them.
enum { BLOCK = 256, PER_ITEM = 16, CHUNK = 8192, TILE = 16, DIGITS = 16 };
typedef long long i64;
#define RANGE i64 begin, i64 end
#define ITEM ((i64)blockIdx.x * BLOCK + threadIdx.x)

extern "C" __global__ void saxpy(
    float *__restrict__ y, const float *__restrict__ x, const float *__restrict__ a, RANGE) {
  y[ITEM] = *a * x[ITEM] + y[ITEM];
}

extern "C" __global__ void stencil5(
    float *__restrict__ b, const float *__restrict__ a, RANGE) {
  const i64 n = STENCIL5, across = (n - 3) / BLOCK + 1;
  i64 i = blockIdx.x / across, j = blockIdx.x % across * BLOCK + threadIdx.x;
  if (j >= n - 2) return;
  const float *c = a + (i + 1) * n + j + 1;
  b[(i + 1) * n + j + 1] = 0.5f * c[0] + 0.125f * (c[-1] + c[1] + c[-n] + c[n]);
}

extern "C" __global__ void stencil7(
    float *__restrict__ b, const float *__restrict__ a, RANGE) {
  const i64 n = STENCIL7, down = (n - 3) / 4 + 1, across = (n - 3) / 64 + 1;
  i64 i = blockIdx.x / (down * across), j = blockIdx.x / across % down * 4 + threadIdx.x / 64;
  i64 k = blockIdx.x % across * 64 + threadIdx.x % 64;
  if (j >= n - 2 || k >= n - 2) return;
  i64 at = ((i + 1) * n + j + 1) * n + k + 1;
  const float *c = a + at;
  b[at] = 0.4f * c[0] + 0.1f * (c[-1] + c[1] + c[-n] + c[n] + c[-n * n] + c[n * n]);
}

extern "C" __global__ void bodies(
    float *__restrict__ ax, float *__restrict__ ay, float *__restrict__ az,
    const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
    const float *__restrict__ mass, RANGE) {
  i64 i = ITEM;
  float xi = x[i], yi = y[i], zi = z[i], sx = 0, sy = 0, sz = 0;
  for (int j = 0; j < BODIES; j++) {
    float dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
    float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.001f);
    float pull = mass[j] * inverse * inverse * inverse;
    sx += dx * pull;
    sy += dy * pull;
    sz += dz * pull;
  }
  ax[i] = sx;
  ay[i] = sy;
  az[i] = sz;
}

extern "C" __global__ void mandelbrot(int *__restrict__ counts, RANGE) {
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

extern "C" __global__ void histogram(
    int *__restrict__ bins, const int *__restrict__ keys, RANGE) {
  __shared__ int counts[BLOCK];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const int *own = keys + (i64)blockIdx.x * CHUNK;
  for (int k = threadIdx.x; k < CHUNK; k += BLOCK) atomicAdd(&counts[own[k] & 255], 1);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

extern "C" __global__ void scan(int *__restrict__ out, const int *__restrict__ in, RANGE) {
  __shared__ int sums[BLOCK];
  int local = threadIdx.x, sum = 0;
  const int *x = in + ITEM * PER_ITEM;
  int *y = out + ITEM * PER_ITEM;
  for (int k = 0; k < PER_ITEM; k++) sum += x[k];
  sums[local] = sum;
  __syncthreads();
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    int left = local >= distance ? sums[local - distance] : 0;
    __syncthreads();
    sums[local] += left;
    __syncthreads();
  }
  int running = sums[local] - sum;
  for (int k = 0; k < PER_ITEM; k++) {
    running += x[k];
    y[k] = running;
  }
}

extern "C" __global__ void csr(
    double *__restrict__ y, const int *__restrict__ starts, const int *__restrict__ columns,
    const double *__restrict__ values, const double *__restrict__ x, RANGE) {
  double sum = 0;
  int last = starts[ITEM + 1];
  for (int k = starts[ITEM]; k < last; k++) sum += values[k] * x[columns[k]];
  y[ITEM] = sum;
}

extern "C" __global__ void product(
    float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, RANGE) {
  const int n = PRODUCT;
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  int i = threadIdx.x / TILE, j = threadIdx.x % TILE;
  i64 row = blockIdx.x / (n / TILE) * TILE + i, column = blockIdx.x % (n / TILE) * TILE + j;
  float sum = 0;
  for (int tile = 0; tile < n; tile += TILE) {
    left[i][j] = a[row * n + tile + j];
    right[i][j] = b[(i64)(tile + i) * n + column];
    __syncthreads();
    for (int k = 0; k < TILE; k++) sum += left[i][k] * right[k][j];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

extern "C" __global__ void batched(
    float *__restrict__ c, const float *__restrict__ a, const float *__restrict__ b, RANGE) {
  i64 matrix = ITEM / 64 * 64;
  int i = threadIdx.x % 64 / 8, j = threadIdx.x % 8;
  float sum = 0;
  for (int k = 0; k < 8; k++) sum += a[matrix + 8 * i + k] * b[matrix + 8 * k + j];
  c[ITEM] = sum;
}

extern "C" __global__ void radix(
    int *__restrict__ out, const int *__restrict__ all, const int *__restrict__ starts, RANGE) {
  __shared__ int counts[DIGITS * BLOCK], sums[BLOCK];
  const int local = threadIdx.x, group = BLOCK / DIGITS;
  const int *keys = all + ITEM * PER_ITEM;
  for (int d = 0; d < DIGITS; d++) counts[d * BLOCK + local] = 0;
  for (int k = 0; k < PER_ITEM; k++)
    counts[((unsigned)keys[k] >> SHIFT & (DIGITS - 1)) * BLOCK + local]++;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < DIGITS; k++) sum += counts[local * DIGITS + k];
  sums[local] = sum;
  __syncthreads();
  int place = starts[(i64)(local / group) * gridDim.x + blockIdx.x];
  for (int k = local / group * group; k < local; k++) place += sums[k];
  for (int k = 0; k < DIGITS; k++) {
    int count = counts[local * DIGITS + k];
    counts[local * DIGITS + k] = place;
    place += count;
  }
  __syncthreads();
  for (int k = 0; k < PER_ITEM; k++) {
    int key = keys[k];
    out[counts[((unsigned)key >> SHIFT & (DIGITS - 1)) * BLOCK + local]++] = key;
  }
}
