/* The STREAM triad over 64 Mi doubles with OpenMP: prints "case microseconds", a median. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEAT = 7 };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  long n = 64L << 20;
  omp_set_num_threads(argc > 1 ? atoi(argv[1]) : 1);
  double *restrict a = aligned_alloc(64, (size_t)n * 8);
  double *restrict b = aligned_alloc(64, (size_t)n * 8);
  double *restrict c = aligned_alloc(64, (size_t)n * 8);
#pragma omp parallel for
  for (long i = 0; i < n; i++) a[i] = 0, b[i] = (double)i, c[i] = 1;
  double took[REPEAT];
  for (int r = 0; r < REPEAT; r++) {
    double start = omp_get_wtime();
#pragma omp parallel for
    for (long i = 0; i < n; i++) a[i] = b[i] + 3 * c[i];
    took[r] = (omp_get_wtime() - start) * 1e6;
  }
  qsort(took, REPEAT, sizeof *took, ascending);
  if (a[n / 2] != (double)(n / 2) + 3) return 1;
  printf("parallelFor/triad %.3f\n", took[REPEAT / 2]);
  return 0;
}
