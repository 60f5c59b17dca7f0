package dev.rialto.mpi.library;

import dev.rialto.mpi.message.Messages;
import dev.rialto.system.InstalledLibrary;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/**
 * Any library of the standard binary interface that MPI 5 defines: handles are pointers, the
 * predefined ones small numbers, and what a status holds besides its public fields is private.
 */
final class StandardAbi implements MpiLibrary {
  @Override
  public String name() {
    return "abi";
  }

  @Override
  public String family() {
    return "standard MPI ABI";
  }

  @Override
  public InstalledLibrary installed() {
    return InstalledLibrary.STANDARD_MPI;
  }

  @Override
  public List<String> launchers() {
    return List.of("mpiexec", "mpirun");
  }

  @Override
  public Map<String, String> settings() {
    return new OpenMpi().settings();
  }

  @Override
  public ValueLayout handleLayout() {
    return ValueLayout.JAVA_LONG;
  }

  @Override
  public long handle(Predefined which, SymbolLookup symbols) {
    return switch (which) {
      case SUM -> 0x21;
      case MIN -> 0x22;
      case MAX -> 0x23;
      case PROD -> 0x24;
      case BAND -> 0x28;
      case BOR -> 0x29;
      case BXOR -> 0x2a;
      case LAND -> 0x30;
      case LOR -> 0x31;
      case LXOR -> 0x32;
      case REPLACE -> 0x3c;
      case NO_OP -> 0x3d;
      case COMM_NULL -> 0x100;
      case COMM_WORLD -> 0x101;
      case INFO_NULL -> 0x130;
      case ERRORS_RETURN -> 0x142;
      case REQUEST_NULL -> 0x180;
      case FLOAT -> 0x210;
      case FLOAT_COMPLEX -> 0x212;
      case DOUBLE -> 0x214;
      case DOUBLE_COMPLEX -> 0x216;
      case INT8 -> 0x240;
      case BYTE -> 0x247;
      case INT16 -> 0x248;
      case INT32 -> 0x250;
      case INT64 -> 0x258;
    };
  }

  @Override
  public Constants constants(SymbolLookup symbols) {
    return new Constants(-1, -2, -32766, 1024, 2048, 4096, 501, 221, 301, 302, 1, 10, 15, 39);
  }

  @Override
  public int sourceOffset() {
    return 0;
  }

  @Override
  public long bytes(long status) {
    Scratch scratch = Scratch.get();
    Errors.check(Native.call(Messages.GET_ELEMENTS, status, Mpi.BYTE, scratch.out()), "status");
    return Native.getLong(scratch.out());
  }

  @Override
  public boolean cancelled(long status) {
    Scratch scratch = Scratch.get();
    Errors.check(Native.call(Messages.TEST_CANCELLED, status, scratch.out()), "status");
    return Native.getInt(scratch.out()) != 0;
  }

  /** Open MPI may be behind it. */
  @Override
  public boolean saturatesBytes() {
    return true;
  }

  /** Open MPI may be behind it. */
  @Override
  public boolean combinesInOthersMemory() {
    return false;
  }

  /** MPICH may be behind it. */
  @Override
  public boolean swapsRepeatedNeighbors() {
    return true;
  }

  /** MPICH may be behind it. */
  @Override
  public boolean reducesInPlace() {
    return false;
  }
}
