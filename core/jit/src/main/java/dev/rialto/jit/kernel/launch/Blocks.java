package dev.rialto.jit.kernel.launch;

import dev.rialto.jit.kernel.host.PlainItem;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * The blocks of a launch.
 *
 * @param block the items of a whole block along each axis
 * @param items all items along each axis
 */
public record Blocks(Shape block, Shape items) {
  /** Checks that one fits the other. */
  public Blocks {
    if (block.rank() != items.rank()) {
      throw new IllegalArgumentException(
          ("the blocks of the kernel have shape %s, but the launch has shape %s; give as "
                  + "many axes")
              .formatted(block, items));
    }
    if (block.count() < 1) {
      throw new IllegalArgumentException("blocks of shape " + block + "; give at least 1 item");
    }
  }

  public long along(int axis) {
    long extent = items.extent(axis);
    return extent == 0 ? 0 : (extent - 1) / block.extent(axis) + 1;
  }

  public long count() {
    long count = 1;
    for (int axis = 0; axis < block.rank(); axis++) {
      count = Math.multiplyExact(count, along(axis));
    }
    return count;
  }

  /** The items of a block, row by row, each with its place along every axis. */
  public List<List<PlainItem.Axis>> items(long number) {
    List<List<PlainItem.Axis>> places = List.of(List.of());
    long stride = count();
    long rest = number;
    for (int axis = 0; axis < block.rank(); axis++) {
      stride /= along(axis);
      long here = rest / stride;
      rest %= stride;
      long first = here * block.extent(axis);
      int size = (int) Math.min(block.extent(axis), items.extent(axis) - first);
      List<List<PlainItem.Axis>> more = new ArrayList<>();
      for (List<PlainItem.Axis> outer : places) {
        for (int local = 0; local < size; local++) {
          List<PlainItem.Axis> place = new ArrayList<>(outer);
          place.add(new PlainItem.Axis(here, local, size, along(axis), items.extent(axis), first));
          more.add(place);
        }
      }
      places = more;
    }
    return places;
  }
}
