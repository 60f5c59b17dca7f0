// The kernels of the suite as one would write them in C: plain loops, several partial sums where
// the order of a sum does not matter.
#include <math.h>
#include <stdint.h>

enum { N = 4096, M = 4096, G = 256, L = 32 };

void triad(void **p, int64_t begin, int64_t end) {
  float *restrict a = p[0];
  const float *restrict b = p[1], *restrict c = p[2];
  for (int64_t i = begin; i < end; i++) a[i] = b[i] + 3 * c[i];
}

void chain(void **p, int64_t begin, int64_t end) {
  float *restrict y = p[0];
  const float *restrict x = p[1];
  for (int64_t i = begin; i < end; i++) {
    float t = x[i] * 2 + 1;
    t = t > 0 ? t : 0;
    y[i] = t * t - x[i];
  }
}

void stencil(void **p, int64_t begin, int64_t end) {
  float *restrict b = p[0];
  const float *restrict a = p[1];
  enum { H = G + 2 };
  for (int64_t i = begin; i < end; i++)
    for (int64_t j = 0; j < G; j++)
      for (int64_t k = 0; k < G; k++) {
        const float *c = a + ((i + 1) * H + j + 1) * H + k + 1;
        b[(i * G + j) * G + k] =
            c[0] * 0.4f + (c[1] + c[-1] + c[H] + c[-H] + c[H * H] + c[-H * H]) * 0.1f;
      }
}

static float sum(const float *x) {
  float s[L] = {0};
  for (int64_t j = 0; j < M; j += L)
    for (int l = 0; l < L; l++) s[l] += x[j + l];
  float t = 0;
  for (int l = 0; l < L; l++) t += s[l];
  return t;
}

void rowsum(void **p, int64_t begin, int64_t end) {
  float *restrict s = p[0];
  const float *restrict x = p[1];
  for (int64_t i = begin; i < end; i++) s[i] = sum(x + i * M);
}

void colsum(void **p, int64_t begin, int64_t end) {
  float *restrict s = p[0];
  const float *restrict x = p[1];
  for (int64_t j = begin; j < end; j++) s[j] = 0;
  for (int64_t i = 0; i < N; i++)
    for (int64_t j = begin; j < end; j++) s[j] += x[i * M + j];
}

void softmax(void **p, int64_t begin, int64_t end) {
  float *restrict y = p[0];
  const float *restrict x = p[1];
  for (int64_t i = begin; i < end; i++) {
    float m = -INFINITY;
    for (int64_t j = 0; j < M; j++) m = x[i * M + j] > m ? x[i * M + j] : m;
    for (int64_t j = 0; j < M; j++) y[i * M + j] = expf(x[i * M + j] - m);
    float r = 1 / sum(y + i * M);
    for (int64_t j = 0; j < M; j++) y[i * M + j] *= r;
  }
}

void layernorm(void **p, int64_t begin, int64_t end) {
  float *restrict y = p[0];
  const float *restrict x = p[1];
  for (int64_t i = begin; i < end; i++) {
    float mean = sum(x + i * M) / M;
    float s[L] = {0};
    for (int64_t j = 0; j < M; j += L)
      for (int l = 0; l < L; l++) {
        float d = x[i * M + j + l] - mean;
        s[l] += d * d;
      }
    float v = 0;
    for (int l = 0; l < L; l++) v += s[l];
    float r = 1 / sqrtf(v / M + 1e-5f);
    for (int64_t j = 0; j < M; j++) y[i * M + j] = (x[i * M + j] - mean) * r;
  }
}
