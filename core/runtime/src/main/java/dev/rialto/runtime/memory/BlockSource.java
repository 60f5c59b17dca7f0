package dev.rialto.runtime.memory;

/** Where a block came from and goes back to. */
@FunctionalInterface
interface BlockSource {
  /** Takes a block that nobody holds any longer, but streams may still use. */
  void release(Block block);
}
