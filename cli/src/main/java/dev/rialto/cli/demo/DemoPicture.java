package dev.rialto.cli.demo;

import dev.rialto.io.Canvas;
import dev.rialto.io.Colors;
import dev.rialto.io.Plot;
import java.util.Arrays;
import java.util.List;

/**
 * Draws the middle plane of the charges and of their potential, with lines where ranks meet, and
 * the residuals of the iteration beside them.
 */
public final class DemoPicture {
  private static final int EDGE = 384;
  private static final int MARGIN = 24;
  private static final int TOP = 40;
  private static final int PLOT = 420;
  private static final int INK = 0x333333;

  private DemoPicture() {}

  /**
   * Draws what a job found.
   *
   * @return the picture as a PNG file
   */
  public static byte[] draw(PoissonJob job, PoissonJob.Outcome outcome) {
    int width = 2 * (EDGE + MARGIN) + PLOT + MARGIN;
    Canvas canvas = new Canvas(width, TOP + EDGE + MARGIN);
    plane(canvas, MARGIN, "charges", outcome.source(), outcome.cuts(), job.n());
    plane(canvas, 2 * MARGIN + EDGE, "potential", outcome.potential(), outcome.cuts(), job.n());
    outcome
        .gradients()
        .ifPresent(
            part ->
                new Plot("convergence", "iteration", "residual")
                    .logarithmic()
                    .curve("conjugate gradients", part.result().history())
                    .level("tolerance", job.tolerance())
                    .draw(canvas, 2 * (MARGIN + EDGE) + MARGIN, TOP - 26, PLOT, EDGE + 44));
    return canvas.png();
  }

  private static void plane(
      Canvas canvas, int x, String title, double[] values, List<List<Long>> cuts, int n) {
    canvas.text(x, TOP - 18, title, 2, INK);
    if (values.length == 0) {
      return;
    }
    double most = Arrays.stream(values).map(Math::abs).max().orElse(1);
    canvas.map(x, TOP, EDGE, EDGE, values, n, -most, most, Colors.SIGNED);
    for (long row : cuts.get(0)) {
      canvas.fill(x, TOP + (int) (row * EDGE / n), EDGE, 1, INK);
    }
    for (long column : cuts.get(1)) {
      canvas.fill(x + (int) (column * EDGE / n), TOP, 1, EDGE, INK);
    }
  }
}
