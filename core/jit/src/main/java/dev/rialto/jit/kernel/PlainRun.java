package dev.rialto.jit.kernel;

import dev.rialto.jit.kernel.host.PlainItem;
import dev.rialto.jit.kernel.host.RoundRobinThreads;
import dev.rialto.jit.kernel.launch.Blocks;
import dev.rialto.spi.data.Shape;
import java.util.List;

/**
 * Runs a kernel as the Java method that it is, item by item: a debugger stops in it, an index out
 * of bounds throws, and what it computes is what every compiled form must compute.
 *
 * <p>Blocks run one after the other. The items of a block take turns: each runs up to its next
 * barrier, in the order of their numbers, so that a run gives the same results each time.
 */
public final class PlainRun {
  private PlainRun() {}

  /**
   * Runs a kernel over items.
   *
   * @param blockSize the items of a block
   * @param items all items
   * @param arguments the arrays and numbers that the method takes
   */
  public static void of(KernelBody body, int blockSize, long items, Object... arguments) {
    of(body, Shape.of(blockSize), Shape.of(items), arguments);
  }

  /**
   * Runs a kernel over items along several axes.
   *
   * @param block the items of a block along each axis
   * @param items all items along each axis
   * @param arguments the arrays and numbers that the method takes
   */
  public static void of(KernelBody body, Shape block, Shape items, Object... arguments) {
    Blocks blocks = new Blocks(block, items);
    for (long number = 0; number < blocks.count(); number++) {
      List<List<PlainItem.Axis>> places = blocks.items(number);
      PlainItem.Shared shared = new PlainItem.Shared(places.size());
      RoundRobinThreads turns = new RoundRobinThreads(places.size());
      for (int local = 0; local < places.size(); local++) {
        PlainItem item = new PlainItem(places.get(local), shared, turns);
        turns.add(local, () -> KernelBody.call(body, item, arguments));
      }
      turns.run();
    }
  }
}
