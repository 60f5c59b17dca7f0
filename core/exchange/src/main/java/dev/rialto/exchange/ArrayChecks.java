package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The checks of the arrays that an exchange is given. */
final class ArrayChecks {
  private final ExchangePlan plan;
  private final DType type;
  private final int vectors;
  private final ExchangeKernels kernels;
  private final String[] inputNames;
  private final String[] outputNames;

  ArrayChecks(ExchangePlan plan, DType type, int vectors, ExchangeKernels kernels) {
    this.plan = plan;
    this.type = type;
    this.vectors = vectors;
    this.kernels = kernels;
    this.inputNames = new String[vectors];
    this.outputNames = new String[vectors];
    Arrays.setAll(inputNames, i -> "input " + i);
    Arrays.setAll(outputNames, i -> "output " + i);
  }

  /** Checks the arrays and returns whether input and output are the same. */
  boolean check(MemorySegment[] ins, MemorySegment[] outs) {
    if (ins.length != vectors || outs.length != vectors) {
      throw new IllegalArgumentException(
          "%d arrays in and %d out; this exchange is for %d"
              .formatted(ins.length, outs.length, vectors));
    }
    long in = type.bytes(plan.inputCount());
    long out = type.bytes(plan.outputCount());
    boolean same = false;
    for (int i = 0; i < vectors; i++) {
      kernels.check(ins[i], in, false, inputNames[i]);
      kernels.check(outs[i], out, true, outputNames[i]);
    }
    for (int i = 0; i < vectors; i++) {
      for (int j = 0; j < vectors; j++) {
        if (overlap(ins[i], in, outs[j], out)) {
          if (i != j || ins[i].address() != outs[j].address()) {
            throw new IllegalArgumentException(
                "input %d overlaps output %d; give the same array or another".formatted(i, j));
          }
          same = true;
        }
        if (j < i && overlap(outs[i], out, outs[j], out)) {
          throw new IllegalArgumentException(
              "output %d overlaps output %d; give another array".formatted(j, i));
        }
      }
    }
    return same;
  }

  private static boolean overlap(MemorySegment a, long aBytes, MemorySegment b, long bBytes) {
    long apart = a.address() - b.address();
    return apart < bBytes && -apart < aBytes;
  }

  /** Checks at an await that arrays are there as they were at the start. */
  void requireStillThere(RunState state, MemorySegment[] ins, MemorySegment[] outs) {
    for (int i = 0; i < vectors; i++) {
      state.requireStillThere(ins[i], inputNames[i]);
      state.requireStillThere(outs[i], outputNames[i]);
    }
  }
}
