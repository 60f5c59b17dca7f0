package dev.rialto.array.part;

import dev.rialto.array.loop.OwnReads;
import dev.rialto.exchange.plan.Region;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Refuses functions of indices that use other elements of the array that they set than their own:
 * those may have been set by then, or not, as ranks and threads divide them.
 *
 * <p>A function whose class file shows that it does not is run as it is. For any other, the array,
 * and others that it captures on the same memory, have no places that are found fast meanwhile, so
 * that each use of an element comes here; other arrays are as fast as ever. A function that does
 * come here is run element by element from then on.
 */
public final class SelfReads implements AutoCloseable {
  /** Loops over elements that lie one after another. */
  @FunctionalInterface
  public interface Stretch {
    void run(long number, long address, long count);
  }

  /** The sign that a function uses the array that it sets. */
  private static final class Used extends IllegalStateException {
    private static final long serialVersionUID = 1;

    Used(Operand array) {
      super(array + " is being set by another thread; read it before or after");
    }
  }

  /** The address of the element that a thread sets. */
  private static final ThreadLocal<long[]> SET = new ThreadLocal<>();

  private final Operand out;

  /** The function of indices; null for one of elements, which has no business with others. */
  private final @Nullable Object function;

  private final List<RankPart> watched = new ArrayList<>();

  /** Whether elements are set one by one. */
  private volatile boolean oneByOne;

  /** Whether the function uses its own elements only, after all. */
  private volatile boolean seenThrough;

  private SelfReads(Operand out, @Nullable Object function) {
    this.out = out;
    this.function = function;
  }

  /** Watches the setting of an array on the host until it is closed. */
  public static SelfReads watch(Operand out, Object function) {
    SelfReads reads = new SelfReads(out, function);
    OwnReads own = OwnReads.of(function);
    boolean alone = !out.isView() && !out.hasViews();
    if (alone && own.known() && own.elsewhere().isEmpty()) {
      reads.seenThrough = true;
      return reads;
    }
    reads.add(out);
    reads.add(out.whole());
    if (!alone) {
      reads.overlapping().forEach(reads::add);
    }
    return reads;
  }

  /** Refuses all uses of an array on the host while it is set, until this is closed. */
  public static SelfReads refuse(Operand out) {
    SelfReads reads = new SelfReads(out, null);
    reads.add(out);
    reads.add(out.whole());
    return reads;
  }

  private void add(Operand array) {
    RankPart part = array.part();
    if (part.watch(this)) {
      watched.add(part);
    }
  }

  /** Returns the arrays on the memory of this one that the function captures. */
  private List<Operand> overlapping() {
    List<Operand> found = new ArrayList<>();
    for (Object each : captured()) {
      Operand array = each == null ? null : out.team().find(each);
      if (array != null && array.zip() == null && Operands.overlap(array, out)) {
        found.add(array);
      }
    }
    return found;
  }

  private List<Object> captured() {
    List<Object> site = JavaKernels.identity(Objects.requireNonNull(function));
    return site.subList(Math.min(2, site.size()), site.size());
  }

  /** Sets elements by a loop that calls the function. */
  public void run(long number, long address, long count, Stretch loop) {
    if (!oneByOne) {
      try {
        loop.run(number, address, count);
        return;
      } catch (Used _) {
        // It has set no element that it has used.
        seenThrough = usesOwnOnly();
        oneByOne = !seenThrough;
      }
    }
    if (seenThrough) {
      release();
      loop.run(number, address, count);
    } else {
      each(number, address, count, loop);
    }
  }

  private void each(long number, long address, long count, Stretch loop) {
    long[] set = new long[1];
    SET.set(set);
    try {
      int size = out.type().size();
      for (long i = 0; i < count; i++) {
        set[0] = address + i * size;
        loop.run(number + i, set[0], 1);
      }
    } finally {
      SET.remove();
    }
  }

  /** Returns whether the arrays that the function uses elsewhere have other memory. */
  private boolean usesOwnOnly() {
    OwnReads own = OwnReads.of(Objects.requireNonNull(function));
    List<Object> captured = captured();
    return own.known()
        && overlapping().stream().allMatch(array -> array == out)
        && own.elsewhere().stream()
            .allMatch(
                place -> {
                  Operand array = out.team().find(captured.get(place));
                  return array != null && array.zip() == null && !Operands.overlap(array, out);
                });
  }

  /** Checks the use of an element. */
  void check(Operand array, long[] index, long address) {
    if (seenThrough) {
      return;
    }
    if (function == null) {
      throw refusal(array, index, "set a second array");
    }
    long @Nullable [] set = SET.get();
    if (set == null) {
      if (!oneByOne) {
        throw new Used(array);
      }
      return; // Another thread, which is no function.
    }
    if (address != set[0] && (array == out || sets(address))) {
      throw refusal(array, index, "use that one only, or set a second array");
    }
  }

  private IllegalArgumentException refusal(Operand array, long[] index, String remedy) {
    return new IllegalArgumentException(
        "%s is set by a function that uses element %s of %s, which is set before or after the one it is called for; %s"
            .formatted(out, Arrays.toString(index), array, remedy));
  }

  /** Returns whether what lies at an address is to be set on this rank. */
  private boolean sets(long address) {
    long rest = (address - out.address()) / out.type().size();
    if (!(out.layout().region() instanceof Region.Box box)) {
      return rest >= 0 && rest < out.layout().span();
    }
    rest -= box.offset();
    Shape extents = box.extents();
    long[] strides = box.strides();
    int[] axes =
        IntStream.range(0, strides.length)
            .boxed()
            .sorted((a, b) -> Long.compare(strides[b], strides[a]))
            .mapToInt(axis -> axis)
            .toArray();
    for (int axis : axes) {
      long at = rest < 0 ? -1 : Math.min(rest / strides[axis], extents.extent(axis) - 1);
      if (at < 0) {
        return false;
      }
      rest -= at * strides[axis];
    }
    return rest == 0;
  }

  private synchronized void release() {
    watched.forEach(part -> part.watch(null));
    watched.clear();
  }

  /** Ends it. */
  @Override
  public void close() {
    release();
  }
}
