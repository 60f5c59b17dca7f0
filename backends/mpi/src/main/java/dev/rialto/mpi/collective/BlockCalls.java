package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The calls in which blocks go to several ranks and come from several, which collectives over all
 * ranks and over neighbours share. {@code function} is a constant at the caller, and inlined.
 */
final class BlockCalls {
  private BlockCalls() {}

  /** Calls a function for blocks of so many bytes each. */
  static int equal(
      MethodHandle function,
      MemorySegment send,
      MemorySegment receive,
      long bytes,
      long comm,
      long request) {
    long type = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    return Native.call(
        function, send.address(), n, type, receive.address(), n, type, comm, request);
  }

  /** Describes what {@link #equal} does, to be begun many times. */
  static int equalInit(
      MethodHandle function,
      MemorySegment send,
      MemorySegment receive,
      long bytes,
      long comm,
      long request) {
    long type = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    return Native.call(
        function,
        send.address(),
        n,
        type,
        receive.address(),
        n,
        type,
        comm,
        Mpi.INFO_NULL,
        request);
  }

  /** Calls a function that sends one block of so many bytes and receives blocks of any length. */
  static int gathered(
      MethodHandle function,
      MemorySegment send,
      long bytes,
      MemorySegment receive,
      BlockTable received,
      long comm,
      long request) {
    return Native.call(
        function,
        send.address(),
        Datatypes.count(bytes),
        Datatypes.ofBytes(bytes),
        receive.address(),
        received.counts(),
        received.starts(),
        received.unit(),
        comm,
        request);
  }

  /** Calls a function for blocks of which each has a length and a place of its own. */
  static int varied(
      MethodHandle function,
      MemorySegment send,
      BlockTable sent,
      MemorySegment receive,
      BlockTable received,
      long comm,
      long request) {
    return Native.call(
        function,
        send.address(),
        sent.counts(),
        sent.starts(),
        sent.unit(),
        receive.address(),
        received.counts(),
        received.starts(),
        received.unit(),
        comm,
        request);
  }

  /** Describes what {@link #varied} does, to be begun many times. */
  static int variedInit(
      MethodHandle function,
      MemorySegment send,
      BlockTable sent,
      MemorySegment receive,
      BlockTable received,
      long comm,
      long request) {
    return Native.call(
        function,
        send.address(),
        sent.counts(),
        sent.starts(),
        sent.unit(),
        receive.address(),
        received.counts(),
        received.starts(),
        received.unit(),
        comm,
        Mpi.INFO_NULL,
        request);
  }
}
