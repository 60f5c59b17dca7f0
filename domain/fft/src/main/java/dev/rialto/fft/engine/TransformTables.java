package dev.rialto.fft.engine;

import dev.rialto.fft.Engines;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Tables of complex numbers on a device, which kernels of transforms read. */
public final class TransformTables implements AutoCloseable {
  private final ComputeClient client;
  private final DType precision;
  private final DType type;
  private final List<Buffer> kept = new ArrayList<>();

  public TransformTables(ComputeClient client, DType precision) {
    this.client = client;
    this.precision = precision;
    this.type = precision == DType.F32 ? DType.C64 : DType.C128;
  }

  public DType type() {
    return type;
  }

  /** Puts numbers on the device, until this is closed. */
  public Buffer keep(MemorySegment numbers) {
    Buffer table = client.create(numbers);
    kept.add(table);
    return table;
  }

  /** Returns the powers of exp(-2πi/n), n of them. */
  public Buffer roots(long points) {
    RootsOfUnity roots = new RootsOfUnity(points, false);
    return table(points, (numbers, j) -> set(numbers, j, roots, j), false);
  }

  /** Returns exp(-πi j²/n), n of them. */
  public Buffer chirp(long length) {
    RootsOfUnity roots = new RootsOfUnity(2 * length, false);
    return table(length, (numbers, j) -> set(numbers, j, roots, j * j % (2 * length)), false);
  }

  /** Returns the transform of the conjugate of the chirp, which begins at both ends of a line. */
  public Buffer spectrum(long length, long points) {
    RootsOfUnity roots = new RootsOfUnity(2 * length, true);
    return table(
        points,
        (numbers, i) -> {
          long j = Math.min(i, points - i);
          if (j < length) {
            set(numbers, i, roots, j * j % (2 * length));
          }
        },
        true);
  }

  /** Sets one number of a table. */
  private interface Filling {
    void set(MemorySegment numbers, long index);
  }

  private void set(MemorySegment numbers, long index, RootsOfUnity roots, long power) {
    Numbers.set(type, numbers, index, roots.real(power), roots.imaginary(power));
  }

  private Buffer table(long points, Filling filling, boolean transformed) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocate(type.bytes(points), 64);
      for (long i = 0; i < points; i++) {
        filling.set(numbers, i);
      }
      if (transformed) {
        FftSpec line = FftSpec.of(Kind.FORWARD, precision, points, 1);
        try (FftPlan plan = Engines.get(Engines.EMBEDDED).plan(line)) {
          plan.execute(numbers, numbers, arena.allocate(Math.max(1, plan.workspaceBytes()), 64));
        }
      }
      return keep(numbers);
    }
  }

  @Override
  public void close() {
    kept.forEach(Buffer::close);
  }
}
