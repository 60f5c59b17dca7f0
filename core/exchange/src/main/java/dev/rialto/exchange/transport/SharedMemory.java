package dev.rialto.exchange.transport;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device.MemorySharing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The memory of other ranks that this one can address.
 *
 * <p>Ranks that turn out to be in one process, which they find out by comparing a random number of
 * it, can address all of one another's native memory. Others can address what was {@linkplain
 * #allocate allocated} for that, in shared windows, which all communicators that this was made
 * {@linkplain #on for} know. Nothing here depends on which communicator it is.
 */
public final class SharedMemory implements AutoCloseable {
  /** Tells processes apart; drawn once for this one. */
  private static final long PROCESS = ThreadLocalRandom.current().nextLong();

  /** The result of {@link #window} for memory that is addressed as it is. */
  static final long BY_ADDRESS = -1;

  /** The result of {@link #window} for memory that peers cannot address. */
  static final long UNREACHABLE = -2;

  /** The result of {@link #window} for memory of a device that peers can map. */
  private static final long BY_HANDLE = -3;

  /** The ranks of this node; all of them if there is no telling. */
  private final Communicator node;

  private final boolean ownsNode;
  private final boolean oneNode;
  private final boolean oneProcess;
  private final SharedWindows windows;

  private final List<Window> own = new ArrayList<>();

  /** The way of peers in other processes to memory of devices; null if they do not. */
  private final @Nullable SharedHandles handles;

  /**
   * Finds out what ranks can address. Collective where there are collectives.
   *
   * @param sharing lets other processes map arrays that are in a device's memory; null on the host
   */
  public SharedMemory(Communicator comm, @Nullable MemorySharing sharing) {
    boolean collectives = comm.capabilities().contains(Capability.COLLECTIVES);
    this.oneProcess = inOneProcess(comm);
    this.ownsNode =
        !oneProcess && collectives && comm.capabilities().contains(Capability.NODE_SPLIT);
    this.node = ownsNode ? comm.splitByNode() : comm;
    this.oneNode = !ownsNode || sameEverywhere(comm, node.size() == comm.size());
    this.windows = new SharedWindows();
    this.handles = handles(sharing);
  }

  private SharedMemory(SharedMemory same, Communicator comm, @Nullable MemorySharing sharing) {
    this.oneProcess = same.oneProcess;
    this.ownsNode = !same.oneNode;
    this.node = ownsNode ? same.node.dup() : comm;
    this.oneNode = same.oneNode;
    this.windows = same.windows;
    this.handles = handles(sharing);
  }

  /**
   * Returns the same memory for another communicator of the same ranks, whose messages do not mix
   * with those of this one. Collective. It is closed before this.
   *
   * @param sharing as in the constructor
   */
  public SharedMemory on(Communicator comm, @Nullable MemorySharing sharing) {
    return new SharedMemory(this, comm, sharing);
  }

  private @Nullable SharedHandles handles(@Nullable MemorySharing sharing) {
    return sharing != null && !oneProcess && hasWindows()
        ? new SharedHandles(sharing, node.sharedWindow(SharedHandles.bytes()))
        : null;
  }

  /** Returns whether ranks of one node can make memory that all of them address. */
  public boolean hasWindows() {
    return node.capabilities().contains(Capability.SHARED_WINDOWS);
  }

  private static boolean sameEverywhere(Communicator comm, boolean holds) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocateFrom(JAVA_LONG, holds ? 1 : 0);
      MemorySegment all = arena.allocate(JAVA_LONG, comm.size());
      comm.allGather(number, all, DType.I64, 1);
      for (int rank = 0; rank < comm.size(); rank++) {
        if (all.getAtIndex(JAVA_LONG, rank) == 0) {
          return false;
        }
      }
      return true;
    }
  }

  /** Returns whether all ranks are known to be in this process. Collective. */
  public static boolean inOneProcess(Communicator comm) {
    return comm.size() == 1
        || (comm.capabilities().contains(Capability.COLLECTIVES) && sameProcess(comm));
  }

  private static boolean sameProcess(Communicator comm) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mine = arena.allocateFrom(JAVA_LONG, PROCESS);
      MemorySegment all = arena.allocate(JAVA_LONG, comm.size());
      comm.allGather(mine, all, DType.I64, 1);
      for (int rank = 0; rank < comm.size(); rank++) {
        if (all.getAtIndex(JAVA_LONG, rank) != PROCESS) {
          return false;
        }
      }
      return true;
    }
  }

  /** Returns whether all ranks share this node. */
  public boolean oneNode() {
    return oneNode;
  }

  /** Returns the ranks of this node, in the order of all ranks. */
  Communicator node() {
    return node;
  }

  /** Returns whether all ranks are in this process. */
  public boolean oneProcess() {
    return oneProcess;
  }

  /**
   * Makes a window whose memory the other ranks of the node can address; its ranks are those of the
   * node. Collective; each rank gives its own size. It lives until {@link #close(Window)}, and not
   * longer than this.
   */
  public Window newWindow(long bytes) {
    long number = windows.reserve();
    Window window = node.sharedWindow(Math.max(bytes, 64));
    own.add(window);
    windows.add(number, window);
    return window;
  }

  /** Closes a window of {@link #newWindow}. Collective. */
  public void close(Window window) {
    windows.remove(window);
    own.remove(window);
    window.close();
  }

  /**
   * Allocates memory that the other ranks of the node can address. Collective; each rank gives its
   * own size. It lives until it is {@linkplain #free freed}, and not longer than this.
   */
  public MemorySegment allocate(long bytes) {
    return newWindow(bytes).memory().asSlice(0, bytes);
  }

  /** Frees memory of {@link #allocate}, unless it was closed with this. Collective. */
  public void free(MemorySegment memory) {
    long number = windows.find(memory.address(), memory.byteSize());
    if (number >= 0) {
      close(windows.get(number));
    }
  }

  /** Returns which window a segment lies in; or {@link #BY_ADDRESS} or {@link #UNREACHABLE}. */
  long window(MemorySegment memory) {
    if (oneProcess) {
      return memory.isNative() ? BY_ADDRESS : UNREACHABLE;
    }
    if (handles != null && memory.byteSize() == 0) {
      return handles.place(memory) < 0 ? UNREACHABLE : BY_HANDLE;
    }
    long number = windows.find(memory.address(), memory.byteSize());
    return number < 0 ? UNREACHABLE : number;
  }

  /** Returns where in its window, or at which address, a segment starts. */
  long place(MemorySegment memory, long window) {
    if (window == BY_HANDLE) {
      return Objects.requireNonNull(handles).place(memory);
    }
    return window < 0
        ? memory.address()
        : memory.address() - windows.get(window).memory().address();
  }

  /**
   * Returns the memory of a rank of the node that {@link #window} and {@link #place} describe
   * there.
   */
  MemorySegment resolve(int rank, long window, long place) {
    if (window == BY_HANDLE) {
      return Objects.requireNonNull(handles).resolve(rank, place);
    }
    MemorySegment whole = window < 0 ? MEMORY : windows.get(window).segmentOf(rank);
    return whole.asSlice(place);
  }

  @Override
  public void close() {
    if (handles != null) {
      handles.close();
    }
    List.copyOf(own).reversed().forEach(this::close);
    if (ownsNode) {
      node.close();
    }
  }
}
