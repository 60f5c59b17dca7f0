package dev.rialto.bench;

import dev.rialto.spi.exec.Executor;
import org.jtransforms.fft.DoubleFFT_1D;

/** JTransforms on batches of lines, shared among the threads of an executor. */
final class JTransformsLines {
  private JTransformsLines() {}

  /** Returns microseconds; zeros take as long as any numbers and stay what they are in place. */
  static double micros(int length, int lines, int repetitions, Executor executor) {
    double[] data = new double[2 * length * lines];
    DoubleFFT_1D transform = new DoubleFFT_1D(length);
    return FftSuite.median(
        repetitions,
        () ->
            executor.parallelFor(
                0,
                lines,
                Math.max(1, lines / (4L * executor.parallelism())),
                (begin, end) -> {
                  for (long line = begin; line < end; line++) {
                    transform.complexForward(data, (int) (2L * length * line));
                  }
                }));
  }
}
