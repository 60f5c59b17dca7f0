package dev.rialto.tck.generated;

import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of one step on one rank. Each lies between guards that nothing may write to, and
 * those that are only read are compared with a copy.
 */
public final class GuardedBuffers implements AutoCloseable {
  private static final byte BLANK = 0x5A;
  private static final byte GUARD = 0x3C;
  private static final long FRONT = 64;
  private static final long BACK = 64;
  private static final long COPIED = 1 << 16;

  private record Guarded(MemorySegment whole, long begin, long end, @Nullable MemorySegment copy) {}

  private final List<Guarded> all = new ArrayList<>();
  private @Nullable Arena confined;
  private @Nullable Arena shared;

  /** Makes a buffer to be read, filled by {@code fill}. */
  public MemorySegment source(Placement at, long bytes, Consumer<MemorySegment> fill) {
    MemorySegment whole = allocate(at, FRONT + at.offset() + bytes + BACK);
    MemorySegment body = whole.asSlice(FRONT + at.offset(), bytes);
    fill.accept(body);
    MemorySegment copy =
        bytes <= COPIED ? MemorySegment.ofArray(new byte[(int) bytes]).copyFrom(body) : null;
    guard(whole, FRONT + at.offset(), bytes, copy);
    return at.readOnly() ? body.asReadOnly() : body;
  }

  public MemorySegment target(Placement at, long bytes) {
    MemorySegment whole = allocate(at, FRONT + at.offset() + bytes + BACK);
    guard(whole, FRONT + at.offset(), bytes, null);
    return whole.asSlice(FRONT + at.offset(), bytes).fill(BLANK);
  }

  /** Makes memory of the kit's own to hold what a target should hold. */
  public MemorySegment expected(long bytes) {
    return confined().allocate(Math.max(1, bytes), FRONT).asSlice(0, bytes).fill(BLANK);
  }

  private void guard(MemorySegment whole, long begin, long bytes, @Nullable MemorySegment copy) {
    whole.asSlice(0, begin).fill(GUARD);
    whole.asSlice(begin + bytes).fill(GUARD);
    all.add(new Guarded(whole, begin, begin + bytes, copy));
  }

  private MemorySegment allocate(Placement at, long bytes) {
    return switch (at.kind()) {
      case CONFINED -> confined().allocate(bytes, FRONT);
      case SHARED -> {
        Arena arena = shared == null ? Arena.ofShared() : shared;
        shared = arena;
        yield arena.allocate(bytes, FRONT);
      }
      case AUTOMATIC -> Arena.ofAuto().allocate(bytes, FRONT);
      case HEAP ->
          at.offset() % 8 == 0
              ? MemorySegment.ofArray(new long[(int) ((bytes + 7) / 8)]).asSlice(0, bytes)
              : MemorySegment.ofArray(new byte[(int) bytes]);
    };
  }

  private Arena confined() {
    Arena arena = confined == null ? Arena.ofConfined() : confined;
    confined = arena;
    return arena;
  }

  /** Checks that nothing was written around the buffers, nor into those that are only read. */
  public void check(String what) {
    for (Guarded each : all) {
      untouched(each.whole.asSlice(0, each.begin), what + ": memory before a buffer");
      untouched(each.whole.asSlice(each.end), what + ": memory behind a buffer");
      if (each.copy != null) {
        MemorySegment body = each.whole.asSlice(each.begin, each.end - each.begin);
        RankMemory.check(each.copy, body, what + ": a buffer that is only read");
      }
    }
  }

  private static void untouched(MemorySegment guard, String what) {
    MemorySegment expected = MemorySegment.ofArray(new byte[(int) guard.byteSize()]).fill(GUARD);
    RankMemory.check(expected, guard, what);
  }

  @Override
  public void close() {
    if (confined != null) {
      confined.close();
    }
    if (shared != null) {
      shared.close();
    }
  }
}
