package dev.rialto.runtime.memory;

/** The source to which a block goes back. */
@FunctionalInterface
interface BlockSource {
  /** Takes a block that is no longer held, but streams may still use. */
  void release(Block block);
}
