package dev.rialto.fft.engine;

import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Reals;

/**
 * The places of the points of lines in a device's memory, and their form. Kernels make theirs of
 * numbers, so that one kernel serves many shapes.
 *
 * @param form {@link #COMPLEX}, {@link #REAL} or {@link #HALF}
 * @param length the points of a line
 * @param lines the lines of a plane
 * @param stride elements from a point to the next
 * @param distance elements from a line to the next
 * @param plane elements from a plane to the next
 */
public record Points(int form, long length, long lines, long stride, long distance, long plane) {
  public static final int COMPLEX = 0;

  /** Real numbers: imaginary parts are 0, and are not kept. */
  public static final int REAL = 1;

  /** The first half of complex numbers whose second half mirrors it. */
  public static final int HALF = 2;

  /** Complex points without gaps: those of a line together, or those of all lines. */
  public static Points dense(long length, long lines, long planes, boolean linesTogether) {
    return linesTogether
        ? new Points(COMPLEX, length, lines, lines * planes, 1, lines)
        : new Points(COMPLEX, length, lines, 1, length, length * lines);
  }

  /** Returns what six numbers from a place say, in the order of the components. */
  public static Points of(I64 numbers, int at) {
    return new Points(
        (int) numbers.get(at),
        numbers.get(at + 1),
        numbers.get(at + 2),
        numbers.get(at + 3),
        numbers.get(at + 4),
        numbers.get(at + 5));
  }

  private long place(long line, long point) {
    return line / lines * plane + line % lines * distance + point * stride;
  }

  private boolean isMirrored(long point) {
    return form == HALF && 2 * point > length;
  }

  /** Returns the real part of a point; lines are counted over all planes. */
  public double real(Reals in, long line, long point) {
    long place = place(line, isMirrored(point) ? length - point : point);
    return in.get(form == REAL ? place : 2 * place);
  }

  public double imaginary(Reals in, long line, long point) {
    if (form == REAL) {
      return 0;
    }
    boolean mirrored = isMirrored(point);
    double part = in.get(2 * place(line, mirrored ? length - point : point) + 1);
    return mirrored ? -part : part;
  }

  public void set(Reals out, long line, long point, double real, double imaginary) {
    if (isMirrored(point)) {
      return;
    }
    long place = place(line, point);
    if (form == REAL) {
      out.set(place, real);
    } else {
      out.set(2 * place, real);
      out.set(2 * place + 1, imaginary);
    }
  }
}
