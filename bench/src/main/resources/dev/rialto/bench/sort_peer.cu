// Sorts ints by CUB's radix sort and prints the median of several times, in milliseconds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/cub.cuh>
#include <vector>

__global__ void generate(int *keys, long long count) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < count) keys[i] = (int)((i + 1) * (long long)0x9E3779B97F4A7C15ull >> 31);
}

int main(int arguments, char **argument) {
  long long count = arguments > 1 ? atoll(argument[1]) : 1 << 26;
  int *in, *out;
  cudaMalloc(&in, count * sizeof(int));
  cudaMalloc(&out, count * sizeof(int));
  generate<<<(count + 255) / 256, 256>>>(in, count);
  void *scratch = nullptr;
  size_t bytes = 0;
  cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, count);
  cudaMalloc(&scratch, bytes);
  cudaEvent_t start, end;
  cudaEventCreate(&start);
  cudaEventCreate(&end);
  std::vector<float> times;
  for (int round = 0; round < 12; round++) {
    cudaEventRecord(start);
    cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, count);
    cudaEventRecord(end);
    if (cudaEventSynchronize(end) != cudaSuccess) return 1;
    float millis;
    cudaEventElapsedTime(&millis, start, end);
    if (round > 1) times.push_back(millis);
  }
  std::sort(times.begin(), times.end());
  printf("sort %g\n", (times[4] + times[5]) / 2);
  return 0;
}
