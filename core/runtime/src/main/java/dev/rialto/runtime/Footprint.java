package dev.rialto.runtime;

import dev.rialto.runtime.memory.Block;
import dev.rialto.runtime.memory.Lane;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The blocks that an operation touches, each once, in the order in which they are claimed.
 *
 * <p>Made once for an operation that is added many times. Claiming checks that no buffer was closed
 * meanwhile, and costs a compare-and-set per block.
 */
final class Footprint {
  /** A buffer, what is done with it, and its block or one that shares memory with that. */
  record Use(Buffer buffer, Access access, Block block) {
    Use(Buffer buffer, Access access) {
      this(buffer, access, buffer.block());
    }

    boolean reads() {
      return access != Access.WRITE;
    }

    boolean writes() {
      return access != Access.READ;
    }
  }

  private final Block[] blocks;

  /** A buffer of each block; its own, unless the block only shares memory with that buffer's. */
  private final Buffer[] buffers;

  private final boolean[] reads;
  private final boolean[] writes;

  Footprint(List<Use> given) {
    List<Use> uses = withShared(given);
    Use[] sorted =
        uses.stream().sorted(Comparator.comparingLong(use -> use.block().id())).toArray(Use[]::new);
    int count = 0;
    for (Use use : sorted) {
      if (count == 0 || sorted[count - 1].block() != use.block()) {
        sorted[count++] = use;
      }
    }
    blocks = new Block[count];
    buffers = new Buffer[count];
    reads = new boolean[count];
    writes = new boolean[count];
    for (int i = 0; i < count; i++) {
      Block block = sorted[i].block();
      blocks[i] = block;
      buffers[i] = sorted[i].buffer();
      reads[i] = uses.stream().anyMatch(use -> use.block() == block && use.reads());
      writes[i] = uses.stream().anyMatch(use -> use.block() == block && use.writes());
    }
  }

  /** Adds the use of blocks that share memory with one that is used, after all others. */
  private static List<Use> withShared(List<Use> given) {
    if (given.stream().allMatch(use -> use.block().beneath().isEmpty())) {
      return given;
    }
    List<Use> uses = new ArrayList<>(given);
    for (Use use : given) {
      for (Block shared : use.block().beneath()) {
        uses.add(new Use(use.buffer(), use.access(), shared));
      }
    }
    return uses;
  }

  static Footprint of(Buffer buffer, Access access) {
    return new Footprint(List.of(new Use(buffer, access)));
  }

  static Footprint of(Buffer source, Buffer target) {
    return new Footprint(List.of(new Use(source, Access.READ), new Use(target, Access.WRITE)));
  }

  /**
   * Claims all blocks.
   *
   * @throws IllegalStateException if a buffer is closed; nothing is claimed then
   */
  void claim() {
    for (int i = 0; i < blocks.length; i++) {
      Block block = blocks[i];
      block.claim();
      if (buffers[i].block() == block && block.generation() != buffers[i].generation()) {
        unclaim(i + 1);
        throw buffers[i].closed();
      }
    }
  }

  void unclaim() {
    unclaim(blocks.length);
  }

  private void unclaim(int count) {
    for (int i = 0; i < count; i++) {
      blocks[i].unclaim();
    }
  }

  /** Returns whether what the operation reads has been written, well or not; under a claim. */
  boolean isWritten() {
    for (int i = 0; i < blocks.length; i++) {
      if (reads[i] && !blocks[i].isWritten()) {
        return false;
      }
    }
    return true;
  }

  /** Waits until what the operation reads has been written, without a claim. */
  void awaitWritten() {
    for (int i = 0; i < blocks.length; i++) {
      if (reads[i]) {
        blocks[i].awaitWritten();
      }
    }
  }

  /** Returns why a buffer that the operation reads was not written, or null if all were. */
  @Nullable Throwable failure() {
    for (int i = 0; i < blocks.length; i++) {
      Throwable failure = reads[i] ? blocks[i].failure() : null;
      if (failure != null) {
        return failure;
      }
    }
    return null;
  }

  /**
   * Checks that what the operation reads was written.
   *
   * @throws dev.rialto.spi.error.DeviceException if it was not
   */
  void requireWritten(ComputeStream stream) {
    for (int i = 0; i < blocks.length; i++) {
      Throwable failure = reads[i] ? blocks[i].failure() : null;
      if (failure != null) {
        throw new Transfers(stream).undefined(buffers[i], failure);
      }
    }
  }

  /** Returns whether no stream uses a block; asked under a claim. */
  boolean isIdle() {
    for (Block block : blocks) {
      if (!block.isIdle()) {
        return false;
      }
    }
    return true;
  }

  /** Waits until no stream uses a block, without a claim. */
  void awaitIdle() {
    for (Block block : blocks) {
      block.awaitIdle();
    }
  }

  /** Counts what the operation writes as written by the host. */
  void initialize() {
    for (int i = 0; i < blocks.length; i++) {
      if (writes[i]) {
        blocks[i].initialize();
      }
    }
  }

  /** Makes a stream wait for what the operation has to come after. */
  void require(ComputeStream stream) {
    for (int i = 0; i < blocks.length; i++) {
      blocks[i].require(stream, reads[i], writes[i]);
    }
  }

  /** Notes that the operation did not write what it should have. */
  void spoil(Lane lane, long position, Throwable cause) {
    for (int i = 0; i < blocks.length; i++) {
      if (writes[i]) {
        blocks[i].spoil(lane, position, cause);
      }
    }
  }

  /** Records the operation, which was added before a position. */
  void record(ComputeStream stream, long position) {
    for (int i = 0; i < blocks.length; i++) {
      blocks[i].record(stream, position, writes[i]);
    }
  }

  /**
   * Checks what only a validated launch does.
   *
   * @throws IllegalStateException if a buffer is read that was never written, or used while a
   *     resource of it is open
   */
  void validate(Operation operation) {
    for (int i = 0; i < blocks.length; i++) {
      if (reads[i] && !blocks[i].isInitialized()) {
        throw new IllegalStateException(
            ("%s reads %s, which nothing has written; write it first, or declare it as only "
                    + "written")
                .formatted(operation, buffers[i]));
      }
      if (writes[i] ? blocks[i].isLent() : blocks[i].isLentToWrite()) {
        throw new IllegalStateException(
            operation
                + (writes[i] ? " writes " : " reads ")
                + buffers[i]
                + " while its memory is open to the host; close the resource first");
      }
    }
  }

  @Override
  public String toString() {
    return Arrays.toString(buffers);
  }
}
