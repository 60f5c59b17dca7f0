package dev.rialto.cli.solve;

import dev.rialto.runtime.ComputeDevice;
import dev.rialto.sparse.SparseMatrix;
import dev.rialto.sparse.precond.BlockJacobi;
import dev.rialto.sparse.precond.Factorization;
import dev.rialto.sparse.precond.Jacobi;
import dev.rialto.sparse.precond.Preconditioner;
import dev.rialto.sparse.precond.Schwarz;
import dev.rialto.sparse.problem.Grids;
import dev.rialto.sparse.problem.Problem;
import dev.rialto.sparse.problem.RandomMatrix;
import java.nio.file.Path;
import java.util.Optional;

/** Problems and preconditioners as they are written on the command line. */
public final class SolveChoices {
  /** The problems, for messages. */
  public static final String PROBLEMS =
      "poisson3d:N, poisson2d:N, convection3d:N, anisotropic3d:N, random:N, or a Matrix Market file";

  /** The preconditioners, for messages. */
  public static final String PRECONDITIONERS =
      "none, jacobi, ilu:LEVEL, ilut:DROP, schwarz:LAYERS or ras:LAYERS";

  private SolveChoices() {}

  /**
   * Returns a generated problem; empty if the text names a file.
   *
   * @throws IllegalArgumentException if it names a problem of a wrong size
   */
  public static Optional<Problem> problem(String text, long seed) {
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    return switch (name) {
      case "poisson3d" -> Optional.of(Grids.poisson3d(size(text, colon)));
      case "poisson2d" -> Optional.of(Grids.poisson2d(size(text, colon)));
      case "convection3d" -> Optional.of(Grids.convectionDiffusion3d(size(text, colon)));
      case "anisotropic3d" -> Optional.of(Grids.anisotropic3d(size(text, colon), 0.1));
      case "random" -> Optional.of(RandomMatrix.of(size(text, colon), 5, true, seed));
      default -> Optional.empty();
    };
  }

  private static int size(String text, int colon) {
    try {
      int size = Integer.parseInt(text.substring(colon + 1));
      if (colon > 0 && size > 0) {
        return size;
      }
    } catch (NumberFormatException e) {
      // Said below, as for sizes that are numbers but wrong.
    }
    throw new IllegalArgumentException("'" + text + "' has no size, such as poisson3d:100");
  }

  /**
   * Makes a preconditioner for arrays of the matrix's team. Collective.
   *
   * @throws UnsupportedOperationException if it works on the host alone, and they are not there
   */
  public static Preconditioner preconditioner(String text, SparseMatrix a) {
    ComputeDevice place = a.map().space().client().device();
    if (!place.isHostAccessible() && !text.equals("none") && !text.equals("jacobi")) {
      throw new UnsupportedOperationException(
          "preconditioner %s works on the host; on %s there are none and jacobi"
              .formatted(text, place.name()));
    }
    String[] words = text.split(":", -1);
    return switch (words[0]) {
      case "none" -> Preconditioner.NONE;
      case "jacobi" -> Jacobi.of(a);
      case "ilu" -> BlockJacobi.of(a, new Factorization.Levels((int) number(words, 0)));
      case "ilut" -> BlockJacobi.of(a, new Factorization.Threshold(number(words, 1e-3), 20));
      case "schwarz" -> Schwarz.of(a, (int) number(words, 1), false, new Factorization.Levels(0));
      case "ras" -> Schwarz.of(a, (int) number(words, 1), true, new Factorization.Levels(0));
      default -> throw new IllegalArgumentException("there is no preconditioner '" + text + "'");
    };
  }

  /** Returns whether a solution goes to a NumPy file. */
  static boolean isNumpy(Path file) {
    return file.toString().endsWith(".npy");
  }

  /**
   * Checks that a solution can be written to a file of that name.
   *
   * @throws IllegalArgumentException if its ending is of no format that is written
   */
  public static void checkSolution(Path file) {
    String name = file.toString();
    if (!isNumpy(file) && !name.endsWith(".mtx") && !name.endsWith(".mtx.gz")) {
      throw new IllegalArgumentException(
          "--out "
              + file
              + " does not say its format; solutions are written as .npy, .mtx and .mtx.gz");
    }
  }

  /** Checks that there is such a preconditioner, before anything is computed. */
  public static void checkPreconditioner(String text) {
    String[] words = text.split(":", -1);
    if (!PRECONDITIONERS.matches("(?s).*\\b" + words[0].replaceAll("\\W", "#") + "\\b.*")
        || words.length > 2) {
      throw new IllegalArgumentException("there is no preconditioner '" + text + "'");
    }
    var _ = number(words, 0);
  }

  private static double number(String[] words, double standard) {
    if (words.length == 1) {
      return standard;
    }
    try {
      double value = Double.parseDouble(words[1]);
      if (value >= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Said below, as for numbers that are negative.
    }
    throw new IllegalArgumentException(
        "'" + words[1] + "' of preconditioner '" + words[0] + "' is no number from 0 up");
  }
}
