package dev.rialto.runtime;

import dev.rialto.runtime.memory.Holding;
import dev.rialto.runtime.memory.Lane;
import dev.rialto.runtime.memory.MemoryAccount;
import dev.rialto.runtime.memory.MemoryPools;
import dev.rialto.runtime.memory.MemoryReport;
import dev.rialto.runtime.trace.OperationEvent;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties;
import dev.rialto.spi.error.DeviceException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * A device in use: its streams, its memory pools and what they report.
 *
 * <p>Thread-safe. Those of {@link Devices#open} are shared by the whole process and stay open.
 */
public final class ComputeDevice implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.rialto.memory");
  private static final List<ComputeDevice> OPEN = new CopyOnWriteArrayList<>();

  private final Device device;
  private final MemoryAccount account;
  private final MemoryPools pools;
  private final MemoryPools staging;
  private final boolean hostAccessible;
  private final ExclusiveSection exclusive = new ExclusiveSection(this);
  private final FailureLog failures = new FailureLog();
  private final List<ComputeStream> streams = new CopyOnWriteArrayList<>();
  private final List<Profiling> profilings = new CopyOnWriteArrayList<>();
  private volatile boolean profiles;
  private volatile boolean closed;
  private volatile boolean tracksAllocations = Holding.TRACKED;
  private volatile Consumer<String> onLeak = leak -> LOG.log(Level.WARNING, leak);
  private final ThreadStreams threadStreams = new ThreadStreams(this);

  /** Stands for the host where memory is reserved that no stream may still use. */
  private final Lane host;

  private ComputeDevice(Device device) {
    this.device = device;
    this.hostAccessible = device.memory().properties().hostAccessible();
    long page = device.properties().pageBytes();
    this.account = hostAccessible ? MemoryAccount.HOST : new MemoryAccount();
    this.pools = new MemoryPools(device.memory(), page, account);
    this.staging =
        hostAccessible ? pools : new MemoryPools(device.staging(), page, MemoryAccount.HOST);
    this.host = new Lane(device.openStream(0));
    add(host);
  }

  /** Starts to use a device; the caller closes the result. */
  public static ComputeDevice open(Device device) {
    ComputeDevice opened = new ComputeDevice(device);
    OPEN.add(opened);
    return opened;
  }

  /** Returns all that are open in this process, in the order they were opened. */
  static List<ComputeDevice> all() {
    return List.copyOf(OPEN);
  }

  /**
   * Limits the bytes of all live buffers in this device's memory, of all clients. The host's memory
   * has one limit, whichever device's: staging memory and arrays in windows count too.
   */
  public void limitMemory(long bytes) {
    account.limit(bytes);
  }

  /** Returns the name, such as {@code cpu:0}. */
  public String name() {
    return device.name();
  }

  /** Returns what the device is and can do. */
  public DeviceProperties properties() {
    return device.properties();
  }

  /** Returns a client; they cost nothing and any number of threads may share one. */
  public ComputeClient client() {
    return new ComputeClient(this);
  }

  /** Reports leaks to a consumer instead of the log. */
  public void onLeak(Consumer<String> told) {
    onLeak = told;
  }

  /**
   * Sets whether the lines that make buffers are kept, to be named when memory runs out or a buffer
   * is lost; a walk of the stack for each. At first this is {@code -Drialto.leaks}.
   */
  public void trackAllocations(boolean on) {
    tracksAllocations = on;
  }

  boolean tracksAllocations() {
    return tracksAllocations;
  }

  // --- Streams ----------------------------------------------------------------------------------

  ComputeStream openStream(int priority) {
    return openStream(priority, ComputeStream.Owner.CALLER);
  }

  ComputeStream openStream(int priority, ComputeStream.Owner owner) {
    return add(new ComputeStream(this, device.openStream(priority), owner));
  }

  ComputeStream add(ComputeStream stream) {
    synchronized (streams) {
      streams.add(stream);
    }
    add((Lane) stream);
    return stream;
  }

  private void add(Lane lane) {
    pools.add(lane);
    if (staging != pools) {
      staging.add(lane);
    }
  }

  void forget(ComputeStream stream) {
    streams.remove(stream);
    pools.remove(stream);
    staging.remove(stream);
  }

  /** Refuses a device that is closed. */
  void requireOpen() {
    if (closed) {
      throw new IllegalStateException(name() + " is closed; open it again");
    }
  }

  /** Returns the stream of the calling thread. */
  ComputeStream threadStream() {
    requireOpen();
    return threadStreams.get();
  }

  /** Does something if all streams are idle, while nothing can be added; returns whether. */
  boolean ifIdle(Runnable action) {
    synchronized (streams) {
      List<ComputeStream> now = List.copyOf(streams);
      now.forEach(ComputeStream::claim);
      try {
        boolean idle = now.stream().allMatch(ComputeStream::isIdle);
        if (idle) {
          action.run();
        }
        return idle;
      } finally {
        now.forEach(ComputeStream::unclaim);
      }
    }
  }

  ExclusiveSection exclusive() {
    return exclusive;
  }

  List<ComputeStream> streams() {
    return streams;
  }

  /** Waits for all streams; the first failure is thrown with the others suppressed in it. */
  void sync(Consumer<ComputeStream> waiting) {
    if (exclusive.isInside()) {
      throw new IllegalStateException(
          "an exclusive section waits for the streams that it keeps still; sync its own stream");
    }
    DeviceException first = null;
    for (ComputeStream stream : streams) {
      try {
        waiting.accept(stream);
      } catch (DeviceException e) {
        if (first == null) {
          first = e;
        } else if (!Objects.equals(first.getCause(), e.getCause())) {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  // --- Memory -----------------------------------------------------------------------------------

  /** Returns the device itself, for what takes memory of a {@link Resource}. */
  public Device spi() {
    return device;
  }

  MemoryPools pools() {
    return pools;
  }

  MemoryPools staging() {
    return staging;
  }

  MemoryReport memoryReport() {
    MemoryReport report = pools.report(name());
    return staging == pools ? report : report.withOthers("staging", staging.report(name()));
  }

  Lane host() {
    return host;
  }

  /** Returns whether the host's own code can work in this device's memory. */
  public boolean isHostAccessible() {
    return hostAccessible;
  }

  MemorySegment slice(MemorySegment segment, long offset, long bytes) {
    return segment.byteSize() > 0 || hostAccessible
        ? segment.asSlice(offset, bytes)
        : MemorySegment.ofAddress(segment.address() + offset);
  }

  Consumer<String> onLeak() {
    return onLeak;
  }

  FailureLog failures() {
    return failures;
  }

  // --- Profiles ---------------------------------------------------------------------------------

  boolean isProfiling() {
    return profiles;
  }

  synchronized void begin(Profiling profiling) {
    profilings.add(profiling);
    profiles = true;
  }

  synchronized void end(Profiling profiling) {
    profilings.remove(profiling);
    profiles = !profilings.isEmpty();
  }

  /** Passes an operation that ended on to profiles and JFR. */
  void profiled(long position, Profile.Entry entry) {
    // Something added before timing was on has no time of its own.
    Profile.Entry known =
        entry.added() != 0
            ? entry
            : new Profile.Entry(
                entry.stream(),
                entry.operation(),
                entry.began(),
                entry.began(),
                entry.ended(),
                entry.failure());
    for (Profiling profiling : profilings) {
      profiling.take(position, known);
    }
    commit(entry);
  }

  /** Passes a copy that the host made itself on to profiles and JFR. */
  void profiledFromHost(Profile.Entry entry) {
    for (Profiling profiling : profilings) {
      profiling.takeFromHost(entry);
    }
    commit(entry);
  }

  private static void commit(Profile.Entry entry) {
    Operation operation = entry.operation();
    OperationEvent.commit(
        entry.stream(),
        operation.rank().orElse(-1),
        operation.kind().name(),
        operation.name(),
        operation.site(),
        operation.bytes(),
        entry.added(),
        entry.began(),
        entry.ended());
  }

  /**
   * Waits for all streams, ends them and gives free memory back; raises failures that were not
   * raised yet.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    try {
      sync(ComputeStream::finish);
    } finally {
      closed = true;
      streams.forEach(ComputeStream::terminate);
      host.timeline().close();
      pools.close();
      staging.close();
      OPEN.remove(this);
    }
  }
}
