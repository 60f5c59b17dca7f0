package dev.rialto.jit.kernel.host;

import dev.rialto.jit.kernel.I16;
import dev.rialto.jit.kernel.I8;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** An item of a block whose items take turns, so that no step of one meets a step of another. */
public final class PlainItem implements Item {
  /** The arrays that the items of a block share. */
  public static final class Shared {
    private final Map<String, Object> arrays = new HashMap<>();
    private final long[] values;
    private final int[] ballots;

    public Shared(int items) {
      this.values = new long[items];
      this.ballots = new int[items / SUBGROUP + 1];
    }
  }

  /** The meetings of the items of a block. */
  public interface Meeting {
    /** Waits for all items that have not returned. */
    void ofBlock(int item);

    /** Waits for those of the item's subgroup. */
    void ofSubgroup(int item);

    boolean hasReturned(int item);
  }

  /**
   * An axis of the launch.
   *
   * @param block the place of the item's block
   * @param local the item's place in it
   * @param count the items of the block
   * @param blocks all blocks
   * @param items all items
   * @param first the place of the block's first item
   */
  public record Axis(long block, int local, int count, long blocks, long items, long first) {}

  private final List<Axis> axes;
  private final Shared shared;
  private final Meeting meeting;

  public PlainItem(List<Axis> axes, Shared shared, Meeting meeting) {
    this.axes = axes;
    this.shared = shared;
    this.meeting = meeting;
  }

  /** A number that goes through all axes row by row. */
  private long number(ToLongFunction<Axis> place, ToLongFunction<Axis> size) {
    long number = 0;
    for (Axis axis : axes) {
      number = number * size.applyAsLong(axis) + place.applyAsLong(axis);
    }
    return number;
  }

  private long product(ToLongFunction<Axis> size) {
    return axes.stream().mapToLong(size).reduce(1, Math::multiplyExact);
  }

  @Override
  public long global() {
    return number(axis -> axis.first + axis.local, Axis::items);
  }

  @Override
  public long global(int axis) {
    return axes.get(axis).first + axes.get(axis).local;
  }

  @Override
  public long globalSize() {
    return product(Axis::items);
  }

  @Override
  public long globalSize(int axis) {
    return axes.get(axis).items;
  }

  @Override
  public int local() {
    return (int) number(Axis::local, Axis::count);
  }

  @Override
  public int local(int axis) {
    return axes.get(axis).local;
  }

  @Override
  public int blockSize() {
    return (int) product(Axis::count);
  }

  @Override
  public int blockSize(int axis) {
    return axes.get(axis).count;
  }

  @Override
  public long block() {
    return number(Axis::block, Axis::blocks);
  }

  @Override
  public long block(int axis) {
    return axes.get(axis).block;
  }

  @Override
  public long blocks() {
    return product(Axis::blocks);
  }

  @Override
  public long blocks(int axis) {
    return axes.get(axis).blocks;
  }

  @Override
  public void barrier() {
    meeting.ofBlock(local());
  }

  @Override
  public int lane() {
    return local() % SUBGROUP;
  }

  @Override
  public int subgroupSize() {
    return Math.min(SUBGROUP, blockSize() - local() + lane());
  }

  private long exchange(long bits, int lane) {
    int local = local();
    shared.values[local] = bits;
    meeting.ofSubgroup(local);
    int from = local - lane() + lane;
    if (lane < 0 || lane >= subgroupSize() || meeting.hasReturned(from)) {
      throw new IndexOutOfBoundsException(
          ("item %s of the block asks for lane %s of its subgroup, where no item is; "
                  + "ballot(true) tells which lanes there are")
              .formatted(local, lane));
    }
    long found = shared.values[from];
    meeting.ofSubgroup(local);
    return found;
  }

  @Override
  public int shuffle(int value, int lane) {
    return (int) exchange(value, lane);
  }

  @Override
  public long shuffle(long value, int lane) {
    return exchange(value, lane);
  }

  @Override
  public float shuffle(float value, int lane) {
    return Float.intBitsToFloat((int) exchange(Float.floatToRawIntBits(value), lane));
  }

  @Override
  public double shuffle(double value, int lane) {
    return Double.longBitsToDouble(exchange(Double.doubleToRawLongBits(value), lane));
  }

  @Override
  public int ballot(boolean condition) {
    int subgroup = local() / SUBGROUP;
    int own = 1 << lane();
    shared.ballots[subgroup] |= condition ? own : 0;
    meeting.ofSubgroup(local());
    int bits = shared.ballots[subgroup];
    meeting.ofSubgroup(local());
    shared.ballots[subgroup] &= ~own;
    return bits;
  }

  @Override
  public void print(String text) {
    System.out.println(PrintedLines.of(global(), text, ""));
  }

  @Override
  public void print(String text, long value) {
    System.out.println(PrintedLines.of(global(), text, value));
  }

  @Override
  public void print(String text, double value) {
    System.out.println(PrintedLines.of(global(), text, value));
  }

  /** The line of the kernel that asks, which tells its arrays apart. */
  private static String site() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .skip(3)
                    .takeWhile(f -> !f.getClassName().equals(KernelBody.class.getName()))
                    .map(f -> f.getClassName() + "." + f.getMethodName() + f.getByteCodeIndex())
                    .toList()
                    .toString());
  }

  /** Returns the array of the line that asks, at first with elements that no kernel should read. */
  @SuppressWarnings("unchecked")
  private <T> T array(Supplier<T> made, Consumer<T> filling) {
    return (T)
        shared.arrays.computeIfAbsent(
            site(),
            _ -> {
              T array = made.get();
              filling.accept(array);
              return array;
            });
  }

  @Override
  public int[] sharedInts(int length) {
    return array(() -> new int[length], array -> Arrays.fill(array, 0xdeadbeef));
  }

  @Override
  public long[] sharedLongs(int length) {
    return array(() -> new long[length], array -> Arrays.fill(array, 0xdeadbeefdeadbeefL));
  }

  @Override
  public short[] sharedShorts(int length) {
    return array(() -> new short[length], array -> Arrays.fill(array, (short) 0xbeef));
  }

  @Override
  public byte[] sharedBytes(int length) {
    return array(() -> new byte[length], array -> Arrays.fill(array, (byte) 0xef));
  }

  @Override
  public boolean[] sharedBooleans(int length) {
    return array(() -> new boolean[length], array -> Arrays.fill(array, true));
  }

  @Override
  public char[] sharedChars(int length) {
    return array(() -> new char[length], array -> Arrays.fill(array, '?'));
  }

  @Override
  public float[] sharedFloats(int length) {
    return array(() -> new float[length], array -> Arrays.fill(array, Float.NaN));
  }

  @Override
  public double[] sharedDoubles(int length) {
    return array(() -> new double[length], array -> Arrays.fill(array, Double.NaN));
  }

  @Override
  public byte atomicCompareExchange(I8 array, long index, byte expected, byte value) {
    byte old = array.get(index);
    array.set(index, old == expected ? value : old);
    return old;
  }

  @Override
  public byte atomicCompareExchange(byte[] shared, int index, byte expected, byte value) {
    byte old = shared[index];
    shared[index] = old == expected ? value : old;
    return old;
  }

  @Override
  public short atomicCompareExchange(I16 array, long index, short expected, short value) {
    short old = array.get(index);
    array.set(index, old == expected ? value : old);
    return old;
  }

  @Override
  public short atomicCompareExchange(short[] shared, int index, short expected, short value) {
    short old = shared[index];
    shared[index] = old == expected ? value : old;
    return old;
  }
}
