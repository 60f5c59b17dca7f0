package dev.rialto.runtime;

import dev.rialto.runtime.body.CodeBody;
import dev.rialto.runtime.body.CodeExecutable;
import dev.rialto.runtime.memory.AllocationMode;
import dev.rialto.runtime.memory.MemoryReport;
import dev.rialto.runtime.memory.MemoryUsage;
import dev.rialto.runtime.memory.Quota;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The door to a device: makes buffers, moves data, launches kernels.
 *
 * <p>A client is a device and a few choices; it costs nothing, and any number of threads, virtual
 * ones too, may share one. All calls return at once but those that return data of the device and
 * those that say they wait. Operations run in order on a stream: the one this client was
 * {@linkplain #withStream bound to}, else the one of the {@linkplain #on scope}, else one that the
 * calling thread has for itself: so a failure skips operations of the thread that asked for them,
 * and of no other. More than a thousand virtual threads share theirs. A buffer may be used on any
 * stream; each operation waits for the last write of what it reads and for the last reads of what
 * it writes, and for nothing else.
 *
 * <p>For example:
 *
 * {@snippet file="dev/rialto/runtime/ExampleTest.java" region="axpy"}
 */
public final class ComputeClient {
  private static final ScopedValue<ComputeStream> SCOPE = ScopedValue.newInstance();

  private final ComputeDevice device;
  private final @Nullable ComputeStream bound;
  private final LaunchMode mode;
  private final AllocationMode allocation;
  private final @Nullable Quota quota;

  ComputeClient(ComputeDevice device) {
    this(device, null, LaunchMode.initial(), AllocationMode.POOLED, null);
  }

  private ComputeClient(
      ComputeDevice device,
      @Nullable ComputeStream bound,
      LaunchMode mode,
      AllocationMode allocation,
      @Nullable Quota quota) {
    this.device = device;
    this.bound = bound;
    this.mode = mode;
    this.allocation = allocation;
    this.quota = quota;
  }

  // --- Choices ----------------------------------------------------------------------------------

  /** Returns the device. */
  public ComputeDevice device() {
    return device;
  }

  /** Returns by how many elements at once memory is best read and written, the largest first. */
  public List<Integer> ioVectorSizes(DType type) {
    return device.properties().ioVectorSizes(type);
  }

  /** Returns how closely launches are watched. */
  public LaunchMode mode() {
    return mode;
  }

  /** Returns a client whose operations go to one stream. */
  public ComputeClient withStream(ComputeStream stream) {
    if (stream.device() != device) {
      throw new IllegalArgumentException(stream + " is not of " + device.name());
    }
    return new ComputeClient(device, stream, mode, allocation, quota);
  }

  /** Returns a client whose launches are watched as closely as this. */
  public ComputeClient withMode(LaunchMode launches) {
    return new ComputeClient(device, bound, launches, allocation, quota);
  }

  /** Returns a client whose buffers are found in this way. */
  public ComputeClient withAllocation(AllocationMode buffers) {
    return new ComputeClient(device, bound, mode, buffers, quota);
  }

  /** Returns a client whose live buffers have at most so many bytes together. */
  public ComputeClient withLimit(long bytes) {
    return new ComputeClient(device, bound, mode, allocation, new Quota(bytes));
  }

  // --- Streams ----------------------------------------------------------------------------------

  /**
   * Returns the stream that an operation would go to now.
   *
   * @throws IllegalStateException if it or the device is closed
   */
  public ComputeStream stream() {
    ComputeStream stream = bound;
    if (stream == null && SCOPE.isBound()) {
      stream = SCOPE.get();
    }
    return stream == null || stream.device() != device
        ? device.threadStream()
        : stream.requireOpen();
  }

  /** Opens a stream, owned by the caller. */
  public ComputeStream openStream() {
    return device.openStream(0);
  }

  /** Opens a stream with a priority, higher first, where the device has them. */
  public ComputeStream openStream(int priority) {
    return device.openStream(priority);
  }

  /**
   * Opens a stream for code that adds to its {@linkplain ComputeStream#timeline timeline} itself;
   * profiles, traces and failures tell of that under the name of its purpose.
   */
  public ComputeStream openStream(String purpose, int priority) {
    Operation told = Operation.at(Operation.Kind.LAUNCH, purpose, 0);
    Timeline opened = device.spi().openStream(priority);
    return device.add(new ComputeStream(device, opened, ComputeStream.Owner.CALLER, told));
  }

  /** Uses a stream that another owner opened and closes. */
  public ComputeStream wrap(Timeline stream) {
    return device.add(new ComputeStream(device, stream, ComputeStream.Owner.STRANGER));
  }

  /** Runs code whose operations go to a stream, also in what it calls and forks. */
  public void on(ComputeStream stream, Runnable body) {
    ScopedValue.where(SCOPE, stream).run(body);
  }

  /**
   * Waits for everything added to the stream so far.
   *
   * @throws dev.rialto.spi.error.DeviceException if an operation failed and this was not raised
   *     yet, or the thread is interrupted while it waits
   */
  public void sync() {
    stream().sync();
  }

  /**
   * Waits as {@link #sync()} does, but not longer than {@code most}.
   *
   * @throws dev.rialto.spi.error.TimeoutException if something is still pending then
   */
  public void sync(Duration most) {
    stream().sync(most);
  }

  /**
   * Waits for all streams of the device, also those of threads that have ended.
   *
   * @throws dev.rialto.spi.error.DeviceException if an operation failed and this was not raised yet
   */
  public void syncDevice() {
    device.sync(ComputeStream::sync);
  }

  /**
   * Raises a failure that has happened on the stream, without waiting.
   *
   * @throws dev.rialto.spi.error.DeviceException if there is one that was not raised yet
   */
  public void flush() {
    stream().flush();
  }

  /**
   * Runs code while no other stream of the device works. Its operations go to a stream of their own
   * and have ended on return. Other threads that add operations meanwhile wait; the code itself
   * must not use other streams.
   */
  public <T> T exclusive(Supplier<T> body) {
    return device.exclusive().run(stream -> ScopedValue.where(SCOPE, stream).call(body::get));
  }

  // --- Buffers ----------------------------------------------------------------------------------

  /**
   * Makes a buffer with undefined contents, owned by the caller.
   *
   * @throws dev.rialto.spi.error.MemoryException if there is not enough memory, with a table of who
   *     holds what
   */
  public Buffer empty(long bytes) {
    return empty("buffer", bytes);
  }

  /** Makes a buffer for {@code count} elements; see {@link #empty(long)}. */
  public Buffer empty(DType type, long count) {
    return empty(type.bytes(count));
  }

  /** Makes a buffer with a name for messages and tables; see {@link #empty(long)}. */
  public Buffer empty(String name, long bytes) {
    return BufferFactory.empty(device, stream(), name, bytes, allocation, quota);
  }

  /**
   * Makes a buffer with the bytes of a segment, which is the caller's again on return; {@link
   * MemorySegment#ofArray(double[])} and its like make one of an array.
   */
  public Buffer create(MemorySegment source) {
    long bytes = source.byteSize();
    Buffer buffer = BufferFactory.empty(device, device.host(), "buffer", bytes, allocation, quota);
    return BufferFactory.filled(
        buffer, () -> new Transfers(stream()).write(buffer, source, "create"));
  }

  /** Makes a buffer with the bytes of a file. */
  public Buffer create(Path file) {
    return BufferFactory.map(file, this::create);
  }

  /**
   * Makes a buffer of host memory that is copied to and from the device fastest; {@link #resource}
   * gives the memory, {@link #copy(Buffer, Buffer)} moves it without another copy.
   */
  public Buffer pinned(long bytes) {
    return BufferFactory.staging(device, "pinned", bytes);
  }

  /** Makes tensors in one allocation, with undefined contents; each is closed by the caller. */
  public List<Tensor> emptyTensors(List<Tensor.Spec> specs) {
    return BufferFactory.tensors(stream(), specs, allocation, quota);
  }

  /** Makes tensors in one allocation from compact elements, one segment for each. */
  public List<Tensor> createTensors(List<Tensor.Spec> specs, List<MemorySegment> elements) {
    if (specs.size() != elements.size()) {
      throw new IllegalArgumentException(
          elements.size() + " segments for " + specs.size() + " tensors; give one for each");
    }
    return BufferFactory.filled(emptyTensors(specs), elements, this::write);
  }

  /** Uses memory of another owner as a buffer; told when it is closed and no stream uses it. */
  public Buffer wrap(MemorySegment memory, long bytes, Runnable onRelease) {
    return BufferFactory.wrap(device, memory, bytes, onRelease);
  }

  /**
   * Opens a buffer's memory itself, once no stream uses it; waits for that.
   *
   * @throws dev.rialto.spi.error.DeviceException if it is to be read, and what should have written
   *     it failed
   */
  public Resource resource(Buffer buffer, boolean writes) {
    return new Resource(stream(), own(buffer), writes);
  }

  /**
   * Counts memory from elsewhere, such as that of a communicator's window, as long as the result is
   * open; the memory stays its owner's, who frees it later.
   *
   * @throws IllegalArgumentException if the host cannot access memory of this device
   */
  public Resource adopt(String name, MemorySegment memory) {
    requireHost();
    long bytes = memory.byteSize();
    return lent(Buffer.of(device, device.pools().adopt(memory, bytes, quota), bytes, name));
  }

  /**
   * Makes memory for code that orders its own work, on a stream or among ranks: named, counted and
   * limited as buffers are. Closing it gives it back at once, so that work must have ended.
   */
  public Resource lend(String name, long bytes) {
    return lent(
        BufferFactory.empty(device, device.host(), name, bytes, AllocationMode.EXACT, quota));
  }

  /** Makes such memory of the host as is copied to and from the device fastest. */
  public Resource lendStaging(String name, long bytes) {
    return lent(BufferFactory.staging(device, name, bytes, AllocationMode.EXACT));
  }

  private void requireHost() {
    if (!device.isHostAccessible()) {
      throw new IllegalArgumentException(
          "the host cannot access memory of " + device.name() + "; ask a client of the host");
    }
  }

  private Resource lent(Buffer made) {
    try (made) {
      return new Resource(stream(), made, true);
    }
  }

  /**
   * Makes memory for host code, named, counted and limited as buffers are; closing it gives it
   * back. Contents are undefined.
   *
   * @throws IllegalArgumentException if the host cannot access memory of this device
   */
  public Resource hosted(String name, long bytes) {
    requireHost();
    return lent(BufferFactory.empty(device, device.host(), name, bytes, allocation, quota));
  }

  // --- Moving data ------------------------------------------------------------------------------

  /**
   * Copies from the host to the start of a buffer; the source is the caller's again on return. If
   * the host cannot access the memory, a caller of more than 16 MiB waits for the stream.
   */
  public void write(Buffer target, MemorySegment source) {
    new Transfers(stream()).write(own(target), source, "write");
  }

  /** Copies compact elements from the host to where a tensor has them. */
  public void write(Tensor target, MemorySegment source) {
    new Transfers(stream()).write(own(target), source, "write");
  }

  /**
   * Copies a buffer to the host and waits for it.
   *
   * @return memory on the heap, aligned for all types
   * @throws dev.rialto.spi.error.DeviceException if what should have written it failed, or the
   *     stream has failed and this was not raised yet
   */
  public MemorySegment read(Buffer source) {
    return read(Transfers.bytes(source));
  }

  /** Copies a buffer to memory of the caller and waits for it; see {@link #read(Buffer)}. */
  public void read(Buffer source, MemorySegment target) {
    read(Transfers.bytes(source), target);
  }

  /** Copies a tensor's elements, without gaps; see {@link #read(Buffer)}. */
  public MemorySegment read(Tensor source) {
    MemorySegment target = Transfers.host(source.layout().bytes());
    read(source, target);
    return target;
  }

  /**
   * Copies a tensor's elements, without gaps, to memory of the caller; see {@link #read(Buffer)}.
   */
  public void read(Tensor source, MemorySegment target) {
    new Transfers(stream()).read(own(source), target);
  }

  /** Copies several buffers and waits for all; see {@link #read(Buffer)}. */
  public List<MemorySegment> read(List<Buffer> sources) {
    return sources.stream().map(this::read).toList();
  }

  /** Copies a buffer to the host without waiting; fails as {@link #read(Buffer)} does. */
  public CompletableFuture<MemorySegment> readAsync(Buffer source) {
    return readAsync(Transfers.bytes(source));
  }

  /** Copies a tensor's elements, without gaps, without waiting; see {@link #readAsync(Buffer)}. */
  public CompletableFuture<MemorySegment> readAsync(Tensor source) {
    return new Transfers(stream()).readAsync(own(source));
  }

  /** Copies all of one buffer to the start of another. */
  public void copy(Buffer source, Buffer target) {
    copy(Transfers.bytes(source), Transfers.room(source, target));
  }

  /** Copies the elements of one tensor to another of the same type and count. */
  public void copy(Tensor source, Tensor target) {
    new Transfers(stream()).copy(own(source), own(target));
  }

  /** Copies a buffer to another device: directly where that can be, else by way of the host. */
  public Buffer toClient(Buffer source, ComputeClient other) {
    Buffer target = other.empty(source.name(), source.bytes());
    return BufferFactory.filled(target, () -> copy(source, other, target));
  }

  /**
   * Copies a tensor to another device, its elements without gaps there; see {@link
   * #toClient(Buffer, ComputeClient)}.
   */
  public Tensor toClient(Tensor source, ComputeClient other) {
    Layout compact = Transfers.compact(source);
    Buffer buffer = other.empty(source.buffer().name(), compact.bytes());
    Tensor target = new Tensor(buffer, source.shape(), compact);
    Buffer _ = BufferFactory.filled(buffer, () -> copy(source, other, target));
    return target;
  }

  /** Copies all of a buffer to the start of another device's; see {@link #toClient}. */
  public void copy(Buffer source, ComputeClient other, Buffer target) {
    copy(Transfers.bytes(source), other, Transfers.room(source, target));
  }

  /** Copies a tensor's elements to those of another device's, of the same type and count. */
  public void copy(Tensor source, ComputeClient other, Tensor target) {
    new Transfers(stream()).copyTo(other.stream(), own(source), other.own(target));
  }

  /** Repeats a pattern, such as one element, over a buffer. */
  public void fill(Buffer target, MemorySegment pattern) {
    new Transfers(stream()).fill(own(target), pattern);
  }

  // --- Kernels ----------------------------------------------------------------------------------

  /** Compiles a kernel for this device; owned by the caller. */
  public Kernel compile(LoweredKernel kernel) {
    return new Kernel(device, kernel);
  }

  /**
   * Makes a kernel of compiled code for this device; owned by the caller, who keeps the code open
   * as long. The code checks no access, whatever the mode of a launch.
   *
   * @param procedure its place in the unit
   * @param accesses what it does with each of its parameters
   */
  public Kernel compile(Unit unit, Code code, int procedure, Access... accesses) {
    LoweredKernel kernel = CodeBody.kernel(unit, code, procedure, List.of(accesses));
    return device.spi().compiler().languages().contains(LoweredKernel.JAVA)
        ? new Kernel(device, kernel)
        : new Kernel(device, new CodeExecutable(kernel, code, procedure));
  }

  /** Makes a kernel as {@link #compile(Unit, Code, int, Access...)} does, that leaves a note. */
  public Kernel compile(Unit unit, Code code, int procedure, LaunchNote note, Access... accesses) {
    Kernel plain = compile(unit, code, procedure, accesses);
    return new Kernel(device, new NotedExecutable(device, plain.executable(false, false), note));
  }

  /** Checks a launch once, to be run many times without garbage. */
  public Launch prepare(Kernel kernel, long items, Buffer... buffers) {
    return Launch.of(this, kernel, items, List.of(buffers), false);
  }

  /**
   * Checks a launch of compiled code whose last parameter is passed by value.
   *
   * @param numbers what is passed; the client keeps the array
   * @throws IllegalArgumentException as {@link #launch} does, or if the code is called by the
   *     host's threads, which take a buffer for it
   */
  public Launch prepare(Kernel kernel, long items, long[] numbers, Buffer... buffers) {
    if (device.spi().compiler().languages().contains(LoweredKernel.JAVA)) {
      throw new IllegalArgumentException(
          kernel + " is called by the host's threads, which take no numbers; pass a buffer");
    }
    return Launch.of(this, kernel, items, List.of(buffers), false, numbers);
  }

  /** Launches a kernel over {@code items} items. */
  public void launch(Kernel kernel, long items, Buffer... buffers) {
    prepare(kernel, items, buffers).run();
  }

  /**
   * Launches a kernel over as many items as a buffer says when the launch begins; the host does not
   * wait for the number.
   *
   * @param count one I64
   * @param most no more items than this run, whatever the buffer says
   */
  public void launch(Kernel kernel, Buffer count, long most, Buffer... buffers) {
    List<Buffer> all = new ArrayList<>(Arrays.asList(buffers));
    all.add(count);
    Launch.of(this, kernel, most, all, true).run();
  }

  /**
   * Prepares an operation whose parts the caller adds, on the client's stream of the moment.
   *
   * @param uses what it does with each buffer
   */
  public Work work(String name, Map<Buffer, Access> uses) {
    return new Work(stream(), name, uses);
  }

  // --- Ranks, memory, profiles ------------------------------------------------------------------

  /** Joins the devices of other ranks. Collective. */
  public RankGroup join(Communicator comm) {
    return new RankGroup(device, comm);
  }

  /** Returns how much memory of the device is in use. */
  public MemoryUsage memoryUsage() {
    return device.pools().usage();
  }

  /** Returns what each pool of the device and of its staging memory holds, with peaks. */
  public MemoryReport memoryReport() {
    return device.memoryReport();
  }

  /** Gives memory back to the device of which nothing is used. */
  public void cleanup() {
    device.pools().cleanup();
    device.staging().cleanup();
  }

  /**
   * Runs code and tells when the operations ran that were added meanwhile, on any stream. Nothing
   * is drained: the result comes when they have ended.
   */
  public CompletableFuture<Profile> profile(Runnable body) {
    return Profiling.of(device, body);
  }

  private Tensor own(Tensor tensor) {
    Buffer _ = own(tensor.buffer());
    return tensor;
  }

  Buffer own(Buffer buffer) {
    if (buffer.device() != device) {
      throw new IllegalArgumentException(
          buffer + " is not of " + device.name() + "; bring it here with toClient");
    }
    return buffer;
  }
}
