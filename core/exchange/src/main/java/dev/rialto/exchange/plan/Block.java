package dev.rialto.exchange.plan;

import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The elements that go to, or come from, one peer: those of one or more regions, one after the
 * other.
 *
 * @param peer the other rank
 * @param regions where the elements lie in this rank's array
 */
public record Block(int peer, List<Region> regions) {
  /** Copies the list, leaving out empty regions. */
  public Block {
    regions = regions.stream().filter(region -> region.count() > 0).toList();
  }

  /** Makes a block of one region. */
  public static Block of(int peer, Region region) {
    return new Block(peer, List.of(region));
  }

  /** Returns how many elements there are. */
  public long count() {
    return regions.stream().mapToLong(Region::count).sum();
  }

  /** Returns how many contiguous runs they lie in. */
  public long runs() {
    return regions.stream().mapToLong(Region::runs).sum();
  }

  /** Returns the first element if all lie without gaps and in order; otherwise -1. */
  public long contiguousFrom() {
    return regions.size() == 1 ? regions.getFirst().contiguousFrom() : -1;
  }

  /** Appends a description that {@link #read} understands to the peer's list. */
  public void write(LongLists lists) {
    lists.add(peer, regions.size());
    for (Region region : regions) {
      switch (region) {
        case Region.Box box -> {
          lists.add(peer, box.extents().rank());
          lists.add(peer, box.offset());
          for (int axis = 0; axis < box.extents().rank(); axis++) {
            lists.add(peer, box.extents().extent(axis));
            lists.add(peer, box.strides()[axis]);
          }
        }
        case Region.Indices list -> {
          lists.add(peer, -1);
          lists.add(peer, list.count());
          list.forEachRun(
              (offset, count) -> {
                for (long i = 0; i < count; i++) {
                  lists.add(peer, offset + i);
                }
              });
        }
      }
    }
  }

  /** Reads the description of the block that a peer sends to this rank; empty for none. */
  public static Block read(int peer, long[] description) {
    List<Region> regions = new ArrayList<>();
    int at = 1;
    for (long i = 0; description.length > 0 && i < description[0]; i++) {
      int axes = (int) description[at++];
      if (axes < 0) {
        int count = Math.toIntExact(description[at++]);
        regions.add(Region.indices(Arrays.copyOfRange(description, at, at + count)));
        at += count;
        continue;
      }
      long offset = description[at++];
      long[] extents = new long[axes];
      long[] strides = new long[axes];
      for (int axis = 0; axis < axes; axis++) {
        extents[axis] = description[at++];
        strides[axis] = description[at++];
      }
      regions.add(Region.box(Shape.of(extents), strides, offset));
    }
    return new Block(peer, regions);
  }

  Block widened(int width) {
    return new Block(peer, regions.stream().map(region -> region.widened(width)).toList());
  }

  long span() {
    return regions.stream().mapToLong(Region::span).max().orElse(0);
  }
}
