package dev.rialto.mpi.message;

import dev.rialto.mpi.library.Mpi;
import java.lang.invoke.MethodHandle;

/** The library's functions on messages and requests, bound when the first of them is needed. */
public final class Messages {
  static final MethodHandle SEND = Mpi.function("MPI_Send", "pihiih");
  static final MethodHandle SSEND = Mpi.function("MPI_Ssend", "pihiih");
  static final MethodHandle RSEND = Mpi.function("MPI_Rsend", "pihiih");
  static final MethodHandle RECV = Mpi.function("MPI_Recv", "pihiihp");
  static final MethodHandle SENDRECV = Mpi.function("MPI_Sendrecv", "pihiipihiihp");
  static final MethodHandle ISEND = Mpi.function("MPI_Isend", "pihiihp");
  static final MethodHandle ISSEND = Mpi.function("MPI_Issend", "pihiihp");
  static final MethodHandle IRSEND = Mpi.function("MPI_Irsend", "pihiihp");
  static final MethodHandle IRECV = Mpi.function("MPI_Irecv", "pihiihp");
  static final MethodHandle SEND_INIT = Mpi.function("MPI_Send_init", "pihiihp");
  static final MethodHandle SSEND_INIT = Mpi.function("MPI_Ssend_init", "pihiihp");
  static final MethodHandle RSEND_INIT = Mpi.function("MPI_Rsend_init", "pihiihp");
  static final MethodHandle RECV_INIT = Mpi.function("MPI_Recv_init", "pihiihp");
  static final MethodHandle PROBE = Mpi.function("MPI_Probe", "iihp");
  public static final MethodHandle IPROBE = Mpi.function("MPI_Iprobe", "iihpp");
  static final MethodHandle MPROBE = Mpi.function("MPI_Mprobe", "iihpp");
  static final MethodHandle IMPROBE = Mpi.function("MPI_Improbe", "iihppp");
  static final MethodHandle MRECV = Mpi.function("MPI_Mrecv", "pihpp");
  static final MethodHandle IMRECV = Mpi.function("MPI_Imrecv", "pihpp");
  static final MethodHandle START = Mpi.function("MPI_Start", "p");
  static final MethodHandle TEST = Mpi.function("MPI_Test", "ppp");
  static final MethodHandle WAIT = Mpi.function("MPI_Wait", "pp");
  static final MethodHandle CANCEL = Mpi.function("MPI_Cancel", "p");
  static final MethodHandle REQUEST_FREE = Mpi.function("MPI_Request_free", "p");
  public static final MethodHandle GET_ELEMENTS = Mpi.function("MPI_Get_elements_x", "php");
  public static final MethodHandle TEST_CANCELLED = Mpi.function("MPI_Test_cancelled", "pp");

  private Messages() {}
}
