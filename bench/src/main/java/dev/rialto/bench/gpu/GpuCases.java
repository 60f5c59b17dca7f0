package dev.rialto.bench.gpu;

import dev.rialto.bench.Samples;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.library.KernelLibrary;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.jit.run.Settings;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Kernel;
import dev.rialto.runtime.Launch;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.kernel.LoweredKernel.Source;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** The cases on a GPU. */
public final class GpuCases implements AutoCloseable {
  public static final List<String> STREAMS =
      List.of("triad/compiled", "triad/kernel", "chain/compiled");
  public static final String ELEMENTARY = "chain/elementary";
  public static final String SUM = "sum/fast";
  private static final int REPEAT = 10;
  private static final int[][] ORDERS = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

  private static final String TRIAD =
      """
      extern "C" __global__ void triad(
          double *__restrict__ a, const double *__restrict__ b, const double *__restrict__ c,
          long long begin, long long end) {
        long long i = begin + (long long)blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= end) return;
        double2 x = ((const double2 *)b)[i], y = ((const double2 *)c)[i];
        ((double2 *)a)[i] = make_double2(x.x + 3 * y.x, x.y + 3 * y.y);
      }
      """;

  private final Device device;
  private final boolean quick;
  private final long doubles;
  private final Stream stream;
  private final List<Allocation> arrays = new ArrayList<>();

  public GpuCases(Device device, boolean quick) {
    this.device = device;
    this.quick = quick;
    this.doubles = 1L << (quick ? 25 : 27);
    this.stream = device.openStream(0);
  }

  public static List<String> transposes(boolean quick) {
    List<String> names = new ArrayList<>();
    for (int n : quick ? new int[] {256} : new int[] {256, 512}) {
      for (int[] order : ORDERS) {
        names.add(transpose(n, order));
      }
    }
    return names;
  }

  private static String transpose(int n, int[] order) {
    return "transpose/" + n + "/" + Arrays.toString(order).replaceAll("\\D", "");
  }

  /** Measures every case once; what warms up is dropped. */
  public void round(
      Samples rialto,
      Samples peers,
      Consumer<String> progress,
      boolean first,
      List<String> unmeasured) {
    Samples ours = first ? new Samples() : rialto;
    Samples theirs = first ? new Samples() : peers;
    progress.accept("copies and kernels");
    copies(ours, theirs);
    compiled(ours, unmeasured);
    progress.accept("transposes");
    for (int n : quick ? new int[] {256} : new int[] {256, 512}) {
      transposes(n, ours, theirs);
    }
    progress.accept("launches and uploads");
    launches(ours);
    uploads(ours);
    progress.accept("products");
    products(ours);
  }

  /** Returns the milliseconds of one of several operations in a row. */
  private double millis(Runnable operation) {
    operation.run();
    stream.await();
    long start = System.nanoTime();
    for (int i = 0; i < REPEAT; i++) {
      operation.run();
    }
    stream.await();
    return (System.nanoTime() - start) / 1e6 / REPEAT;
  }

  private Allocation array(long bytes) {
    Allocation array = device.memory().allocate(bytes);
    arrays.add(array);
    return array;
  }

  private void free() {
    arrays.forEach(Allocation::close);
    arrays.clear();
  }

  /** Returns the milliseconds of a copy that reads and writes so many bytes together. */
  private double copy(MemorySegment from, MemorySegment to, long moved) {
    return millis(() -> device.transfer().copyAsync(from, to, moved / 2, stream));
  }

  private void copies(Samples rialto, Samples peers) {
    MemorySegment a = array(24 * doubles).segment();
    MemorySegment b = array(24 * doubles).segment();
    rialto.add("copy", copy(a, b, 16 * doubles));
    double triad = copy(a, b, 24 * doubles);
    peers.add("triad/compiled", triad);
    peers.add("triad/kernel", triad);
    double pair = copy(a, b, 16 * doubles);
    peers.add("chain/compiled", pair);
    peers.add(ELEMENTARY, pair);
    peers.add(SUM, copy(a, b, 8 * doubles));
    free();
  }

  // --- Programs and kernels ---------------------------------------------------------------------

  private void compiled(Samples rialto, List<String> unmeasured) {
    if (!CudaSuite.compiles()) {
      unmeasured.add("There is no target cuda on the module path, so no program was compiled.");
      return;
    }
    long n = doubles;
    rialto.add(
        "triad/compiled",
        program(false, "input b f64[" + n + "]\ninput c f64[" + n + "]\na[i] = b[i] + 3 * c[i]"));
    String x = "input x f32[" + 2 * n + "]\n";
    rialto.add(
        "chain/compiled",
        program(
            false,
            x + "t[i] = x[i] * 2 + 1\nu[i] = relu(t[i])\nv[i] = u[i] - x[i]\ny[i] = v[i] * u[i]"));
    rialto.add(ELEMENTARY, program(false, x + "y[i] = tanh(exp(sin(x[i]) + cos(x[i])) * 0.1)"));
    rialto.add(SUM, program(true, x + "s[] += x[i]"));
    rialto.add("triad/kernel", kernel());
  }

  /** Returns the milliseconds of a program that is compiled for the GPU. */
  private double program(boolean fast, String text) {
    Settings settings = Settings.fromProperties().withFast(fast);
    try (JitBackend backend = JitBackend.open("cuda", settings);
        Compiled compiled = backend.compile(Program.parse("k", text));
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      for (Node node : compiled.program().inputs()) {
        fill(context, node);
      }
      routine.run();
      context.device().await();
      long start = System.nanoTime();
      for (int i = 0; i < REPEAT; i++) {
        routine.run();
      }
      context.device().await();
      return (System.nanoTime() - start) / 1e6 / REPEAT;
    }
  }

  /** Gives a node numbers between 0 and 1: speed depends on them, by the power they take. */
  private static void fill(Context context, Node node) {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment host = arena.allocate(node.bytes(), 64);
      long words = node.bytes() / 8;
      for (long i = 0; i < words; i++) {
        double value = ((i * 7919) & 1023) / 1024.0;
        long single = Float.floatToRawIntBits((float) value);
        host.setAtIndex(
            ValueLayout.JAVA_LONG,
            i,
            node.type() == DType.F32 ? single | single << 32 : Double.doubleToRawLongBits(value));
      }
      context.fromHost(node, host);
      context.device().await();
    }
  }

  private double kernel() {
    List<Parameter> parameters =
        List.of(
            new Parameter("a", DType.F64, Access.WRITE),
            new Parameter("b", DType.F64, Access.READ),
            new Parameter("c", DType.F64, Access.READ));
    ComputeClient client = Devices.open(device.name());
    try (Kernel triad = client.compile(new Source("triad", parameters, "cuda", TRIAD));
        Buffer a = client.empty(DType.F64, doubles);
        Buffer b = client.empty(DType.F64, doubles);
        Buffer c = client.empty(DType.F64, doubles)) {
      Launch launch = client.prepare(triad, doubles / 2, a, b, c);
      return repeat(client, launch::run, REPEAT) / 1e3;
    }
  }

  private static double repeat(ComputeClient client, Runnable operation, int times) {
    operation.run();
    client.sync();
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      operation.run();
    }
    client.sync();
    return (System.nanoTime() - start) / 1e3 / times;
  }

  // --- Transposes -------------------------------------------------------------------------------

  private void transposes(int n, Samples rialto, Samples peers) {
    long count = (long) n * n * n;
    MemorySegment from = array(16 * count).segment();
    MemorySegment to = array(16 * count).segment();
    double floor = copy(from, to, 32 * count);
    Shape cube = Shape.of(n, n, n);
    long[] strides = cube.strides();
    for (int[] order : ORDERS) {
      long[] walked = {strides[order[0]], strides[order[1]], strides[order[2]]};
      Layout source = Layout.strided(DType.C128, cube, walked, 0);
      Layout target = Layout.contiguous(DType.C128, count);
      double time = millis(() -> device.transfer().copyAsync(from, source, to, target, stream));
      rialto.add(transpose(n, order), time);
      peers.add(transpose(n, order), floor);
    }
    free();
  }

  // --- Launches and uploads ---------------------------------------------------------------------

  private void launches(Samples rialto) {
    String text =
        "extern \"C\" __global__ void nothing(double *x, long long begin, long long end) {}";
    List<Parameter> parameters = List.of(new Parameter("x", DType.F64, Access.READ_WRITE));
    ComputeClient client = Devices.open(device.name());
    try (Kernel nothing = client.compile(new Source("nothing", parameters, "cuda", text));
        Buffer x = client.empty(DType.F64, 1)) {
      Launch launch = client.prepare(nothing, 1, x);
      for (int i = 0; i < 3; i++) {
        rialto.add("launch", repeat(client, launch::run, 5000));
      }
    }
  }

  private void uploads(Samples rialto) {
    long bytes = 1L << (quick ? 28 : 30);
    MemorySegment target = array(bytes).segment();
    try (Allocation pinned = device.staging().allocate(bytes);
        Arena pageable = Arena.ofShared()) {
      MemorySegment host = pageable.allocate(bytes, 64).fill((byte) 1);
      for (int i = 0; i < 3; i++) {
        rialto.add("upload/pinned", upload(pinned.segment(), target, bytes));
        rialto.add("upload/pageable", upload(host, target, bytes));
      }
    }
    free();
  }

  private double upload(MemorySegment from, MemorySegment to, long bytes) {
    long start = System.nanoTime();
    device.transfer().copy(from, to, bytes);
    return (System.nanoTime() - start) / 1e6;
  }

  private void products(Samples rialto) {
    if (!CudaSuite.compiles()) {
      return;
    }
    String text = "input a f32[4096, 4096]\ninput b f32[4096, 4096]\nc[i, j] += a[i, k] * b[k, j]";
    rialto.add("product/4096", program(true, text));
    rialto.add("product/4096/strict", program(false, text));
    rialto.add("product/4096/f16", halves(4096));
  }

  /** A product of halves on tensor cores, of numbers from 0.5 to 1. */
  private double halves(int n) {
    short[] bits = new short[n * n];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = (short) (0x3800 | (i * 7919 & 1023));
    }
    ComputeClient client = Devices.open(device.name());
    Shape shape = Shape.of(n, n);
    Layout layout = Layout.contiguous(DType.F16, shape.count());
    try (KernelLibrary library = KernelLibrary.on(client);
        Tensor c = new Tensor(client.empty(DType.F16, shape.count()), shape, layout);
        Tensor a = new Tensor(client.create(MemorySegment.ofArray(bits)), shape, layout);
        Tensor b = new Tensor(client.create(MemorySegment.ofArray(bits)), shape, layout)) {
      return repeat(client, () -> library.product(c, a, b), REPEAT) / 1e3;
    }
  }

  @Override
  public void close() {
    free();
    stream.close();
  }
}
