package dev.rialto.mpi.library;

import dev.rialto.system.InstalledLibrary;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/**
 * MPICH 4.0 and later, and what shares its binary interface (Intel MPI, MVAPICH, Cray MPICH):
 * handles are numbers.
 */
final class Mpich implements MpiLibrary {
  private static final long COUNT_HIGH = 4;

  @Override
  public String name() {
    return "mpich";
  }

  @Override
  public String family() {
    return "MPICH";
  }

  @Override
  public InstalledLibrary installed() {
    return InstalledLibrary.MPICH;
  }

  @Override
  public List<String> launchers() {
    return List.of("mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun");
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("UCX_ERROR_SIGNALS", "", "UCX_WARN_UNUSED_ENV_VARS", "n");
  }

  @Override
  public ValueLayout handleLayout() {
    return ValueLayout.JAVA_INT;
  }

  @Override
  public long handle(Predefined which, SymbolLookup symbols) {
    return switch (which) {
      case COMM_WORLD -> 0x44000000;
      case COMM_NULL -> 0x04000000;
      case REQUEST_NULL -> 0x2c000000;
      case INFO_NULL -> 0x1c000000;
      case ERRORS_RETURN -> 0x54000001;
      case BYTE -> 0x4c00010d;
      case INT8 -> 0x4c000137;
      case INT16 -> 0x4c000238;
      case INT32 -> 0x4c000439;
      case INT64 -> 0x4c00083a;
      case FLOAT -> 0x4c00040a;
      case DOUBLE -> 0x4c00080b;
      case FLOAT_COMPLEX -> 0x4c000840;
      case DOUBLE_COMPLEX -> 0x4c001041;
      case MAX -> 0x58000001;
      case MIN -> 0x58000002;
      case SUM -> 0x58000003;
      case PROD -> 0x58000004;
      case LAND -> 0x58000005;
      case BAND -> 0x58000006;
      case LOR -> 0x58000007;
      case BOR -> 0x58000008;
      case LXOR -> 0x58000009;
      case BXOR -> 0x5800000a;
      case REPLACE -> 0x5800000d;
      case NO_OP -> 0x5800000e;
    };
  }

  @Override
  public Constants constants(SymbolLookup symbols) {
    long unweighted = Native.getLong(Native.symbol(symbols, "MPI_UNWEIGHTED").address());
    return new Constants(-2, -1, -32766, 1, 2, 3, 0x64400001, 1, 234, 235, -1, unweighted, 14, 34);
  }

  @Override
  public int sourceOffset() {
    return 8;
  }

  /** The lowest bit of the count's upper half is whether the operation was cancelled. */
  @Override
  public long bytes(long status) {
    long low = Native.getInt(status) & 0xFFFFFFFFL;
    long high = (Native.getInt(status + COUNT_HIGH) & 0xFFFFFFFFL) >>> 1;
    return high << 32 | low;
  }

  @Override
  public boolean cancelled(long status) {
    return (Native.getInt(status + COUNT_HIGH) & 1) != 0;
  }

  @Override
  public boolean saturatesBytes() {
    return false;
  }

  @Override
  public boolean combinesInOthersMemory() {
    return true;
  }

  /** It does in 4.0, while blocks of any length keep their order. */
  @Override
  public boolean swapsRepeatedNeighbors() {
    return true;
  }

  /** It crashes, in 4.0, for roots other than rank 0. */
  @Override
  public boolean reducesInPlace() {
    return false;
  }
}
