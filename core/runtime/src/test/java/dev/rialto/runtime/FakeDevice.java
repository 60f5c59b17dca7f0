package dev.rialto.runtime;

import dev.rialto.spi.Backends;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.device.DeviceProperties;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemorySpace.Properties;
import dev.rialto.spi.memory.MemoryTransfer;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A device that misbehaves on demand: its streams run at random paces, so that operations of
 * different streams end in any order, any operation can be made to fail, and memory can be made to
 * run out. Its memory is the host's, but on request it hides that, as a GPU's would be hidden.
 */
final class FakeDevice implements Device {
  static final class Fault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Fault(String message) {
      super(message);
    }
  }

  private final Device cpu = Backends.get("cpu").devices().getFirst();
  private final boolean hidden;
  private final Random random;
  private final int delay;
  private final FakeMemory memory;
  private final FakeMemory staging;

  private @Nullable Device connector;

  /** The most bytes of its memory, and of that from which data is staged. */
  final AtomicLong limit = new AtomicLong(Long.MAX_VALUE);

  final AtomicLong stagingLimit = new AtomicLong(Long.MAX_VALUE);

  /** The priorities that streams were opened with. */
  final List<Integer> priorities = new CopyOnWriteArrayList<>();

  /** Counts down with each operation; the one that finds 1 fails. */
  final AtomicInteger failIn = new AtomicInteger();

  /**
   * Makes a device.
   *
   * @param hidden whether the host cannot access its memory
   * @param delay the most steps that an operation is delayed, each about a microsecond
   */
  FakeDevice(long seed, boolean hidden, int delay) {
    this.random = new Random(seed);
    this.hidden = hidden;
    this.delay = delay;
    this.memory = new FakeMemory("fake:0", cpu.memory(), hidden, limit);
    this.staging = hidden ? new FakeMemory("staging", cpu.staging(), false, stagingLimit) : memory;
  }

  /** Makes the devices of some ranks, which can be connected and hide their memory. */
  static List<Device> connected(int ranks) {
    return TestDevices.get("plain" + TestDevices.CONNECTED, ranks).stream()
        .<Device>map(
            plain -> {
              FakeDevice made = new FakeDevice(1, true, 20);
              made.connector = plain;
              return made;
            })
        .toList();
  }

  @Override
  public DeviceCollectives collectives(Communicator over) {
    return connector == null ? Device.super.collectives(over) : connector.collectives(over);
  }

  private void misbehave() {
    int steps;
    synchronized (random) {
      steps = delay == 0 ? 0 : random.nextInt(delay);
    }
    for (int i = 0; i < 20 * steps; i++) {
      Thread.onSpinWait();
    }
    if (failIn.get() > 0 && failIn.getAndDecrement() == 1) {
      throw new Fault("failed on demand");
    }
  }

  @Override
  public String name() {
    return "fake:0";
  }

  @Override
  public DeviceProperties properties() {
    return cpu.properties();
  }

  @Override
  public MemorySpace memory() {
    return memory;
  }

  @Override
  public MemorySpace staging() {
    return staging;
  }

  @Override
  public MemoryTransfer transfer() {
    return new FakeTransfer(cpu.transfer());
  }

  @Override
  public KernelCompiler compiler() {
    return new FakeCompiler();
  }

  @Override
  public Timeline openStream(int priority) {
    priorities.add(priority);
    return new FakeTimeline(cpu.openStream(priority));
  }

  /** Makes memory accessible again that was hidden. */
  @SuppressWarnings("restricted")
  private MemorySegment seen(MemorySegment segment, long bytes) {
    return hidden && segment.isNative() && segment.byteSize() == 0
        ? segment.reinterpret(bytes)
        : segment;
  }

  private final class FakeTimeline extends ForwardingTimeline {
    FakeTimeline(Timeline inner) {
      super(inner);
    }

    @Override
    public void run(Runnable operation) {
      inner.run(misbehaving(operation));
    }

    @Override
    public Stream labelled(Object label) {
      Stream labelled = inner.labelled(label);
      return new ForwardingStream(labelled) {
        @Override
        public void run(Runnable operation) {
          labelled.run(misbehaving(operation));
        }
      };
    }

    private Runnable misbehaving(Runnable operation) {
      return () -> {
        misbehave();
        operation.run();
      };
    }
  }

  private final class FakeTransfer implements MemoryTransfer {
    private final MemoryTransfer inner;

    FakeTransfer(MemoryTransfer inner) {
      this.inner = inner;
    }

    @Override
    public boolean supports(MemorySpace source, MemorySpace target) {
      return reaches(source) && reaches(target);
    }

    private boolean reaches(MemorySpace space) {
      return space.properties().hostAccessible() || (hidden && space instanceof FakeMemory);
    }

    @Override
    public void copy(MemorySegment source, MemorySegment target, long bytes) {
      inner.copy(seen(source, bytes), seen(target, bytes), bytes);
    }

    @Override
    public void copy(MemorySegment source, Layout from, MemorySegment target, Layout to) {
      inner.copy(seen(source, from.span()), from, seen(target, to.span()), to);
    }

    @Override
    public void copyAsync(MemorySegment source, MemorySegment target, long bytes, Stream stream) {
      stream.run(() -> copy(source, target, bytes));
    }

    @Override
    public void copyAsync(
        MemorySegment source, Layout from, MemorySegment target, Layout to, Stream stream) {
      stream.run(() -> copy(source, from, target, to));
    }
  }

  private final class FakeCompiler implements KernelCompiler {
    @Override
    public String target() {
      return "fake";
    }

    @Override
    public Set<String> languages() {
      return Set.of(LoweredKernel.JAVA);
    }

    @Override
    public Executable compile(LoweredKernel kernel) {
      LoweredKernel.Body body = ((LoweredKernel.JavaBody) kernel).body();
      return new Executable() {
        @Override
        public LoweredKernel kernel() {
          return kernel;
        }

        @Override
        public void launch(long items, List<MemorySegment> buffers, Stream stream) {
          long[] bytes = buffers.stream().mapToLong(b -> Long.MAX_VALUE - b.address()).toArray();
          launch(items, buffers, bytes, stream);
        }

        @Override
        public void launch(long items, List<MemorySegment> buffers, long[] bytes, Stream stream) {
          List<MemorySegment> passed = new ArrayList<>();
          for (int i = 0; i < bytes.length; i++) {
            passed.add(seen(buffers.get(i), bytes[i]));
          }
          stream.run(() -> body.run(0, items, passed));
        }

        @Override
        public void close() {}
      };
    }
  }

  private static final class FakeMemory implements MemorySpace {
    private final String name;
    private final MemorySpace inner;
    private final boolean concealed;
    private final AtomicLong limit;
    private final AtomicLong used = new AtomicLong();

    FakeMemory(String name, MemorySpace inner, boolean concealed, AtomicLong limit) {
      this.name = name;
      this.inner = inner;
      this.concealed = concealed;
      this.limit = limit;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Properties properties() {
      Properties p = inner.properties();
      return new Properties(!concealed, true, !concealed, p.atomics(), p.pageable(), p.alignment());
    }

    @Override
    public Allocation allocate(long bytes, long alignment) {
      if (used.addAndGet(bytes) > limit.get()) {
        used.addAndGet(-bytes);
        throw new MemoryException(bytes + " bytes are too many", name(), "ask for less", null);
      }
      Allocation allocation = inner.allocate(bytes, alignment);
      MemorySegment segment =
          concealed
              ? MemorySegment.ofAddress(allocation.segment().address())
              : allocation.segment();
      return new Allocation() {
        @Override
        public MemorySegment segment() {
          return segment;
        }

        @Override
        public long bytes() {
          return bytes;
        }

        @Override
        public MemorySpace space() {
          return FakeMemory.this;
        }

        @Override
        public boolean isOpen() {
          return allocation.isOpen();
        }

        @Override
        public void close() {
          allocation.close();
          used.addAndGet(-bytes);
        }
      };
    }

    @Override
    public Allocation owner(MemorySegment segment) {
      return inner.owner(segment);
    }

    @Override
    public long used() {
      return used.get();
    }

    @Override
    public long peak() {
      return inner.peak();
    }

    @Override
    public long available() {
      return limit.get() - used.get();
    }

    @Override
    public List<LiveAllocation> live() {
      return inner.live();
    }
  }
}
