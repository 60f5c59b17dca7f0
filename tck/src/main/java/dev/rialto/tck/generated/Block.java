package dev.rialto.tck.generated;

import dev.rialto.spi.data.DType;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * A piece of a buffer that goes to or comes from one rank.
 *
 * @param at where it starts, in elements
 * @param count how many elements it has
 * @param key what its bytes are made from
 */
record Block(long at, long count, long key) {
  static List<Block> inOrder(long[] counts, long[] keys) {
    List<Block> blocks = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < counts.length; i++) {
      blocks.add(new Block(at, counts[i], keys[i]));
      at += counts[i];
    }
    return blocks;
  }

  /** Returns blocks in random order with gaps between them. */
  static List<Block> scattered(Draw draw, long[] counts, long[] keys) {
    Block[] blocks = new Block[counts.length];
    long at = draw.below(4);
    for (int i : draw.order(counts.length)) {
      blocks[i] = new Block(at, counts[i], keys[i]);
      at += counts[i] + (draw.once(2) ? 0 : draw.below(5));
    }
    return List.of(blocks);
  }

  static long[] counts(List<Block> blocks) {
    return blocks.stream().mapToLong(Block::count).toArray();
  }

  static long[] displacements(List<Block> blocks) {
    return blocks.stream().mapToLong(Block::at).toArray();
  }

  /** Returns the elements from the start of the buffer to the end of the last block. */
  static long span(List<Block> blocks) {
    return blocks.stream().mapToLong(block -> block.at + block.count).max().orElse(0);
  }

  /** Writes the pattern of each block, for one of the times that an operation is begun. */
  static void write(List<Block> blocks, DType type, MemorySegment to, int round) {
    for (Block block : blocks) {
      RankMemory.write(
          block.key + round, to.asSlice(type.bytes(block.at), type.bytes(block.count)));
    }
  }
}
