package dev.rialto.fft.engine;

import dev.rialto.fft.engine.TransformKernels.Shape;
import dev.rialto.jit.kernel.Checks;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Transforms of lines by kernels, as passes between the input, two halves of the workspace and the
 * output. A length with a prime factor above {@value #LARGEST_RADIX} is made a convolution with a
 * chirp, of twice as many points or more.
 */
public final class KernelPlan implements FftPlan {
  private static final long LARGEST_RADIX = 13;
  private static final long ALIGNMENT = 256;

  /** As many memories are remembered. */
  private static final int KEPT = 8;

  private enum Memory {
    IN,
    OUT,
    FIRST,
    SECOND;

    /** Returns the half that a pass writes which reads this. */
    Memory next() {
      return this == FIRST ? SECOND : FIRST;
    }
  }

  /** The memories of an execution. */
  private record Buffers(Buffer in, Buffer out, Buffer first, Buffer second) {
    Buffer of(Memory memory) {
      return switch (memory) {
        case IN -> in;
        case OUT -> out;
        case FIRST -> first;
        case SECOND -> second;
      };
    }
  }

  /** A kernel and what it is given. */
  private record Pass(
      JavaKernel kernel,
      long items,
      Memory from,
      Memory to,
      Buffer table,
      Buffer shape,
      double scale) {}

  /** A kernel that is compiled when it is first needed. */
  private final class Lazy {
    private final Function<JavaKernels, JavaKernel> maker;
    private @Nullable JavaKernel made;

    Lazy(Function<JavaKernels, JavaKernel> maker) {
      this.maker = maker;
    }

    JavaKernel get() {
      JavaKernel kernel = made == null ? maker.apply(kernels) : made;
      made = kernel;
      return kernel;
    }

    void close() {
      if (made != null) {
        made.close();
      }
    }
  }

  /** The addresses of an execution. */
  private record Places(long in, long out, long workspace) {}

  private final ComputeClient client;
  private final FftSpec spec;
  private final JavaKernels kernels;
  private final long total;
  private final boolean linesTogether;
  private final Lazy four = new Lazy(TransformKernels::four);
  private final Lazy any = new Lazy(TransformKernels::any);
  private final Lazy times = new Lazy(TransformKernels::times);
  private final TransformTables tables;
  private final List<Pass> passes = new ArrayList<>();
  private final LinkedHashMap<Places, List<JavaKernel.Prepared>> prepared = new LinkedHashMap<>();
  private final Map<Timeline, ComputeStream> streams = new LinkedHashMap<>();
  private final long half;
  private boolean closed;

  public KernelPlan(ComputeClient client, FftSpec spec) {
    this.client = client;
    this.spec = spec;
    this.tables = new TransformTables(client, spec.precision());
    this.kernels = JavaKernels.on(client).withChecks(Checks.NONE).withElements(spec.precision());
    this.total = Math.multiplyExact(spec.lines(), spec.planes());
    this.linesTogether = spec.inDistance() < spec.inStride();
    List<Long> radices = radices(spec.length());
    long points = radices.isEmpty() ? chirpLength(spec.length()) : spec.length();
    this.half =
        (tables.type().bytes(Math.multiplyExact(points, total)) + ALIGNMENT - 1) & -ALIGNMENT;
    try {
      if (total > 0 && radices.isEmpty()) {
        convolve(points);
      } else if (total > 0) {
        transform(radices);
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  // --- Planning ---------------------------------------------------------------------------------

  /** Returns the radices of the passes, at least two; none if a prime factor is too large. */
  private static List<Long> radices(long length) {
    List<Long> radices = new ArrayList<>();
    long left = length;
    for (; left % 4 == 0; left /= 4) {
      radices.add(4L);
    }
    for (long prime = 2; prime <= LARGEST_RADIX; prime++) {
      for (; left % prime == 0; left /= prime) {
        radices.add(prime);
      }
    }
    if (left > 1) {
      return List.of();
    }
    // Through the workspace, so that the output may be the input.
    while (radices.size() < 2) {
      radices.addFirst(1L);
    }
    return radices;
  }

  private static long chirpLength(long length) {
    return Long.highestOneBit(2 * length - 1) * 2;
  }

  private Points input() {
    int form =
        switch (spec.kind()) {
          case REAL_TO_COMPLEX -> Points.REAL;
          case COMPLEX_TO_REAL -> Points.HALF;
          default -> Points.COMPLEX;
        };
    return new Points(
        form, spec.length(), spec.lines(), spec.inStride(), spec.inDistance(), spec.inPlane());
  }

  private Points output() {
    int form =
        switch (spec.kind()) {
          case REAL_TO_COMPLEX -> Points.HALF;
          case COMPLEX_TO_REAL -> Points.REAL;
          default -> Points.COMPLEX;
        };
    return new Points(
        form, spec.length(), spec.lines(), spec.outStride(), spec.outDistance(), spec.outPlane());
  }

  private Points dense(long length) {
    return Points.dense(length, spec.lines(), spec.planes(), linesTogether);
  }

  private int sign() {
    return spec.kind() == Kind.INVERSE || spec.kind() == Kind.COMPLEX_TO_REAL ? -1 : 1;
  }

  private void transform(List<Long> radices) {
    Points between = dense(spec.length());
    Buffer roots = tables.roots(spec.length());
    Memory from = Memory.IN;
    long p = 1;
    for (int i = 0; i < radices.size(); i++) {
      boolean last = i == radices.size() - 1;
      from =
          pass(
              radices.get(i),
              p,
              i == 0 ? input() : between,
              last ? output() : between,
              from,
              last ? Memory.OUT : from.next(),
              roots,
              sign(),
              last ? spec.scale() : 1);
      p *= radices.get(i);
    }
  }

  private Memory pass(
      long radix,
      long p,
      Points in,
      Points out,
      Memory from,
      Memory to,
      Buffer roots,
      int sign,
      double scale) {
    Shape shape = new Shape(in, out, total, linesTogether, sign, radix, p);
    boolean four = radix == 4;
    add(four ? this.four : any, in.length() / (four ? 4 : 1), shape, from, to, roots, scale);
    return to;
  }

  private void add(
      Lazy kernel, long items, Shape shape, Memory from, Memory to, Buffer table, double scale) {
    Buffer numbers = tables.keep(MemorySegment.ofArray(shape.numbers()));
    passes.add(new Pass(kernel.get(), items * total, from, to, table, numbers, scale));
  }

  /**
   * X[k] = c[k] Σ (x[j] c[j]) conj(c[k-j]) with c[j] = exp(-πi j²/n): products with a chirp before
   * and after a convolution with its conjugate, which transforms of more points do.
   */
  private void convolve(long points) {
    long length = spec.length();
    Points between = dense(points);
    Buffer chirp = tables.chirp(length);
    Buffer spectrum = tables.spectrum(length, points);
    Buffer roots = tables.roots(points);
    List<Long> radices = radices(points);
    times(input(), between, Memory.IN, Memory.FIRST, chirp, sign(), 1);
    Memory at = Memory.FIRST;
    for (int direction : new int[] {1, -1}) {
      long p = 1;
      for (long radix : radices) {
        at = pass(radix, p, between, between, at, at.next(), roots, direction, 1);
        p *= radix;
      }
      if (direction > 0) {
        at = times(between, between, at, at.next(), spectrum, sign(), 1);
      }
    }
    times(between, output(), at, Memory.OUT, chirp, sign(), spec.scale() / points);
  }

  private Memory times(
      Points in, Points out, Memory from, Memory to, Buffer factors, int sign, double scale) {
    Shape shape = new Shape(in, out, total, linesTogether, sign, 1, 1);
    add(times, out.length(), shape, from, to, factors, scale);
    return to;
  }

  // --- Executing --------------------------------------------------------------------------------

  @Override
  public FftSpec spec() {
    return spec;
  }

  @Override
  public long workspaceBytes() {
    return 2 * half;
  }

  @Override
  public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    ComputeStream stream = client.stream();
    add(in, out, workspace, stream);
    stream.sync();
  }

  @Override
  public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace, Stream stream) {
    if (stream instanceof Timeline timeline) {
      add(in, out, workspace, wrapped(timeline));
    } else {
      FftPlan.super.execute(in, out, workspace, stream);
    }
  }

  private synchronized ComputeStream wrapped(Timeline timeline) {
    return streams.computeIfAbsent(timeline, client::wrap);
  }

  private synchronized void add(
      MemorySegment in, MemorySegment out, MemorySegment workspace, ComputeStream stream) {
    if (closed) {
      throw new IllegalStateException("the plan is closed; make another");
    }
    Places places = new Places(in.address(), out.address(), workspace.address());
    List<JavaKernel.Prepared> launches = prepared.get(places);
    if (launches == null) {
      launches = prepare(in, out, workspace);
      prepared.put(places, launches);
      if (prepared.size() > KEPT) {
        prepared.pollFirstEntry().getValue().forEach(JavaKernel.Prepared::close);
      }
    }
    List<JavaKernel.Prepared> chosen = launches;
    client.on(stream, () -> chosen.forEach(JavaKernel.Prepared::run));
  }

  private List<JavaKernel.Prepared> prepare(
      MemorySegment in, MemorySegment out, MemorySegment workspace) {
    Buffers buffers =
        new Buffers(
            wrap(in, 0, spec.inBytes()),
            wrap(out, 0, spec.outBytes()),
            wrap(workspace, 0, half),
            wrap(workspace, half, half));
    List<JavaKernel.Prepared> launches = new ArrayList<>();
    for (Pass pass : passes) {
      launches.add(
          pass.kernel()
              .prepare(
                  pass.items(),
                  buffers.of(pass.to()),
                  buffers.of(pass.from()),
                  pass.table(),
                  pass.shape(),
                  pass.scale()));
    }
    return launches;
  }

  private Buffer wrap(MemorySegment memory, long offset, long bytes) {
    // A device gives its memory as an address without a size.
    MemorySegment part =
        memory.byteSize() == 0
            ? MemorySegment.ofAddress(memory.address() + offset)
            : memory.asSlice(offset, bytes);
    return client.wrap(part, bytes, () -> {});
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      streams.values().forEach(ComputeStream::close);
      prepared.values().forEach(launches -> launches.forEach(JavaKernel.Prepared::close));
      List.of(four, any, times).forEach(Lazy::close);
      tables.close();
    }
  }
}
