package dev.rialto.spi.device;

import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The properties and abilities of a device.
 *
 * @param description one line for people, such as {@code 16 cores, AVX-512}
 * @param fingerprint differs between models, drivers and versions whose measured times must not be
 *     mixed up
 * @param cores how many units work side by side
 * @param loadBytes the most bytes that one load or store of a core moves
 * @param planeSize how many items run in lockstep; 1 where each goes its own way
 * @param sharedBytes the fast memory that the items of one block share; 0 if there is none
 * @param maxBlock the most items that can share it
 * @param maxItems the most items of one launch
 * @param memoryBytes how much memory there is
 * @param pageBytes the unit in which its memory is best asked for, a power of two
 * @param priorities how many different priorities streams can have, from 1
 * @param timing where times of operations come from
 * @param features what else it can do
 */
public record DeviceProperties(
    String description,
    String fingerprint,
    int cores,
    int loadBytes,
    int planeSize,
    long sharedBytes,
    int maxBlock,
    long maxItems,
    long memoryBytes,
    long pageBytes,
    int priorities,
    Timing timing,
    Set<Feature> features) {

  /** The source of times of operations. */
  public enum Timing {
    /** A clock of the device, read as the operation begins and ends. */
    DEVICE,
    /** The host's clock, read by the thread that runs the operation. */
    HOST
  }

  /** Something that a device can do and another may not. */
  public enum Feature {
    /** Kernels whose body is Java code. */
    JAVA_KERNELS,
    /** Atomic operations on memory, of 32 bits at least. */
    ATOMICS,
    /** Atomic operations on elements of 64 bits. */
    WIDE_ATOMICS,
    /** 16-bit floating-point arithmetic. */
    HALF,
    /** 64-bit floating-point arithmetic. */
    DOUBLE,
    /** Items of a block that wait for one another. */
    BARRIERS,
    /** Instructions that multiply matrix tiles. */
    TILES
  }

  /** The uses that kernels make of numbers of a type. */
  public enum Use {
    /** Instructions for sums and products; without them 16-bit formats are widened. */
    ARITHMETIC,
    /** Changes of elements as one step; of 8 and 16 bits in the word that they lie in. */
    ATOMICS,
    /** Exchange among the items of a subgroup. */
    SUBGROUPS,
    /** Products of matrix tiles by instructions of their own. */
    TILES
  }

  /** Copies the features and checks the numbers. */
  public DeviceProperties {
    features = Set.copyOf(features);
    if (cores < 1 || loadBytes < 1 || planeSize < 1 || maxBlock < 1 || priorities < 1) {
      throw new IllegalArgumentException(
          ("cores %s, loadBytes %s, planeSize %s, maxBlock %s and priorities %s must be at "
                  + "least 1")
              .formatted(cores, loadBytes, planeSize, maxBlock, priorities));
    }
    if (Long.bitCount(pageBytes) != 1) {
      throw new IllegalArgumentException("pageBytes " + pageBytes + " is not a power of two");
    }
  }

  /** Returns whether kernels of the device use numbers of a type so. */
  public boolean supports(DType type, Use use) {
    boolean half = type == DType.F16 || type == DType.BF16;
    boolean number =
        type.kind() == DType.Kind.INTEGER
            || half
            || type == DType.F32
            || (type == DType.F64 && features.contains(Feature.DOUBLE));
    return switch (use) {
      case ARITHMETIC -> number && (!half || features.contains(Feature.HALF));
      case ATOMICS ->
          number && features.contains(type.size() > 4 ? Feature.WIDE_ATOMICS : Feature.ATOMICS);
      case SUBGROUPS -> number && planeSize > 1;
      case TILES ->
          features.contains(Feature.TILES) && (half || type == DType.F32 || type == DType.F64);
    };
  }

  /** Returns the types whose numbers kernels of the device use so. */
  public List<DType> types(Use use) {
    return Arrays.stream(DType.values()).filter(type -> supports(type, use)).toList();
  }

  /**
   * Returns by how many elements of a type at once memory is best read and written: powers of two,
   * the largest first. An element that is wider than a load leaves 1.
   */
  public List<Integer> ioVectorSizes(DType type) {
    List<Integer> sizes = new ArrayList<>();
    for (int size = Integer.highestOneBit(Math.max(1, loadBytes / type.size()));
        size >= 1;
        size /= 2) {
      sizes.add(size);
    }
    return List.copyOf(sizes);
  }
}
