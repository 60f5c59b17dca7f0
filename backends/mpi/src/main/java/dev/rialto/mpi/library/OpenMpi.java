package dev.rialto.mpi.library;

import dev.rialto.system.InstalledLibrary;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/** Open MPI 4.1 and later: handles are pointers, the predefined ones to global variables. */
public final class OpenMpi implements MpiLibrary {
  private static final long CANCELLED = 12;
  private static final long BYTES = 16;

  @Override
  public String name() {
    return "openmpi";
  }

  @Override
  public String family() {
    return "Open MPI";
  }

  @Override
  public InstalledLibrary installed() {
    return InstalledLibrary.OPEN_MPI;
  }

  @Override
  public List<String> launchers() {
    return List.of("mpirun.openmpi", "orterun", "prterun", "mpirun", "mpiexec");
  }

  /**
   * The JVM lives on signals such as that of a bad access; neither the library nor UCX below it may
   * take them. For windows that it allocates on one node it has a component for shared memory,
   * which it would pass over for one that is slower and, on swaps in a rank's own memory, crashes.
   */
  @Override
  public Map<String, String> settings() {
    return Map.of(
        "OMPI_MCA_opal_signal",
        "",
        "OMPI_MCA_osc_rdma_priority",
        "99",
        "UCX_ERROR_SIGNALS",
        "",
        "UCX_WARN_UNUSED_ENV_VARS",
        "n");
  }

  @Override
  public ValueLayout handleLayout() {
    return ValueLayout.JAVA_LONG;
  }

  @Override
  public long handle(Predefined which, SymbolLookup symbols) {
    return Native.symbol(symbols, "ompi_" + symbol(which)).address();
  }

  private static String symbol(Predefined which) {
    return switch (which) {
      case COMM_WORLD -> "mpi_comm_world";
      case COMM_NULL -> "mpi_comm_null";
      case REQUEST_NULL -> "request_null";
      case INFO_NULL -> "mpi_info_null";
      case ERRORS_RETURN -> "mpi_errors_return";
      case BYTE -> "mpi_byte";
      case INT8 -> "mpi_int8_t";
      case INT16 -> "mpi_int16_t";
      case INT32 -> "mpi_int32_t";
      case INT64 -> "mpi_int64_t";
      case FLOAT -> "mpi_float";
      case DOUBLE -> "mpi_double";
      case FLOAT_COMPLEX -> "mpi_c_float_complex";
      case DOUBLE_COMPLEX -> "mpi_c_double_complex";
      case SUM -> "mpi_op_sum";
      case PROD -> "mpi_op_prod";
      case MIN -> "mpi_op_min";
      case MAX -> "mpi_op_max";
      case LAND -> "mpi_op_land";
      case LOR -> "mpi_op_lor";
      case LXOR -> "mpi_op_lxor";
      case BAND -> "mpi_op_band";
      case BOR -> "mpi_op_bor";
      case BXOR -> "mpi_op_bxor";
      case REPLACE -> "mpi_op_replace";
      case NO_OP -> "mpi_op_no_op";
    };
  }

  @Override
  public Constants constants(SymbolLookup symbols) {
    return new Constants(-1, -1, -32766, 1, 2, 3, 0, 0, 1, 2, 1, 2, 15, 39);
  }

  @Override
  public int sourceOffset() {
    return 0;
  }

  @Override
  public long bytes(long status) {
    return Native.getLong(status + BYTES);
  }

  @Override
  public boolean cancelled(long status) {
    return Native.getInt(status + CANCELLED) != 0;
  }

  /** Its AVX component does, in 4.1. */
  @Override
  public boolean saturatesBytes() {
    return true;
  }

  /**
   * In 4.1 it crashes, takes complex numbers for integers and loses the order of accumulates where
   * shared memory emulates the atomic operations of a network.
   */
  @Override
  public boolean combinesInOthersMemory() {
    return false;
  }

  @Override
  public boolean swapsRepeatedNeighbors() {
    return false;
  }

  @Override
  public boolean reducesInPlace() {
    return true;
  }
}
