/* FFTW with threads on batches of lines: prints "case microseconds", a median.
   Arguments: threads, a file for wisdom, then lengths. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { POINTS = 1 << 18, REPEAT = 15 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  fftw_init_threads();
  fftw_plan_with_nthreads(atoi(argv[1]));
  fftw_import_wisdom_from_filename(argv[2]);
  for (int i = 3; i < argc; i++) {
    int n = atoi(argv[i]), lines = POINTS / n;
    size_t count = (size_t)n * lines;
    fftw_complex *in = fftw_alloc_complex(count), *out = fftw_alloc_complex(count);
    fftw_plan plan = fftw_plan_many_dft(1, &n, lines, in, NULL, 1, n, out, NULL, 1, n,
                                        FFTW_FORWARD, FFTW_MEASURE);
    for (size_t k = 0; k < count; k++) in[k][0] = (double)(k % 7), in[k][1] = (double)(k % 5);
    double took[REPEAT];
    for (int r = 0; r < REPEAT; r++) {
      double start = now();
      fftw_execute(plan);
      took[r] = now() - start;
    }
    qsort(took, REPEAT, sizeof *took, ascending);
    printf("lines/%d %.3f\n", n, took[REPEAT / 2]);
    fftw_destroy_plan(plan);
    fftw_free(in);
    fftw_free(out);
  }
  return fftw_export_wisdom_to_filename(argv[2]) ? 0 : 1;
}
