package dev.rialto.jit.kernel;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** An item of a block whose items take turns, so that no step of one meets a step of another. */
final class PlainItem extends PlainAtomics {
  /** What the items of a block have together. */
  static final class Shared {
    private final Map<String, Object> arrays = new HashMap<>();

    private Object array(String site, Supplier<Object> maker) {
      return arrays.computeIfAbsent(site, _ -> maker.get());
    }
  }

  private final long block;
  private final int local;
  private final int count;
  private final long blocks;
  private final long items;
  private final long first;
  private final Shared shared;
  private final Runnable barrier;

  PlainItem(
      long block,
      int local,
      int count,
      long blocks,
      long items,
      long first,
      Shared shared,
      Runnable barrier) {
    this.block = block;
    this.local = local;
    this.count = count;
    this.blocks = blocks;
    this.items = items;
    this.first = first;
    this.shared = shared;
    this.barrier = barrier;
  }

  @Override
  public long global() {
    return first + local;
  }

  @Override
  public long globalSize() {
    return items;
  }

  @Override
  public int local() {
    return local;
  }

  @Override
  public int blockSize() {
    return count;
  }

  @Override
  public long block() {
    return block;
  }

  @Override
  public long blocks() {
    return blocks;
  }

  @Override
  public void barrier() {
    barrier.run();
  }

  /** The line of the kernel that asks, which tells its arrays apart. */
  private static String site() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .skip(2)
                    .takeWhile(f -> !f.getClassName().equals(KernelBody.class.getName()))
                    .map(f -> f.getClassName() + "." + f.getMethodName() + f.getByteCodeIndex())
                    .toList()
                    .toString());
  }

  @Override
  public int[] sharedInts(int length) {
    return (int[])
        shared.array(
            site(),
            () -> {
              int[] array = new int[length];
              java.util.Arrays.fill(array, 0xdeadbeef);
              return array;
            });
  }

  @Override
  public long[] sharedLongs(int length) {
    return (long[])
        shared.array(
            site(),
            () -> {
              long[] array = new long[length];
              java.util.Arrays.fill(array, 0xdeadbeefdeadbeefL);
              return array;
            });
  }

  @Override
  public float[] sharedFloats(int length) {
    return (float[])
        shared.array(
            site(),
            () -> {
              float[] array = new float[length];
              java.util.Arrays.fill(array, Float.NaN);
              return array;
            });
  }

  @Override
  public double[] sharedDoubles(int length) {
    return (double[])
        shared.array(
            site(),
            () -> {
              double[] array = new double[length];
              java.util.Arrays.fill(array, Double.NaN);
              return array;
            });
  }
}
