package dev.rialto.tck.generated.window;

import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.generated.GuardedBuffers;
import dev.rialto.tck.generated.Placement;
import dev.rialto.tck.generated.Words;
import dev.rialto.tck.reference.LayoutReference;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.ReductionReference;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One access to another rank's memory.
 *
 * @param offset where it begins, in bytes from the start of the target's memory
 * @param op how it combines; REPLACE for those that do not
 * @param here where the origin's elements lie, for accesses by layout
 * @param there where the target's elements lie, for accesses by layout
 * @param matches whether a comparison is to succeed
 */
record WindowAccess(
    Kind kind,
    int origin,
    int target,
    long offset,
    DType type,
    long count,
    ReduceOp op,
    @Nullable Layout here,
    @Nullable Layout there,
    Placement at,
    boolean matches,
    long key) {
  enum Kind {
    PUT,
    GET,
    PUT_LAYOUT,
    GET_LAYOUT,
    ACCUMULATE,
    GET_ACCUMULATE,
    FETCH_AND_OP,
    COMPARE_AND_SWAP;

    boolean combines() {
      return this == ACCUMULATE || this == GET_ACCUMULATE || this == FETCH_AND_OP;
    }

    boolean fetches() {
      return this != PUT && this != PUT_LAYOUT && this != ACCUMULATE;
    }

    String label() {
      return Words.camel(name());
    }
  }

  /** An access to elements that lie together. */
  WindowAccess(
      Kind kind,
      int origin,
      int target,
      long offset,
      DType type,
      long count,
      ReduceOp op,
      Placement at,
      boolean matches,
      long key) {
    this(kind, origin, target, offset, type, count, op, null, null, at, matches, key);
  }

  private static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  /** Writes numbers that may be combined a few times without rounding. */
  static void number(long key, MemorySegment to, DType type, long count) {
    ReductionReference.operands(key, to, type, count, ReduceOp.PRODUCT);
  }

  private long bytes() {
    return type.bytes(count);
  }

  /** Writes what the origin gives. */
  private void operand(MemorySegment to) {
    if (kind.combines() || kind == Kind.COMPARE_AND_SWAP) {
      number(key, to, type, count);
    } else if (here == null) {
      RankMemory.write(key, to);
    } else {
      LayoutReference.copy(plain(), Layout.contiguous(type, count), to, here, count);
    }
  }

  private MemorySegment plain() {
    MemorySegment plain = MemorySegment.ofArray(new byte[(int) bytes()]);
    RankMemory.write(key, plain);
    return plain;
  }

  /** Writes what a comparison is with: what is there, or something else. */
  private void compared(MemorySegment to, MemorySegment model) {
    if (matches) {
      to.copyFrom(model.asSlice(offset, bytes()));
    } else {
      RankMemory.write(key + 1, to);
    }
  }

  /**
   * Begins it.
   *
   * @param model what the target's memory held before the epoch
   * @return where what is fetched will be
   */
  MemorySegment begin(Window window, GuardedBuffers buffers, long base, MemorySegment model) {
    long place = base + offset;
    long span = here == null ? bytes() : here.span();
    MemorySegment out =
        kind == Kind.GET || kind == Kind.GET_LAYOUT
            ? NOTHING
            : buffers.source(at, span, this::operand);
    MemorySegment in = kind.fetches() ? buffers.target(at, span) : NOTHING;
    switch (kind) {
      case PUT -> window.put(out, type, count, target, place);
      case GET -> window.get(in, type, count, target, place);
      case PUT_LAYOUT -> window.put(out, layout(here), target, place, layout(there));
      case GET_LAYOUT -> window.get(in, layout(here), target, place, layout(there));
      case ACCUMULATE -> window.accumulate(out, type, count, target, place, op);
      case GET_ACCUMULATE -> window.getAccumulate(out, in, type, count, target, place, op);
      case FETCH_AND_OP -> window.fetchAndOp(out, in, type, target, place, op);
      case COMPARE_AND_SWAP -> {
        MemorySegment with = buffers.source(at, bytes(), to -> compared(to, model));
        window.compareAndSwap(out, with, in, type, target, place);
      }
    }
    return in;
  }

  private static Layout layout(@Nullable Layout layout) {
    return Objects.requireNonNull(layout);
  }

  /**
   * Does to the model what it does to the target.
   *
   * @return what is fetched
   */
  MemorySegment apply(MemorySegment model) {
    if (there != null && here != null) {
      MemorySegment part = model.asSlice(offset);
      if (kind == Kind.PUT_LAYOUT) {
        LayoutReference.copy(plain(), Layout.contiguous(type, count), part, there, count);
        return NOTHING;
      }
      MemorySegment got = MemorySegment.ofArray(new byte[(int) here.span()]).fill((byte) 0x5A);
      LayoutReference.copy(part, there, got, here, count);
      return got;
    }
    MemorySegment place = model.asSlice(offset, bytes());
    if (kind == Kind.PUT) {
      operand(place);
      return NOTHING;
    }
    MemorySegment before = MemorySegment.ofArray(new byte[(int) bytes()]).copyFrom(place);
    if (kind == Kind.COMPARE_AND_SWAP) {
      MemorySegment with = MemorySegment.ofArray(new byte[(int) bytes()]);
      compared(with, model);
      if (with.mismatch(before) < 0) {
        operand(place);
      }
    } else if (kind.combines()) {
      MemorySegment operand = MemorySegment.ofArray(new byte[(int) bytes()]);
      operand(operand);
      ReductionReference.combine(before, operand, type, count, op);
      place.copyFrom(operand);
    }
    return kind == Kind.ACCUMULATE ? NOTHING : before;
  }

  void check(MemorySegment wanted, MemorySegment got) {
    RankMemory.check(wanted, got, "fetched by " + this);
  }

  @Override
  public String toString() {
    return "%s of %s %s%s from rank %s at byte %s of rank %s%s"
        .formatted(
            kind.label(),
            count,
            type,
            kind.combines() ? " by " + op.label() : "",
            origin,
            offset,
            target,
            here == null ? "" : ", " + here + " and " + there);
  }

  static String to(List<WindowAccess> accesses, int rank) {
    return accesses.stream().filter(access -> access.target == rank).limit(12).toList().toString();
  }
}
