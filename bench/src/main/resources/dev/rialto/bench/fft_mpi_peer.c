/* FFTW-MPI on cubes, forward and inverse, transposed in between: prints "case microseconds".
   Arguments: a file for wisdom, then edges. */
#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEAT = 5 };

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  fftw_mpi_init();
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fftw_import_wisdom_from_filename(argv[1]);
  fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
  for (int i = 2; i < argc; i++) {
    ptrdiff_t n = atoi(argv[i]), n0, s0, n1, s1;
    ptrdiff_t count =
        fftw_mpi_local_size_3d_transposed(n, n, n, MPI_COMM_WORLD, &n0, &s0, &n1, &s1);
    fftw_complex *x = fftw_alloc_complex(count);
    fftw_plan forward = fftw_mpi_plan_dft_3d(n, n, n, x, x, MPI_COMM_WORLD, FFTW_FORWARD,
                                             FFTW_MEASURE | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan inverse = fftw_mpi_plan_dft_3d(n, n, n, x, x, MPI_COMM_WORLD, FFTW_BACKWARD,
                                             FFTW_MEASURE | FFTW_MPI_TRANSPOSED_IN);
    for (ptrdiff_t k = 0; k < count; k++) x[k][0] = (double)(k % 7) * 1e-9, x[k][1] = 0;
    double took[REPEAT];
    for (int r = 0; r < REPEAT; r++) {
      MPI_Barrier(MPI_COMM_WORLD);
      double start = MPI_Wtime();
      fftw_execute(forward);
      fftw_execute(inverse);
      MPI_Barrier(MPI_COMM_WORLD);
      took[r] = (MPI_Wtime() - start) * 1e6;
    }
    qsort(took, REPEAT, sizeof *took, ascending);
    if (rank == 0) printf("cube/%d %.3f\n", (int)n, took[REPEAT / 2]);
    fftw_destroy_plan(forward);
    fftw_destroy_plan(inverse);
    fftw_free(x);
  }
  fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
  if (rank == 0) fftw_export_wisdom_to_filename(argv[1]);
  MPI_Finalize();
  return 0;
}
