package dev.rialto.mpi.library;

import dev.rialto.system.InstalledLibrary;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/**
 * The differences of MPI libraries that offer the same functions: how handles are represented, the
 * values of constants and the layout of a status.
 */
public sealed interface MpiLibrary permits OpenMpi, Mpich, StandardAbi {
  /** All that are known, in the order in which they are looked for. */
  List<MpiLibrary> ALL = List.of(new OpenMpi(), new Mpich(), new StandardAbi());

  /** Returns the word that asks for it, such as {@code openmpi}. */
  String name();

  /** Returns the name that people know, such as {@code Open MPI}. */
  String family();

  InstalledLibrary installed();

  /** Returns the programs that start its ranks, the best first. */
  List<String> launchers();

  /** Returns the environment variables that make it work inside of a JVM. */
  Map<String, String> settings();

  /** Returns how a handle is passed: an {@code int} or a pointer. */
  ValueLayout handleLayout();

  long handle(Predefined which, SymbolLookup symbols);

  /** Returns the numbers of its header. */
  Constants constants(SymbolLookup symbols);

  /** Returns where in a status the source is, in bytes; the tag and the error follow it. */
  int sourceOffset();

  /** Returns the bytes of the message that the status at an address is of. */
  long bytes(long status);

  /** Returns whether the status at an address is that of a cancelled operation. */
  boolean cancelled(long status);

  /** Returns whether sums of bytes stop at the largest instead of wrapping around. */
  boolean saturatesBytes();

  /**
   * Returns whether accumulates and swaps are right in windows over memory that the library did not
   * allocate.
   */
  boolean combinesInOthersMemory();

  /** Returns whether equal blocks between neighbours that are linked twice change places. */
  boolean swapsRepeatedNeighbors();

  /** Returns whether a root can reduce its own operands where it wants the result. */
  boolean reducesInPlace();
}
