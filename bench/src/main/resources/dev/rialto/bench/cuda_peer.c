// What Rialto's GPU figures are compared with: the same work in C, through the driver, cuBLAS and
// cuFFT. Prints a line "case time" each: microseconds of a launch, milliseconds of all others.
#include <cublas_v2.h>
#include <cuda.h>
#include <cufft.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define REPEATS 7

static void check(int code, const char *what) {
  if (code != 0) {
    fprintf(stderr, "%s failed with %d\n", what, code);
    exit(1);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *times) {
  qsort(times, REPEATS, sizeof *times, compare);
  return times[REPEATS / 2];
}

static CUfunction empty_kernel(void) {
  const char *text =
      "extern \"C\" __global__ void nothing(double *x, long long begin, long long end) {}";
  const char *options[] = {"--gpu-architecture=compute_75"};
  nvrtcProgram program;
  check(nvrtcCreateProgram(&program, text, "nothing.cu", 0, NULL, NULL), "taking a text");
  check(nvrtcCompileProgram(program, 1, options), "compiling");
  size_t size;
  check(nvrtcGetPTXSize(program, &size), "asking a size");
  char *ptx = malloc(size);
  check(nvrtcGetPTX(program, ptx), "reading code");
  CUmodule module;
  CUfunction function;
  check(cuModuleLoadData(&module, ptx), "loading");
  check(cuModuleGetFunction(&function, module, "nothing"), "finding a function");
  return function;
}

static void launches(CUstream stream, CUdeviceptr memory) {
  CUfunction function = empty_kernel();
  long long begin = 0, end = 1;
  void *arguments[] = {&memory, &begin, &end};
  double times[REPEATS];
  for (int r = 0; r < REPEATS; r++) {
    double start = now();
    for (int i = 0; i < 5000; i++)
      check(cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, stream, arguments, NULL), "launching");
    check(cuStreamSynchronize(stream), "waiting");
    times[r] = (now() - start) / 5;
  }
  printf("launch %.6f\n", median(times));
}

static void uploads(CUdeviceptr memory, size_t bytes) {
  void *pinned, *pageable = malloc(bytes);
  check(cuMemHostAlloc(&pinned, bytes, 0), "pinning");
  memset(pinned, 1, bytes);
  memset(pageable, 1, bytes);
  double fast[REPEATS], slow[REPEATS];
  for (int r = 0; r < REPEATS; r++) {
    double start = now();
    check(cuMemcpyHtoD(memory, pinned, bytes), "uploading");
    fast[r] = now() - start;
    start = now();
    check(cuMemcpyHtoD(memory, pageable, bytes), "uploading");
    slow[r] = now() - start;
  }
  printf("upload/pinned %.6f\nupload/pageable %.6f\n", median(fast), median(slow));
  cuMemFreeHost(pinned);
  free(pageable);
}

static void transforms(CUstream stream, CUdeviceptr memory, int n) {
  cufftHandle plan;
  check(cufftPlan3d(&plan, n, n, n, CUFFT_Z2Z), "planning");
  check(cufftSetStream(plan, stream), "setting a stream");
  double times[REPEATS];
  for (int r = -1; r < REPEATS; r++) {
    double start = now();
    for (int i = 0; i < 5; i++)
      check(
          cufftExecZ2Z(plan, (void *)memory, (void *)memory, CUFFT_FORWARD), "transforming");
    check(cuStreamSynchronize(stream), "waiting");
    if (r >= 0) times[r] = (now() - start) / 5;
  }
  printf("fft/%d %.6f\n", n, median(times));
  cufftDestroy(plan);
}

// Speed depends on the numbers, by the power they take: single or half ones from 0.5 to 1.
static void fill(CUdeviceptr memory, size_t count, int half) {
  size_t bytes = count * (half ? 2 : 4);
  void *host = malloc(bytes);
  for (size_t i = 0; i < count; i++)
    if (half) ((unsigned short *)host)[i] = 0x3800 | (i * 7919 & 1023);
    else ((unsigned *)host)[i] = 0x3f000000 | (i * 7919 & 1023) << 13;
  check(cuMemcpyHtoD(memory, host, bytes), "filling");
  free(host);
}

static void products(CUstream stream, CUdeviceptr memory, int n) {
  cublasHandle_t handle;
  check(cublasCreate(&handle), "opening cuBLAS");
  check(cublasSetStream(handle, stream), "setting a stream");
  float one = 1, zero = 0, *a = (float *)memory, *b = a + (size_t)n * n, *c = b + (size_t)n * n;
  double times[REPEATS];
  fill(memory, (size_t)2 * n * n, 0);
  for (int r = -1; r < REPEATS; r++) {
    double start = now();
    for (int i = 0; i < 5; i++)
      check(
          cublasSgemm(
              handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, n, a, n, &zero, c, n),
          "multiplying");
    check(cuStreamSynchronize(stream), "waiting");
    if (r >= 0) times[r] = (now() - start) / 5;
  }
  printf("product/%d %.6f\n", n, median(times));
  fill(memory, (size_t)4 * n * n, 1);
  for (int r = -1; r < REPEATS; r++) {
    double start = now();
    for (int i = 0; i < 5; i++)
      check(
          cublasGemmEx(
              handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, CUDA_R_16F, n, a, CUDA_R_16F, n,
              &zero, c, CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
          "multiplying halves");
    check(cuStreamSynchronize(stream), "waiting");
    if (r >= 0) times[r] = (now() - start) / 5;
  }
  printf("product/%d/f16 %.6f\n", n, median(times));
  cublasDestroy(handle);
}

int main(int argc, char **argv) {
  int quick = argc > 1 && strcmp(argv[1], "quick") == 0;
  CUdevice device;
  CUcontext context;
  CUstream stream;
  CUdeviceptr memory;
  check(cuInit(0), "starting the driver");
  check(cuDeviceGet(&device, 0), "finding a GPU");
  check(cuDevicePrimaryCtxRetain(&context, device), "making a context");
  check(cuCtxSetCurrent(context), "entering a context");
  check(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "making a stream");
  size_t bytes = (size_t)512 * 512 * 512 * 16;
  check(cuMemAlloc(&memory, bytes), "allocating");
  check(cuMemsetD8(memory, 0, bytes), "filling");
  launches(stream, memory);
  uploads(memory, (size_t)1 << (quick ? 28 : 30));
  transforms(stream, memory, 256);
  if (!quick) transforms(stream, memory, 512);
  products(stream, memory, 4096);
  return 0;
}
