/*
 * The cases of ExchangeSuite on MPI with two ranks: prints "case time", medians on rank 0.
 *
 * Transposes X->Y->Z->Y->X of an n^3 array of complex doubles: Z is divided in the X and Y layouts,
 * Y in the Z layout, so that two of the four steps stay within a rank. Blocks are transposed in
 * tiles; the two exchanging steps are timed with the permutation in the packing and in the
 * unpacking, all steps with two orders of axes in memory and with stores into and past the caches,
 * and the fastest counts. The block a rank keeps is moved directly, while the other one travels.
 */
#include <mpi.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double element __attribute__((vector_size(16)));

/* Elements of 16 bytes of a line, and lines, of a tile. */
enum { RUN = 128, LINES = 32, LINES_PAST_CACHES = 16, TURNS = 5 };

static int rank, peer;
static long n, h;
static element *a, *b, *out, *in;
static int past_caches;

/* Moves element (i, j, k) from i*fi + j*fj + k*fk to i*ti + j*tj + k*tk; fk and tj are 1. */
static void permute(const element *restrict from, element *restrict to, long ni, long nj, long nk,
                    long fi, long fj, long ti, long tk) {
  long lines = past_caches ? LINES_PAST_CACHES : LINES;
  for (long i = 0; i < ni; i++)
    for (long k0 = 0; k0 < nk; k0 += RUN)
      for (long j0 = 0; j0 < nj; j0 += lines) {
        long ke = k0 + RUN < nk ? k0 + RUN : nk, je = j0 + lines < nj ? j0 + lines : nj;
        for (long k = k0; k < ke; k++) {
          const element *source = from + i * fi + k;
          element *target = to + i * ti + k * tk;
#ifdef __SSE2__
          if (past_caches) {
            for (long j = j0; j < je; j++) _mm_stream_pd((double *)(target + j), source[j * fj]);
            continue;
          }
#endif
          for (long j = j0; j < je; j++) target[j] = source[j * fj];
        }
      }
#ifdef __SSE2__
  _mm_sfence();
#endif
}

static void rows(const element *restrict from, element *restrict to, long ni, long nj, long nk,
                 long fi, long fj, long ti, long tj) {
  for (long i = 0; i < ni; i++)
    for (long j = 0; j < nj; j++)
      memcpy(to + i * ti + j * tj, from + i * fi + j * fj, (size_t)nk * sizeof(element));
}

static void swap(long count, MPI_Request *r) {
  MPI_Irecv(in, (int)(2 * count), MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(out, (int)(2 * count), MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &r[1]);
}

/*
 * X: [z h][y n][x n]. Y: [x n][z h][y n] and Z: [y h][x n][z n], or Y: [z h][x n][y n] and
 * Z: [x n][y h][z n], where x_to_y transposes planes. yx is the stride of x in Y, and so on.
 */
static int planes;
static long yx, yz, zx, zy;

static void layout(int with_planes) {
  planes = with_planes;
  yx = planes ? n : h * n;
  yz = planes ? n * n : n;
  zx = planes ? h * n : n;
  zy = planes ? n : n * n;
}

static void x_to_y(void) { permute(a, b, h, n, n, n * n, n, yz, yx); }
static void y_to_x(void) { permute(b, a, h, n, n, yz, yx, n * n, n); }

static void y_to_z(int pack_permutes) {
  MPI_Request r[2];
  /* The message is in the order of Z, or [x n][z h][y h]. */
  long mx = planes ? h * h : h, my = planes ? h : n * h;
  if (pack_permutes)
    permute(b + peer * h, out, n, h, h, yx, yz, mx, my);
  else
    rows(b + peer * h, out, n, h, h, yx, yz, h * h, h);
  swap(h * n * h, r);
  permute(b + rank * h, a + rank * h, n, h, h, yx, yz, zx, zy);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  if (!pack_permutes)
    permute(in, a + peer * h, n, h, h, h * h, h, zx, zy);
  else if (planes)
    rows(in, a + peer * h, n, h, h, mx, my, zx, zy);
  else
    rows(in, a + peer * h, h, n, h, my, mx, zy, zx);
}

static void z_to_y(int pack_permutes) {
  MPI_Request r[2];
  /* The message is [x n][z h][y h], or in the order of Z. */
  long mx = planes ? h * h : h, my = planes ? h : n * h;
  if (pack_permutes)
    permute(a + peer * h, out, n, h, h, zx, zy, h * h, h);
  else if (planes)
    rows(a + peer * h, out, n, h, h, zx, zy, mx, my);
  else
    rows(a + peer * h, out, h, n, h, zy, zx, my, mx);
  swap(h * n * h, r);
  permute(a + rank * h, b + rank * h, n, h, h, zx, zy, yx, yz);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  if (pack_permutes)
    rows(in, b + peer * h, n, h, h, h * h, h, yx, yz);
  else
    permute(in, b + peer * h, n, h, h, mx, my, yx, yz);
}

static int ascending(const void *x, const void *y) {
  double p = *(const double *)x, q = *(const double *)y;
  return (p > q) - (p < q);
}

static double transposes(int pack_permutes) {
  double took[TURNS];
  for (int turn = -1; turn < TURNS; turn++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    x_to_y();
    y_to_z(pack_permutes);
    z_to_y(pack_permutes);
    y_to_x();
    double mine = MPI_Wtime() - start, slowest;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (turn >= 0) took[turn] = slowest * 1e6;
  }
  qsort(took, TURNS, sizeof *took, ascending);
  return took[TURNS / 2];
}

static element value(long z, long y, long x) { return (element){(double)(z * n + y), (double)x}; }

static int same(element p, element q) { return p[0] == q[0] && p[1] == q[1]; }

static void check(int pack_permutes) {
  x_to_y();
  y_to_z(pack_permutes);
  int wrong = 0;
  for (long y = 0; y < h; y++)
    for (long x = 0; x < n; x++)
      for (long z = 0; z < n; z++)
        wrong += !same(a[y * zy + x * zx + z], value(z, rank * h + y, x));
  z_to_y(pack_permutes);
  y_to_x();
  for (long z = 0; z < h; z++)
    for (long y = 0; y < n; y++)
      for (long x = 0; x < n; x++)
        wrong += !same(a[(z * n + y) * n + x], value(rank * h + z, y, x));
  if (wrong) {
    fprintf(stderr, "%d elements are wrong\n", wrong);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* Both neighbours of a periodic line of two ranks are the other one; each gets its own message.
   What is sent was written just before, as a program would, so that it is in the sender's cache. */
static void halo(long count, double *array) {
  static long places[1 << 15];
  double *send = (double *)out, *receive = (double *)in;
  for (long i = 0; i < count; i++) places[i] = i;
  MPI_Request r[2];
  double took[9];
  long times = count > 5000 ? 2000 : 10000;
  for (int turn = -2; turn < 9; turn++) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (long run = 0; run < times; run++) {
      memset(array, (int)run, (size_t)count * sizeof(double));
      MPI_Irecv(receive, (int)count, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &r[0]);
      for (long i = 0; i < count; i++) send[i] = array[places[i]];
      MPI_Isend(send, (int)count, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &r[1]);
      MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
      memcpy(array + count, receive, (size_t)count * sizeof(double));
    }
    if (turn >= 0) took[turn] = (MPI_Wtime() - start) / (double)times * 1e6;
  }
  qsort(took, 9, sizeof *took, ascending);
  if (rank == 0) printf("halo/%ld %.6f\n", count, took[4]);
}

static element *filled(long count) {
  element *memory = aligned_alloc(4096, (size_t)count * sizeof(element));
  memset(memory, 1, (size_t)count * sizeof(element));
  return memory;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  peer = 1 - rank;
  n = argc > 1 ? atol(argv[1]) : 256;
  h = n / 2;
  a = filled(h * n * n);
  b = filled(h * n * n);
  out = filled(h * n * h);
  in = filled(h * n * h);
  for (long z = 0; z < h; z++)
    for (long y = 0; y < n; y++)
      for (long x = 0; x < n; x++) a[(z * n + y) * n + x] = value(rank * h + z, y, x);
  double best = 0;
  for (int way = 0; way < 8; way++) {
    past_caches = way / 4;
    layout(way / 2 % 2);
    check(way % 2);
    double took = transposes(way % 2);
    if (way == 0 || took < best) best = took;
  }
  if (rank == 0) printf("transpose/%ld %.6f\n", n, best);
  long counts[] = {100, 1000, 10000};
  for (int i = 0; i < 3; i++) halo(counts[i], (double *)a);
  MPI_Finalize();
  return 0;
}
