package dev.rialto.cuda;

/**
 * The kernels of {@link CudaSparse}.
 *
 * <p>Rows one after the other are summed by a block together: its threads multiply the entries of
 * 256 rows side by side into shared memory and then each adds up a row; rows whose entries do not
 * fit there are summed by a warp each. A warp alone with 32 rows and eight loads per thread under
 * way was slower. Slices need none of that: a warp reads the entries of its 32 rows side by side as
 * they lie. Padding has column -1.
 */
final class CudaSparseText {
  /** The steps with numbers that one launch has room for, as in the text. */
  static final int STEPS = 32;

  static final String SOURCE =
      """
      #define INDEX ((long long)blockIdx.x * blockDim.x + threadIdx.x)
      #define THREADS ((long long)gridDim.x * blockDim.x)
      #define STEPS 32

      static __device__ __forceinline__ double blockSum(double value, bool largest) {
        __shared__ double warps[8];
        for (int lane = 16; lane > 0; lane /= 2) {
          double other = __shfl_down_sync(~0u, value, lane);
          value = largest ? fmax(value, other) : value + other;
        }
        if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
        __syncthreads();
        double sum = warps[0];
        if (threadIdx.x == 0)
          for (int i = 1; i < 8; i++) sum = largest ? fmax(sum, warps[i]) : sum + warps[i];
        __syncthreads();
        return sum;
      }

      /* Adds up what blocks have left. Mode 0 sets the sum, 1 adds it, 2 sets the largest. */
      extern "C" __global__ void rialto_finish(
          const double *partial, long long blocks, long long mode, double *out) {
        double value = 0;
        for (long long i = threadIdx.x; i < blocks; i += blockDim.x)
          value = mode == 2 ? fmax(value, partial[i]) : value + partial[i];
        value = blockSum(value, mode == 2);
        if (threadIdx.x == 0) *out = mode == 1 ? *out + value : value;
      }

      /* Steps of one thread with a few numbers: places of 16 bits each, above the operation. */
      struct Steps {
        long long all[STEPS];
      };

      extern "C" __global__ void rialto_compute(double *numbers, long long count, Steps steps) {
        if (threadIdx.x > 0) return;
        double ended = numbers[0];
        for (long long i = 0; i < count && ended == 0; i++) {
          long long step = steps.all[i];
          int to = (step >> 16) & 0xffff;
          double left = numbers[(step >> 32) & 0xffff], right = numbers[(step >> 48) & 0xffff];
          bool end = false;
          switch (step & 0xffff) {
            case 0: numbers[to] = left; break;
            case 1: numbers[to] = left - right; break;
            case 2: numbers[to] = left * right; break;
            case 3: numbers[to] = left / right; break;
            case 4: numbers[to] = sqrt(left); break;
            case 5: {
              double appended = numbers[1];
              numbers[2 + (long long)appended % 32] = left;
              numbers[1] = appended + 1;
              break;
            }
            case 6: end = left == right; break;
            case 7: end = left < right; break;
            case 8: end = left <= right; break;
            default: end = !isfinite(left);
          }
          if (end) ended = to;
        }
        numbers[0] = ended;
      }

      static __device__ __forceinline__ double factor(double value, const double *number) {
        return number ? value * *number : value;
      }

      /* Returns how many elements a pass works on: none once the numbers have ended. */
      static __device__ __forceinline__ long long unlessEnded(
          const double *numbers, long long n) {
        return numbers && numbers[0] != 0 ? 0 : n;
      }

      /* Takes the sums of rows: stores them, and adds up what the block leaves for a product. */
      template <typename T> struct Sums {
        const int *numbers;
        double a;
        const T *x;
        double b;
        T *y;
        double *partial, product;
        __device__ __forceinline__ void take(long long i, double sum) {
          long long row = numbers ? numbers[i] : i;
          if (partial) product += (double)x[row] * sum;
          y[row] = (T)(b == 0 ? a * sum : a * sum + b * (double)y[row]);
        }
        __device__ __forceinline__ void leave() {
          if (!partial) return;
          product = blockSum(product, false);
          if (threadIdx.x == 0) partial[blockIdx.x] = product;
        }
      };

      template <typename T>
      static __device__ __forceinline__ void slices(
          long long rows, const long long *starts, const int *columns, const T *values,
          Sums<T> sums) {
        for (long long i = INDEX; i < rows; i += THREADS) {
          long long at = starts[i / 32] + i % 32, end = starts[i / 32 + 1];
          double sum = 0;
          #pragma unroll 4
          for (; at < end; at += 32) {
            int column = __ldcs(columns + at);
            T value = __ldcs(values + at);
            if (column >= 0) sum += (double)value * (double)sums.x[column];
          }
          sums.take(i, sum);
        }
        sums.leave();
      }

      template <typename T>
      static __device__ __forceinline__ void rows(
          long long rows, const int *starts, const int *columns, const T *values, Sums<T> sums) {
        __shared__ double products[2048];
        for (long long first = (long long)blockIdx.x * 256; first < rows;
             first += (long long)gridDim.x * 256) {
          long long last = min(first + 256, rows);
          int begin = starts[first], end = starts[last];
          long long i = first + threadIdx.x;
          double sum = 0;
          if (end - begin <= 2048) {
            for (int k = begin + threadIdx.x; k < end; k += 256)
              products[k - begin] =
                  (double)__ldcs(values + k) * (double)sums.x[__ldcs(columns + k)];
            __syncthreads();
            if (i < last)
              for (int k = starts[i]; k < starts[i + 1]; k++) sum += products[k - begin];
            __syncthreads();
          } else {
            for (long long j = first + threadIdx.x / 32; j < last; j += 8) {
              double part = 0;
              for (int k = starts[j] + threadIdx.x % 32; k < starts[j + 1]; k += 32)
                part += (double)values[k] * (double)sums.x[columns[k]];
              for (int lane = 16; lane > 0; lane /= 2) part += __shfl_down_sync(~0u, part, lane);
              if (threadIdx.x % 32 == 0) products[j - first] = part;
            }
            __syncthreads();
            if (i < last) sum = products[threadIdx.x];
            __syncthreads();
          }
          if (i < last) sums.take(i, sum);
        }
        sums.leave();
      }

      template <typename T>
      static __device__ __forceinline__ double reduced(
          long long what, long long n, const T *x, const T *y, long long stride) {
        double value = 0;
        for (long long i = INDEX; i < n; i += THREADS) {
          double left = x[i * stride];
          if (what == 0) value += left * (double)y[i * stride];
          else if (what == 1) value += fabs(left);
          else value = left != left ? 1.0 / 0.0 : fmax(value, fabs(left));
        }
        return blockSum(value, what == 2);
      }

      #define KERNELS(T, S) \\
      extern "C" __global__ void rialto_slices_##S( \\
          long long n, const long long *starts, const int *columns, const T *values, \\
          const int *numbers, double a, const T *x, double b, T *y, double *partial) { \\
        slices<T>(n, starts, columns, values, Sums<T>{numbers, a, x, b, y, partial, 0}); \\
      } \\
      extern "C" __global__ void rialto_rows_##S( \\
          long long n, const int *starts, const int *columns, const T *values, \\
          const int *numbers, double a, const T *x, double b, T *y, double *partial) { \\
        rows<T>(n, starts, columns, values, Sums<T>{numbers, a, x, b, y, partial, 0}); \\
      } \\
      extern "C" __global__ void rialto_combine_##S( \\
          long long n, double aValue, const double *aNumber, const T *x, double bValue, \\
          const double *bNumber, const T *y, double cValue, const double *cNumber, T *z, \\
          const double *numbers) { \\
        double a = factor(aValue, aNumber), b = factor(bValue, bNumber); \\
        double c = factor(cValue, cNumber); \\
        n = unlessEnded(numbers, n); \\
        for (long long i = INDEX; i < n; i += THREADS) { \\
          double value = a == 0 ? 0 : a * (double)x[i]; \\
          if (b != 0) value += b * (double)y[i]; \\
          if (c != 0) value += c * (double)z[i]; \\
          z[i] = (T)value; \\
        } \\
      } \\
      extern "C" __global__ void rialto_subtract_##S( \\
          long long n, double aValue, const double *aNumber, const T *q, T *r, \\
          const double *numbers, double *partial) { \\
        double a = factor(aValue, aNumber), sum = 0; \\
        n = unlessEnded(numbers, n); \\
        for (long long i = INDEX; i < n; i += THREADS) { \\
          T left = (T)((double)r[i] - a * (double)q[i]); \\
          r[i] = left; \\
          sum += (double)left * (double)left; \\
        } \\
        sum = blockSum(sum, false); \\
        if (threadIdx.x == 0) partial[blockIdx.x] = sum; \\
      } \\
      extern "C" __global__ void rialto_direction_##S( \\
          long long n, double aValue, const double *aNumber, T *x, const T *z, double bValue, \\
          const double *bNumber, T *p, const double *numbers) { \\
        double a = factor(aValue, aNumber), b = factor(bValue, bNumber); \\
        n = unlessEnded(numbers, n); \\
        for (long long i = INDEX; i < n; i += THREADS) { \\
          double along = p[i]; \\
          x[i] = (T)((double)x[i] + a * along); \\
          p[i] = (T)((double)z[i] + b * along); \\
        } \\
      } \\
      extern "C" __global__ void rialto_fill_##S(long long n, double value, T *x) { \\
        for (long long i = INDEX; i < n; i += THREADS) x[i] = (T)value; \\
      } \\
      extern "C" __global__ void rialto_multiply_##S( \\
          long long n, const T *d, const T *x, T *z) { \\
        for (long long i = INDEX; i < n; i += THREADS) z[i] = d[i] * x[i]; \\
      } \\
      extern "C" __global__ void rialto_reduce_##S( \\
          long long what, long long n, const T *x, const T *y, long long stride, \\
          double *partial) { \\
        double value = reduced<T>(what, n, x, y, stride); \\
        if (threadIdx.x == 0) partial[blockIdx.x] = value; \\
      } \\
      extern "C" __global__ void rialto_step_##S( \\
          long long n, double aValue, const double *aNumber, double bValue, \\
          const double *bNumber, const T *z, const T *w, T *p, T *s, T *x, T *r, \\
          const double *numbers, double *partial) { \\
        double a = factor(aValue, aNumber), b = factor(bValue, bNumber), sum = 0; \\
        n = unlessEnded(numbers, n); \\
        for (long long i = INDEX; i < n; i += THREADS) { \\
          double along = (double)z[i] + b * (double)p[i]; \\
          double image = (double)w[i] + b * (double)s[i]; \\
          T left = (T)((double)r[i] - a * image); \\
          p[i] = (T)along; \\
          s[i] = (T)image; \\
          x[i] = (T)((double)x[i] + a * along); \\
          r[i] = left; \\
          sum += (double)left * (double)left; \\
        } \\
        sum = blockSum(sum, false); \\
        if (threadIdx.x == 0) partial[blockIdx.x] = sum; \\
      }

      KERNELS(double, f64)
      KERNELS(float, f32)
      """;

  private CudaSparseText() {}
}
