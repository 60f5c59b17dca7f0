// The kernels of the suite as one would write them in C with OpenMP: loops in place of items, the
// same steps. Sizes are constants here as they are in Java: the suite defines them.
#include <math.h>
#include <stdint.h>

enum { BLOCK = 256, PER_ITEM = 16, CHUNK = 8192, TILE = 16, DIGITS = 16 };

void saxpy(void **p) {
  float *restrict y = p[0];
  const float *restrict x = p[1];
  const float a = *(float *)p[2];
#pragma omp parallel for
  for (int64_t i = 0; i < SAXPY; i++) y[i] = a * x[i] + y[i];
}

void stencil5(void **p) {
  enum { N = STENCIL5 };
  float *restrict b = p[0];
  const float *restrict a = p[1];
#pragma omp parallel for
  for (int64_t i = 1; i < N - 1; i++)
    for (int64_t j = 1; j < N - 1; j++) {
      const float *c = a + i * N + j;
      b[i * N + j] = 0.5f * c[0] + 0.125f * (c[-1] + c[1] + c[-N] + c[N]);
    }
}

void stencil7(void **p) {
  enum { N = STENCIL7 };
  float *restrict b = p[0];
  const float *restrict a = p[1];
#pragma omp parallel for
  for (int64_t i = 1; i < N - 1; i++)
    for (int64_t j = 1; j < N - 1; j++)
      for (int64_t k = 1; k < N - 1; k++) {
        const float *c = a + (i * N + j) * N + k;
        b[(i * N + j) * N + k] =
            0.4f * c[0] + 0.1f * (c[-1] + c[1] + c[-N] + c[N] + c[-N * N] + c[N * N]);
      }
}

void bodies(void **p) {
  float *restrict ax = p[0], *restrict ay = p[1], *restrict az = p[2];
  const float *restrict x = p[3], *restrict y = p[4], *restrict z = p[5], *restrict mass = p[6];
#pragma omp parallel for
  for (int64_t i = 0; i < BODIES; i++) {
    float sx = 0, sy = 0, sz = 0;
    for (int64_t j = 0; j < BODIES; j++) {
      float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
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
}

void mandelbrot(void **p) {
  enum { N = MANDELBROT };
  int32_t *restrict counts = p[0];
#pragma omp parallel for schedule(dynamic, 8)
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = 0; j < N; j++) {
      double real = j * (2.5 / N) - 2, imaginary = i * (2.5 / N) - 1.25, a = 0, b = 0;
      int32_t count = 0;
      while (count < MOST && a * a + b * b <= 4) {
        double next = a * a - b * b + real;
        b = 2 * a * b + imaginary;
        a = next;
        count++;
      }
      counts[i * N + j] = count;
    }
}

void histogram(void **p) {
  int32_t *restrict bins = p[0];
  const int32_t *restrict keys = p[1];
#pragma omp parallel for
  for (int64_t block = 0; block < HISTOGRAM / CHUNK; block++) {
    int32_t counts[BLOCK] = {0};
    for (int64_t k = 0; k < CHUNK; k++) counts[keys[block * CHUNK + k] & 255]++;
    for (int k = 0; k < BLOCK; k++) {
#pragma omp atomic
      bins[k] += counts[k];
    }
  }
}

void scan(void **p) {
  int32_t *restrict out = p[0];
  const int32_t *restrict in = p[1];
#pragma omp parallel for
  for (int64_t block = 0; block < SCAN / (BLOCK * PER_ITEM); block++) {
    const int32_t *x = in + block * BLOCK * PER_ITEM;
    int32_t *y = out + block * BLOCK * PER_ITEM, sums[BLOCK], own[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
      int32_t sum = 0;
      for (int k = 0; k < PER_ITEM; k++) sum += x[i * PER_ITEM + k];
      sums[i] = own[i] = sum;
    }
    for (int distance = 1; distance < BLOCK; distance *= 2)
      for (int i = BLOCK - 1; i >= distance; i--) sums[i] += sums[i - distance];
    for (int i = 0; i < BLOCK; i++) {
      int32_t running = sums[i] - own[i];
      for (int k = 0; k < PER_ITEM; k++) {
        running += x[i * PER_ITEM + k];
        y[i * PER_ITEM + k] = running;
      }
    }
  }
}

void csr(void **p) {
  double *restrict y = p[0];
  const int32_t *restrict starts = p[1], *restrict columns = p[2];
  const double *restrict values = p[3], *restrict x = p[4];
#pragma omp parallel for
  for (int64_t row = 0; row < CSR; row++) {
    double sum = 0;
    for (int32_t k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

void product(void **p) {
  enum { N = PRODUCT };
  float *restrict c = p[0];
  const float *restrict a = p[1], *restrict b = p[2];
#pragma omp parallel for collapse(2)
  for (int64_t row = 0; row < N; row += TILE)
    for (int64_t column = 0; column < N; column += TILE) {
      float left[TILE][TILE], right[TILE][TILE], sum[TILE][TILE] = {0};
      for (int64_t tile = 0; tile < N; tile += TILE) {
        for (int i = 0; i < TILE; i++)
          for (int j = 0; j < TILE; j++) {
            left[i][j] = a[(row + i) * N + tile + j];
            right[i][j] = b[(tile + i) * N + column + j];
          }
        for (int i = 0; i < TILE; i++)
          for (int j = 0; j < TILE; j++) {
            float s = sum[i][j];
            for (int k = 0; k < TILE; k++) s += left[i][k] * right[k][j];
            sum[i][j] = s;
          }
      }
      for (int i = 0; i < TILE; i++)
        for (int j = 0; j < TILE; j++) c[(row + i) * N + column + j] = sum[i][j];
    }
}

void batched(void **p) {
  float *restrict cs = p[0];
  const float *restrict as = p[1], *restrict bs = p[2];
#pragma omp parallel for
  for (int64_t m = 0; m < BATCHED; m++) {
    const float *a = as + m * 64, *b = bs + m * 64;
    float *c = cs + m * 64;
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++) {
        float sum = 0;
        for (int k = 0; k < 8; k++) sum += a[8 * i + k] * b[8 * k + j];
        c[8 * i + j] = sum;
      }
  }
}

void radix(void **p) {
  enum { BLOCKS = RADIX / (BLOCK * PER_ITEM) };
  int32_t *restrict out = p[0];
  const uint32_t *restrict all = p[1];
  const int32_t *restrict starts = p[2];
#pragma omp parallel for
  for (int64_t block = 0; block < BLOCKS; block++) {
    const uint32_t *keys = all + block * BLOCK * PER_ITEM;
    int32_t counts[DIGITS][BLOCK] = {0};
    for (int i = 0; i < BLOCK; i++)
      for (int k = 0; k < PER_ITEM; k++)
        counts[keys[i * PER_ITEM + k] >> SHIFT & (DIGITS - 1)][i]++;
    for (int d = 0; d < DIGITS; d++) {
      int32_t place = starts[d * BLOCKS + block];
      for (int i = 0; i < BLOCK; i++) {
        int32_t count = counts[d][i];
        counts[d][i] = place;
        place += count;
      }
    }
    for (int i = 0; i < BLOCK; i++)
      for (int k = 0; k < PER_ITEM; k++) {
        uint32_t key = keys[i * PER_ITEM + k];
        out[counts[key >> SHIFT & (DIGITS - 1)][i]++] = key;
      }
  }
}
