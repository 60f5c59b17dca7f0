package dev.rialto.mpi.window;

import dev.rialto.mpi.library.Mpi;
import java.lang.invoke.MethodHandle;

/** The library's functions on windows, bound when the first of them is needed. */
final class WindowCalls {
  static final MethodHandle CREATE = Mpi.function("MPI_Win_create", "plihhp");
  static final MethodHandle ALLOCATE = Mpi.function("MPI_Win_allocate", "lihhpp");
  static final MethodHandle ALLOCATE_SHARED = Mpi.function("MPI_Win_allocate_shared", "lihhpp");
  static final MethodHandle CREATE_DYNAMIC = Mpi.function("MPI_Win_create_dynamic", "hhp");
  static final MethodHandle SHARED_QUERY = Mpi.function("MPI_Win_shared_query", "hippp");
  static final MethodHandle ATTACH = Mpi.function("MPI_Win_attach", "hpl");
  static final MethodHandle DETACH = Mpi.function("MPI_Win_detach", "hp");
  static final MethodHandle FREE = Mpi.function("MPI_Win_free", "p");
  static final MethodHandle SET_ERRORS = Mpi.function("MPI_Win_set_errhandler", "hh");
  static final MethodHandle PUT = Mpi.function("MPI_Put", "pihilihh");
  static final MethodHandle GET = Mpi.function("MPI_Get", "pihilihh");
  static final MethodHandle ACCUMULATE = Mpi.function("MPI_Accumulate", "pihilihhh");
  static final MethodHandle GET_ACCUMULATE = Mpi.function("MPI_Get_accumulate", "pihpihilihhh");
  static final MethodHandle FETCH_AND_OP = Mpi.function("MPI_Fetch_and_op", "pphilhh");
  static final MethodHandle COMPARE_AND_SWAP = Mpi.function("MPI_Compare_and_swap", "ppphilh");
  static final MethodHandle FENCE = Mpi.function("MPI_Win_fence", "ih");
  static final MethodHandle LOCK = Mpi.function("MPI_Win_lock", "iiih");
  static final MethodHandle UNLOCK = Mpi.function("MPI_Win_unlock", "ih");
  static final MethodHandle LOCK_ALL = Mpi.function("MPI_Win_lock_all", "ih");
  static final MethodHandle UNLOCK_ALL = Mpi.function("MPI_Win_unlock_all", "h");
  static final MethodHandle FLUSH = Mpi.function("MPI_Win_flush", "ih");
  static final MethodHandle FLUSH_ALL = Mpi.function("MPI_Win_flush_all", "h");
  static final MethodHandle POST = Mpi.function("MPI_Win_post", "hih");
  static final MethodHandle START = Mpi.function("MPI_Win_start", "hih");
  static final MethodHandle COMPLETE = Mpi.function("MPI_Win_complete", "h");
  static final MethodHandle WAIT = Mpi.function("MPI_Win_wait", "h");
  static final MethodHandle COMM_GROUP = Mpi.function("MPI_Comm_group", "hp");
  static final MethodHandle GROUP_INCL = Mpi.function("MPI_Group_incl", "hipp");
  static final MethodHandle GROUP_FREE = Mpi.function("MPI_Group_free", "p");

  private WindowCalls() {}
}
