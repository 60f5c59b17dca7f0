package dev.rialto.mpi.library;

import dev.rialto.mpi.message.Messages;
import dev.rialto.system.InstalledLibrary;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.Predicate;
import java.util.function.ToLongBiFunction;

/**
 * The differences of MPI libraries that offer the same functions: how handles are represented, the
 * values of constants and the layout of a status.
 *
 * @param name the word that asks for it, such as {@code openmpi}
 * @param family the name that people know, such as {@code Open MPI}
 * @param installed where it is found
 * @param launchers the programs that start its ranks, the best first
 * @param settings the environment variables that make it work inside of a JVM
 * @param genuine tells symbols of such a library from others'; file names prove little
 * @param handleLayout how a handle is passed: an {@code int} or a pointer
 * @param handles finds the predefined handles
 * @param header the numbers of its header
 * @param statusSource where in a status the source is, in bytes; the tag and the error follow it
 * @param statusBytes finds the bytes of the message that the status at an address is of
 * @param statusCancelled tells whether the status at an address is that of a cancelled operation
 * @param faults what it gets wrong
 */
public record MpiLibrary(
    String name,
    String family,
    InstalledLibrary installed,
    List<String> launchers,
    Map<String, String> settings,
    Predicate<SymbolLookup> genuine,
    ValueLayout handleLayout,
    ToLongBiFunction<Predefined, SymbolLookup> handles,
    Function<SymbolLookup, Constants> header,
    int statusSource,
    LongUnaryOperator statusBytes,
    LongPredicate statusCancelled,
    Faults faults) {
  /**
   * Faults of a library that Rialto works around.
   *
   * @param saturatesBytes whether sums of bytes stop at the largest instead of wrapping around
   * @param combinesOnlyInOwnMemory whether accumulates and swaps are wrong in windows over memory
   *     that the library did not allocate
   * @param swapsRepeatedNeighbors whether equal blocks between neighbours that are linked twice
   *     change places, while blocks of any length keep their order
   * @param crashesInPlace whether a root other than rank 0 crashes that reduces its own operands
   *     where it wants the result
   */
  public record Faults(
      boolean saturatesBytes,
      boolean combinesOnlyInOwnMemory,
      boolean swapsRepeatedNeighbors,
      boolean crashesInPlace) {}

  /**
   * Open MPI 4.1 and later: handles are pointers, the predefined ones to global variables.
   *
   * <p>The JVM lives on signals such as that of a bad access; neither the library nor UCX below it
   * may take them. For windows that it allocates on one node it has a component for shared memory,
   * which it would pass over for one that is slower and, on swaps in a rank's own memory, crashes.
   *
   * <p>In 4.1 its AVX component saturates bytes; and windows over others' memory crash, take
   * complex numbers for integers and lose the order of accumulates where shared memory emulates the
   * atomic operations of a network.
   */
  public static final MpiLibrary OPEN_MPI =
      new MpiLibrary(
          "openmpi",
          "Open MPI",
          InstalledLibrary.OPEN_MPI,
          List.of("mpirun.openmpi", "orterun", "prterun", "mpirun", "mpiexec"),
          Map.of(
              "OMPI_MCA_opal_signal",
              "",
              "OMPI_MCA_osc_rdma_priority",
              "99",
              "UCX_ERROR_SIGNALS",
              "",
              "UCX_WARN_UNUSED_ENV_VARS",
              "n"),
          symbols -> symbols.find("ompi_mpi_comm_world").isPresent(),
          ValueLayout.JAVA_LONG,
          (which, symbols) -> Native.symbol(symbols, "ompi_" + which.openMpi).address(),
          _ -> new Constants(-1, -1, -32766, 1, 2, 3, 0, 0, 1, 2, 1, 2, 15, 39),
          0,
          status -> Native.getLong(status + 16),
          status -> Native.getInt(status + 12) != 0,
          new Faults(true, true, false, false));

  /**
   * MPICH 4.0 and later, and what shares its binary interface (Intel MPI, MVAPICH, Cray MPICH):
   * handles are numbers. The lowest bit of the upper half of a status's count is whether the
   * operation was cancelled. What it gets wrong it does in 4.0.
   */
  static final MpiLibrary MPICH =
      new MpiLibrary(
          "mpich",
          "MPICH",
          InstalledLibrary.MPICH,
          List.of("mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"),
          Map.of("UCX_ERROR_SIGNALS", "", "UCX_WARN_UNUSED_ENV_VARS", "n"),
          symbols ->
              symbols.find("ompi_mpi_comm_world").isEmpty()
                  && symbols.find("MPI_UNWEIGHTED").isPresent(),
          ValueLayout.JAVA_INT,
          (which, _) -> which.mpich,
          MpiLibrary::mpichHeader,
          8,
          status ->
              (Native.getInt(status + 4) & 0xFFFFFFFFL) >>> 1 << 32
                  | (Native.getInt(status) & 0xFFFFFFFFL),
          status -> (Native.getInt(status + 4) & 1) != 0,
          new Faults(false, false, true, true));

  /**
   * Any library of the standard binary interface that MPI 5 defines: handles are pointers, the
   * predefined ones small numbers, and what a status holds besides its public fields is private.
   * Open MPI or MPICH may be behind it, with what they get wrong.
   */
  static final MpiLibrary STANDARD_ABI =
      new MpiLibrary(
          "abi",
          "standard MPI ABI",
          InstalledLibrary.STANDARD_MPI,
          List.of("mpiexec", "mpirun"),
          OPEN_MPI.settings,
          symbols -> symbols.find("MPI_Abi_get_version").isPresent(),
          ValueLayout.JAVA_LONG,
          (which, _) -> which.abi,
          _ -> new Constants(-1, -2, -32766, 1024, 2048, 4096, 501, 221, 301, 302, 1, 10, 15, 39),
          0,
          MpiLibrary::elements,
          MpiLibrary::testCancelled,
          new Faults(true, true, true, true));

  /** All that are known, in the order in which they are looked for. */
  public static final List<MpiLibrary> ALL = List.of(OPEN_MPI, MPICH, STANDARD_ABI);

  private static Constants mpichHeader(SymbolLookup symbols) {
    long unweighted = Native.getLong(Native.symbol(symbols, "MPI_UNWEIGHTED").address());
    return new Constants(-2, -1, -32766, 1, 2, 3, 0x64400001, 1, 234, 235, -1, unweighted, 14, 34);
  }

  private static long elements(long status) {
    Scratch scratch = Scratch.get();
    Errors.check(Native.call(Messages.GET_ELEMENTS, status, Mpi.BYTE, scratch.out()), "status");
    return Native.getLong(scratch.out());
  }

  private static boolean testCancelled(long status) {
    Scratch scratch = Scratch.get();
    Errors.check(Native.call(Messages.TEST_CANCELLED, status, scratch.out()), "status");
    return Native.getInt(scratch.out()) != 0;
  }

  long handle(Predefined which, SymbolLookup symbols) {
    return handles.applyAsLong(which, symbols);
  }

  /** Returns the bytes of the message that the status at an address is of. */
  long bytes(long status) {
    return statusBytes.applyAsLong(status);
  }

  /** Returns whether the status at an address is that of a cancelled operation. */
  public boolean cancelled(long status) {
    return statusCancelled.test(status);
  }
}
