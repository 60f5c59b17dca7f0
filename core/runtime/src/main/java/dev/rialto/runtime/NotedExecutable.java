package dev.rialto.runtime;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Code whose launches leave a {@linkplain LaunchNote note}. The host looks at it in the stream, so
 * that a launch fails as if the code had thrown.
 */
final class NotedExecutable implements Executable {
  private final Executable code;
  private final LaunchNote note;
  private final ComputeDevice device;

  /** The notes by the addresses of their buffers. */
  private final Map<Long, Copy> copies = new ConcurrentHashMap<>();

  NotedExecutable(ComputeDevice device, Executable code, LaunchNote note) {
    this.device = device;
    this.code = code;
    this.note = note;
  }

  @Override
  public LoweredKernel kernel() {
    return code.kernel();
  }

  @Override
  public void launch(long items, List<MemorySegment> buffers, Stream stream) {
    MemorySegment left = buffers.get(note.parameter());
    if (device.isHostAccessible()) {
      code.launch(items, buffers, stream);
      stream.run(() -> look(left));
      return;
    }
    copies.computeIfAbsent(left.address(), _ -> new Copy()).launch(items, buffers, stream, left);
  }

  /** Looks at a note and clears it. */
  private void look(MemorySegment memory) {
    if (memory.get(ValueLayout.JAVA_LONG, 0) != 0) {
      MemorySegment words = memory.asSlice(0, (long) note.words() * Long.BYTES);
      long[] told = words.toArray(ValueLayout.JAVA_LONG);
      words.fill((byte) 0);
      note.look().accept(told);
    }
  }

  /** Ends the code; launches already added still run. */
  @Override
  public void close() {
    code.close();
    copies.values().forEach(copy -> copy.memory.close());
    copies.clear();
  }

  /** A note that the host cannot read where it is. */
  private final class Copy {
    private final long bytes = (long) note.words() * Long.BYTES;
    private final Buffer memory = BufferFactory.staging(device, "note", 2 * bytes);
    private final MemorySegment zeros = memory.segment().asSlice(0, bytes).fill((byte) 0);
    private final MemorySegment read = memory.segment().asSlice(bytes, bytes);

    /** Whether something is in the note that was looked at already. */
    private volatile boolean used;

    void launch(long items, List<MemorySegment> buffers, Stream stream, MemorySegment left) {
      MemoryTransfer transfer = device.spi().transfer();
      if (used) {
        transfer.copyAsync(zeros, left, bytes, stream);
      }
      code.launch(items, buffers, stream);
      transfer.copyAsync(left, read, bytes, stream);
      stream.run(
          () -> {
            used = read.get(ValueLayout.JAVA_LONG, 0) != 0;
            look(read);
          });
    }
  }
}
