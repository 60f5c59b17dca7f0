/* The cases of CommSuite on MPI: prints "case microseconds", medians of batches on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 9 };

static char *out, *in;
static long bytes;
static int rank;

static void ping_pong(void) {
  if (rank == 0) {
    MPI_Send(out, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(in, (int)bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, (int)bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void all_reduce(void) {
  MPI_Allreduce(out, in, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void all_to_all(void) {
  MPI_Alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double repeat(void (*operation)(void), long times) {
  MPI_Barrier(MPI_COMM_WORLD);
  double start = MPI_Wtime();
  for (long i = 0; i < times; i++) operation();
  return (MPI_Wtime() - start) / (double)times;
}

static void measure(const char *name, void (*operation)(void), int parts) {
  long times = 1;
  double once = repeat(operation, 3);
  while (rank == 0 && times * once < 0.01) times *= 2;
  MPI_Bcast(&times, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  repeat(operation, times);
  double took[BATCHES];
  for (int i = 0; i < BATCHES; i++) took[i] = repeat(operation, times) / parts * 1e6;
  qsort(took, BATCHES, sizeof *took, ascending);
  if (rank == 0) printf("%s %.6f\n", name, took[BATCHES / 2]);
}

static char *filled(long size) {
  char *memory = aligned_alloc(4096, (size_t)((size + 4095) / 4096 * 4096));
  memset(memory, 1, (size_t)size);
  return memory;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  out = filled(16 << 20);
  in = filled(16 << 20);
  static const struct { long bytes; const char *name; } sizes[] = {
      {8, "8B"},          {512, "512B"},      {4 << 10, "4KiB"}, {64 << 10, "64KiB"},
      {256 << 10, "256KiB"}, {1 << 20, "1MiB"}, {4 << 20, "4MiB"}, {16 << 20, "16MiB"}};
  char name[64];
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    bytes = sizes[i].bytes;
    snprintf(name, sizeof name, "pingpong/local/%s", sizes[i].name);
    measure(name, ping_pong, 2);
  }
  measure("barrier/local", barrier, 1);
  bytes = 8;
  measure("allReduce/local/8B", all_reduce, 1);
  bytes = 1 << 20;
  measure("allReduce/local/1MiB", all_reduce, 1);
  bytes = 64 << 10;
  measure("allToAll/local/64KiB", all_to_all, 1);
  MPI_Finalize();
  return 0;
}
