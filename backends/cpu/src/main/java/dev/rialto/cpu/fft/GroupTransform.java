package dev.rialto.cpu.fft;

import dev.rialto.spi.fft.FftSpec;

/**
 * Transforms groups of lines, one line to a lane. Groups are independent of one another; each needs
 * two blocks of scratch memory, which fit the second-level cache for lines of up to some 4000
 * points.
 */
final class GroupTransform {
  /** Odd, in lines of the cache: blocks a power of two apart would fight for its sets. */
  private static final long GAP = 3 * 64;

  private final FftSpec spec;
  private final int lanes;
  private final Lines in;
  private final Lines out;
  private final BlockProgram full;
  private final BlockProgram partial;
  private final long blockBytes;

  GroupTransform(FftSpec spec, Codelets codelets) {
    this.spec = spec;
    this.lanes = codelets.numbers().lanes();
    this.in =
        new Lines(
            codelets,
            true,
            spec.inType(),
            spec.inPoints(),
            spec.inStride(),
            spec.inDistance(),
            spec.inPlane());
    this.out =
        new Lines(
            codelets,
            false,
            spec.outType(),
            spec.outPoints(),
            spec.outStride(),
            spec.outDistance(),
            spec.outPlane());
    boolean fuses = ProgramBuilder.takesColumns(spec.kind(), spec.length());
    long inStride = fuses && in.columns() ? in.stride() : 0;
    long outStride = fuses && out.columns() ? out.stride() : 0;
    this.full = program(codelets, inStride, outStride);
    this.partial =
        (inStride > 0 || outStride > 0) && spec.lines() % lanes != 0
            ? program(codelets, 0, 0)
            : full;
    long bytes =
        Math.multiplyExact(
            Math.max(full.blockRows(), partial.blockRows()), codelets.numbers().rowBytes());
    this.blockBytes = Math.ceilDiv(bytes, 64) * 64 + GAP;
  }

  private BlockProgram program(Codelets codelets, long inStride, long outStride) {
    return new ProgramBuilder(codelets, inStride, outStride, spec.scale())
        .build(spec.kind(), spec.length());
  }

  long groups() {
    return Math.multiplyExact(spec.planes(), Math.ceilDiv(spec.lines(), lanes));
  }

  /** Returns the bytes of memory that one thread needs. */
  long scratchBytes() {
    return 2 * blockBytes + Math.max(full.scratchBytes(), partial.scratchBytes());
  }

  void run(long group, long input, long output, long scratch) {
    long perPlane = Math.ceilDiv(spec.lines(), lanes);
    long plane = group / perPlane;
    long line = group % perPlane * lanes;
    int count = (int) Math.min(lanes, spec.lines() - line);
    long from = input + in.offset(plane, line);
    long to = output + out.offset(plane, line);
    long a = scratch;
    long b = scratch + blockBytes;
    BlockProgram program = count == lanes ? full : partial;
    long source = from;
    if (!program.readsMemory()) {
      in.copy(from, a, count);
      source = a;
    }
    long result = program.run(source, to, a, b, b + blockBytes);
    if (!program.writesMemory()) {
      out.copy(to, result, count);
    }
  }
}
