package dev.rialto.tck.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.fft.FftSpec.Kind;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The reference against the definitions written down a second time, with plain angles. */
class FftReferenceTest {
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.MATCH_ANY,
      names = {"D.T.", "HARTLEY"})
  void realKindsAreTheirSums(Kind kind) {
    for (int n = 2; n < 12; n++) {
      double[] x = new Random(n).doubles(n, -1, 1).toArray();
      double[] actual = FftReference.transform(kind, n, x);
      for (int k = 0; k < n; k++) {
        double sum = 0;
        for (int j = 0; j < n; j++) {
          sum += x[j] * factor(kind, n, j, k);
        }
        assertThat(actual[k]).isCloseTo(sum, within());
      }
    }
  }

  private static double factor(Kind kind, double n, double j, double k) {
    double sign = k % 2 == 0 ? 1 : -1;
    double pi = Math.PI;
    return switch (kind) {
      case DCT1 -> j == 0 ? 1 : j == n - 1 ? sign : 2 * Math.cos(pi * j * k / (n - 1));
      case DCT2 -> 2 * Math.cos(pi * (j + 0.5) * k / n);
      case DCT3 -> j == 0 ? 1 : 2 * Math.cos(pi * j * (k + 0.5) / n);
      case DCT4 -> 2 * Math.cos(pi * (j + 0.5) * (k + 0.5) / n);
      case DST1 -> 2 * Math.sin(pi * (j + 1) * (k + 1) / (n + 1));
      case DST2 -> 2 * Math.sin(pi * (j + 0.5) * (k + 1) / n);
      case DST3 -> j == n - 1 ? sign : 2 * Math.sin(pi * (j + 1) * (k + 0.5) / n);
      case DST4 -> 2 * Math.sin(pi * (j + 0.5) * (k + 0.5) / n);
      case HARTLEY -> Math.cos(2 * pi * j * k / n) + Math.sin(2 * pi * j * k / n);
      default -> throw new IllegalArgumentException(kind.name());
    };
  }

  @Test
  void forwardOfAWaveIsOnePeak() {
    int n = 12;
    double[] x = new double[2 * n];
    for (int j = 0; j < n; j++) {
      x[2 * j] = Math.cos(2 * Math.PI * 5 * j / n);
      x[2 * j + 1] = Math.sin(2 * Math.PI * 5 * j / n);
    }
    double[] peak = new double[2 * n];
    peak[2 * 5] = n;
    assertThat(FftReference.transform(Kind.FORWARD, n, x)).containsExactly(peak, within());
    double[] mirrored = new double[2 * n];
    mirrored[2 * 7] = n;
    assertThat(FftReference.transform(Kind.INVERSE, n, x)).containsExactly(mirrored, within());
  }

  @Test
  void complexToRealUndoesRealToComplexTimesN() {
    for (int n = 1; n < 12; n++) {
      double[] x = new Random(n).doubles(n, -1, 1).toArray();
      double[] half = FftReference.transform(Kind.REAL_TO_COMPLEX, n, x);
      assertThat(half).hasSize(2 * (n / 2 + 1));
      double[] back = FftReference.transform(Kind.COMPLEX_TO_REAL, n, half);
      for (int j = 0; j < n; j++) {
        back[j] /= n;
      }
      assertThat(back).containsExactly(x, within());
    }
  }

  private static Offset<Double> within() {
    return Offset.offset(1e-13);
  }
}
