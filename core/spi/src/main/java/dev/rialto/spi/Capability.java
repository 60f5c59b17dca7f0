package dev.rialto.spi;

/**
 * Something a backend can do and another may not.
 *
 * <p>A backend declares its capabilities up front; an operation whose capability is not declared
 * throws what {@link #unsupported} makes. The conformance kit tests each declared capability and
 * that each other one is refused.
 */
public enum Capability {
  /** Allocates memory: {@link dev.rialto.spi.memory.MemorySpace}. */
  MEMORY("memory spaces"),
  /** Copies memory: {@link dev.rialto.spi.memory.MemoryTransfer}. */
  TRANSFER("memory transfers"),
  /** Runs loops and tasks: {@link dev.rialto.spi.exec.Executor}. */
  EXECUTOR("parallel loops and tasks"),
  /** Queues operations in order: {@link dev.rialto.spi.exec.Stream}. */
  STREAMS("streams and events"),
  /** Compiles kernels: {@link dev.rialto.spi.kernel.KernelCompiler}. */
  KERNELS("compiling kernels"),
  /** Transforms lines: {@link dev.rialto.spi.fft.FftEngine}. */
  FFT("one-dimensional Fourier transforms"),

  /** Blocking messages with tags and wildcards. */
  POINT_TO_POINT("point-to-point messages"),
  /** Synchronous and ready sends. */
  SEND_MODES("synchronous and ready sends"),
  /** Non-blocking messages. */
  NON_BLOCKING("non-blocking messages"),
  /** Messages described once and sent many times. */
  PERSISTENT("persistent messages"),
  /** Looking at a message before receiving it. */
  PROBE("probing for messages"),
  /** Taking a message while probing. */
  MATCHED_PROBE("matched probing"),
  /** Taking a pending receive back. */
  CANCEL("cancelling a pending receive"),
  /** Messages and window accesses whose elements do not lie together. */
  LAYOUTS("strided and indexed data without packing"),
  /** Heap segments as buffers. */
  HEAP_BUFFERS("buffers on the Java heap"),
  /**
   * Counts above 2^31-1 in one operation, of every kind that is declared. Without it such a count
   * is refused before anything moves.
   */
  LARGE_COUNTS("counts above 2^31-1"),
  /** Calls from several threads of a rank at the same time. */
  MULTI_THREADED("several threads per rank at once"),
  /** Leaving a receive's buffer as it was when the message is too long for it. */
  INTACT_TRUNCATION("leaving a buffer alone that a message is too long for"),
  /** Telling a receiver that a message was sent as another type. */
  MESSAGE_TYPES("telling that a message is received as another type"),

  /** Blocking collectives. */
  COLLECTIVES("collectives"),
  /** Non-blocking collectives, and reductions where those are declared. */
  NON_BLOCKING_COLLECTIVES("non-blocking collectives"),
  /** Collectives, and reductions where those are declared, begun many times. */
  PERSISTENT_COLLECTIVES("persistent collectives"),
  /** Telling, on all ranks, that they disagree on a collective, instead of undefined results. */
  MISMATCH_DETECTION("detecting mismatched collectives"),
  /** Blocking reductions and scans. */
  REDUCTIONS("reductions and scans"),
  /** Operators written by the user. */
  USER_OPERATORS("user-defined reduction operators"),
  /**
   * Combining F16 and BF16 elements by built-in operators, in reductions, scans and accumulates.
   * Without it such elements are still sent, gathered, put and replaced, and where {@link
   * #USER_OPERATORS} is declared, combined by operators of the user's.
   */
  HALF_REDUCTIONS("combining of F16 and BF16 by built-in operators"),
  /** Telling, when all ranks wait for one another, that they do. */
  DEADLOCK_DETECTION("detecting deadlock"),
  /** Telling ranks that another has failed. Without it their processes are ended. */
  FAILURE_NOTICE("telling ranks that a peer has failed"),

  /** Topologies and blocking exchanges along them. */
  NEIGHBORHOODS("neighbourhood collectives"),
  /** Non-blocking exchanges along a topology. */
  NON_BLOCKING_NEIGHBORHOODS("non-blocking neighbourhood collectives"),
  /** Persistent exchanges along a topology. */
  PERSISTENT_NEIGHBORHOODS("persistent neighbourhood collectives"),

  /** One-sided access with all synchronization modes and atomics. */
  WINDOWS("windows"),
  /** Windows that all ranks of a node address directly. */
  SHARED_WINDOWS("shared windows"),
  /** Windows to which memory is attached later. */
  DYNAMIC_WINDOWS("dynamic windows"),

  /** Duplicating and dividing a communicator. */
  SPLIT("dividing a communicator"),
  /** Dividing a communicator by node. */
  NODE_SPLIT("dividing a communicator by node");

  private final String what;

  Capability(String what) {
    this.what = what;
  }

  /** Returns what it is, in words that fit "this backend has no …". */
  public String what() {
    return what;
  }

  /** Makes the exception for using it where it is not declared; {@code who} is the refusing one. */
  public UnsupportedOperationException unsupported(String who) {
    return new UnsupportedOperationException(
        "%s has no %s (%s is not among its capabilities); choose a backend that declares it"
            .formatted(who, what, name()));
  }
}
