/* The cases of the comm suites in C: comm_peer [LABEL [FILE single|multiple SECONDS]]

   Without arguments it tells the version of its MPI library. Otherwise it writes "case
   microseconds" to FILE, or to the standard output; LABEL goes into the names of the cases, and a
   time is the median of batches on rank 0. With a FILE come those cases that only ranks in
   processes are compared in, the level of thread support to ask for and the time of a batch. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 9 };

static char *out, *in;
static long bytes;
static double seconds = 0.01;
static int rank, size, partner;
static MPI_Comm neighbors;
static MPI_Win window;
static FILE *results;

static void ping_pong(void) {
  if (partner >= size) return;
  if (rank < partner) {
    MPI_Send(out, (int)bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
    MPI_Recv(in, (int)bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(in, (int)bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(out, (int)bytes, MPI_BYTE, partner, 0, MPI_COMM_WORLD);
  }
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void all_reduce(void) {
  MPI_Allreduce(out, in, (int)(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void all_to_all(void) {
  MPI_Alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void neighbor_all_to_all(void) {
  MPI_Neighbor_alltoall(out, (int)bytes, MPI_BYTE, in, (int)bytes, MPI_BYTE, neighbors);
}

static void put(void) {
  int target = (rank + 1) % size;
  MPI_Put(out, (int)bytes, MPI_BYTE, target, 0, (int)bytes, MPI_BYTE, window);
  MPI_Win_flush(target, window);
}

static void get(void) {
  int target = (rank + 1) % size;
  MPI_Get(in, (int)bytes, MPI_BYTE, target, 0, (int)bytes, MPI_BYTE, window);
  MPI_Win_flush(target, window);
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

static void measure(const char *name, const char *label, const char *length,
                    void (*operation)(void), int parts) {
  long times = 1;
  double once = repeat(operation, 3);
  while (rank == 0 && (double)times * once < seconds) times *= 2;
  MPI_Bcast(&times, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  repeat(operation, times);
  double took[BATCHES];
  for (int i = 0; i < BATCHES; i++) took[i] = repeat(operation, times) / parts * 1e6;
  qsort(took, BATCHES, sizeof *took, ascending);
  if (rank == 0) fprintf(results, "%s/%s%s %.6f\n", name, label, length, took[BATCHES / 2]);
}

static char *filled(long length) {
  char *memory = aligned_alloc(4096, (size_t)((length + 4095) / 4096 * 4096));
  memset(memory, 1, (size_t)length);
  return memory;
}

static void make_ring(void) {
  int around[] = {(rank + size - 1) % size, (rank + 1) % size};
  int degree = size > 2 ? 2 : 1;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, around, MPI_UNWEIGHTED, degree, around,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &neighbors);
}

static void measure_processes(const char *label) {
  make_ring();
  bytes = 8;
  measure("neighborAllToAll", label, "/8B", neighbor_all_to_all, 1);
  bytes = 64 << 10;
  measure("neighborAllToAll", label, "/64KiB", neighbor_all_to_all, 1);
  MPI_Comm_free(&neighbors);
  char *base;
  MPI_Win_allocate(64 << 10, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  memset(base, 1, 64 << 10);
  MPI_Win_lock_all(0, window);
  bytes = 8;
  measure("put", label, "/8B", put, 1);
  measure("get", label, "/8B", get, 1);
  bytes = 64 << 10;
  measure("put", label, "/64KiB", put, 1);
  measure("get", label, "/64KiB", get, 1);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

static void tell_library(void) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  version[strcspn(version, ",\n")] = 0;
  puts(version);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    tell_library();
    return 0;
  }
  const char *label = argv[1];
  if (argc > 4) seconds = atof(argv[4]);
  int multiple = argc > 3 && strcmp(argv[3], "multiple") == 0, provided;
  MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  partner = rank ^ 1;
  results = argc > 2 && rank == 0 ? fopen(argv[2], "w") : stdout;
  if (!results) {
    perror(argv[2]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  out = filled(16 << 20);
  in = filled(16 << 20);
  static const struct { long bytes; const char *name; } sizes[] = {
      {8, "/8B"},          {512, "/512B"},      {4 << 10, "/4KiB"}, {64 << 10, "/64KiB"},
      {256 << 10, "/256KiB"}, {1 << 20, "/1MiB"}, {4 << 20, "/4MiB"}, {16 << 20, "/16MiB"}};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    bytes = sizes[i].bytes;
    measure("pingpong", label, sizes[i].name, ping_pong, 2);
  }
  measure("barrier", label, "", barrier, 1);
  bytes = 8;
  measure("allReduce", label, "/8B", all_reduce, 1);
  bytes = 1 << 20;
  measure("allReduce", label, "/1MiB", all_reduce, 1);
  bytes = 64 << 10;
  measure("allToAll", label, "/64KiB", all_to_all, 1);
  if (argc > 2) measure_processes(label);
  if (rank == 0) fclose(results);
  MPI_Finalize();
  return 0;
}
