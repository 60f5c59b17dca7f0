package dev.rialto.cpu.fft;

import dev.rialto.cpu.fft.Butterfly.Complex;
import java.util.ArrayList;
import java.util.List;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Moves numbers between lanes: step d exchanges the lanes of two rows whose numbers differ in bit
 * d. Step 0 takes complex numbers apart, or puts them together; all steps transpose a square.
 *
 * <p>Loaded only where there is the Vector API.
 */
final class LaneExchange {
  private static final int ZIP = 0;
  private static final int UNZIP = 1;
  private static final int STEPS = 2;

  private LaneExchange() {}

  /** Returns the shuffles and masks, as class data of the codelets. */
  static List<Object> constants(Numbers numbers) {
    Class<?> type = numbers.isDouble() ? double.class : float.class;
    VectorSpecies<?> species = VectorSpecies.of(type, VectorShape.forBitSize(numbers.bits()));
    int lanes = species.length();
    List<Object> constants = new ArrayList<>();
    int[] zip = new int[lanes];
    int[] unzip = new int[lanes];
    for (int lane = 0; lane < lanes; lane++) {
      zip[lane] = Codelets.line(lane, lanes);
      unzip[zip[lane]] = lane;
    }
    constants.add(VectorShuffle.fromArray(species, zip, 0));
    constants.add(VectorShuffle.fromArray(species, unzip, 0));
    for (int d = 1; d < lanes; d *= 2) {
      int bit = d;
      constants.add(VectorShuffle.fromOp(species, lane -> lane ^ bit));
      boolean[] high = new boolean[lanes];
      for (int lane = 0; lane < lanes; lane++) {
        high[lane] = (lane & bit) != 0;
      }
      constants.add(VectorMask.fromArray(species, high, 0));
    }
    return constants;
  }

  /** Takes complex numbers of neighbouring lines apart, or puts them together again. */
  static Complex zip(CodeletEmitter to, int first, int second) {
    return exchange(to, first, second, 0);
  }

  /** Brings a row of lines in order into zipped order, or back. */
  static int order(CodeletEmitter to, int row, boolean zip) {
    return to.permute(row, zip ? ZIP : UNZIP);
  }

  static void transpose(CodeletEmitter to, int[] rows) {
    for (int step = 0; 1 << step < rows.length; step++) {
      int bit = 1 << step;
      for (int i = 0; i < rows.length; i++) {
        if ((i & bit) == 0) {
          Complex pair = exchange(to, rows[i], rows[i | bit], step);
          rows[i] = pair.re();
          rows[i | bit] = pair.im();
        }
      }
    }
  }

  private static Complex exchange(CodeletEmitter to, int a, int b, int step) {
    int shuffle = STEPS + 2 * step;
    int mask = shuffle + 1;
    return new Complex(
        to.blend(a, to.permute(b, shuffle), mask), to.blend(to.permute(a, shuffle), b, mask));
  }
}
