package dev.rialto.bench.language;

import dev.rialto.bench.BenchReport;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Samples;
import dev.rialto.bench.Suite;
import dev.rialto.bench.TemporaryFolder;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Kernel;
import dev.rialto.runtime.Launch;
import dev.rialto.spi.Probe;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.JavaBody;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.kernel.LoweredKernel.Source;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Kernels in Java against the same steps by hand: on the host's cores in C with OpenMP, on a GPU in
 * CUDA C, where algorithms of arrays are measured too. Each round runs every target once, and
 * another one first. Results are compared before anything is timed.
 */
public final class LanguageSuite implements Suite {
  private static final String PEER = "peer";
  private static final String OPENCL = "opencl";
  private static final String CUDA = "cuda";
  private static final String JVM = "jvm";
  private static final String BY_HAND = "byHand/";
  private static final String LIBRARY = "library/";
  private static final int GPU_LAUNCHES = 10;
  private static final int LAUNCHES = 1000;
  private static final double CLOSE = 1e-3;

  private final String device;

  /** Measures a device: the host's cores, or a GPU of NVIDIA. */
  public LanguageSuite(String device) {
    this.device = device;
  }

  @Override
  public String name() {
    return "language";
  }

  @Override
  public Optional<Suite> on(String other) {
    return other.startsWith(CUDA) ? Optional.of(new LanguageSuite(other)) : Optional.empty();
  }

  private boolean isGpu() {
    return device.startsWith(CUDA);
  }

  /** The compilers of the cases in Java, by name. */
  private Map<String, JavaKernels> targets() {
    Map<String, JavaKernels> targets = new LinkedHashMap<>();
    ComputeClient client = Devices.open(device);
    if (isGpu()) {
      targets.put(CUDA, JavaKernels.on(client));
      return targets;
    }
    for (var each : JitBackend.targets().values()) {
      boolean usable = each.probe() instanceof Probe.Available;
      if (usable && each.name().equals(OPENCL)) {
        String first = each.devices().getFirst().name();
        targets.put(OPENCL, JavaKernels.on(Devices.open(first)));
      } else if (usable && each.devices().isEmpty() && !each.name().equals("interpreter")) {
        targets.put(each.name(), JavaKernels.on(client).withTarget(each.name()));
      }
    }
    return targets;
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    List<BenchRow> rows = new ArrayList<>();
    List<LanguageCase.Maker> cases = LanguageCase.all();
    Map<String, JavaKernels> targets = targets();
    int total = cases.size() + 3;
    boolean done;
    try (TemporaryFolder folder = new TemporaryFolder()) {
      Optional<LanguagePeer> peer =
          isGpu() ? Optional.empty() : LanguagePeer.compile(folder.path());
      done =
          progress.measure(
              () -> {
                int step = 0;
                for (LanguageCase.Maker each : cases) {
                  progress.step(step++, total, each.name());
                  rows.addAll(duel(each.make(isGpu()), targets, peer, quick, progress));
                }
                progress.step(step++, total, "launches");
                targets.forEach((name, kernels) -> rows.add(launch(name, kernels, quick)));
                progress.step(step++, total, "first uses");
                targets.forEach((name, kernels) -> rows.addAll(firstUses(name, kernels, quick)));
                if (isGpu()) {
                  progress.step(step, total, "arrays");
                  rows.addAll(DeviceArrays.rows(device, quick, folder.path(), progress));
                }
              });
    }
    List<String> notes =
        List.of(
            "The peers do the same steps as the kernels, with loops in place of items; neither"
                + " looks at indices.",
            "launch: one item, prepared, against a prepared launch of a kernel in "
                + (isGpu() ? "CUDA C." : "the host's own Java."),
            "byHand: the kernel against the same steps by hand in the language that it is compiled"
                + " to, OpenCL C or Java.",
            "product/library: the fastest candidate of KernelLibrary, against the tiles of 16 by 16"
                + " that the other rows of product are.",
            "firstUse: a kernel not seen before until it has run; cached: in another process.",
            "arrays: algorithms of arrays on the device; their results are on the host where they"
                + " are numbers.");
    return new BenchReport(name(), Instant.now(), Map.of(), rows, notes, !done);
  }

  // --- Cases ------------------------------------------------------------------------------------

  private List<BenchRow> duel(
      LanguageCase kernel,
      Map<String, JavaKernels> targets,
      Optional<LanguagePeer> peer,
      boolean quick,
      Progress progress) {
    Map<String, LanguageContender> contenders = new LinkedHashMap<>();
    int repeat = isGpu() ? GPU_LAUNCHES : 1;
    Samples samples = new Samples();
    try {
      peer.ifPresent(c -> contenders.put(PEER, c.of(kernel)));
      if (isGpu()) {
        ComputeClient client = Devices.open(device);
        contenders.put(PEER, LanguageContender.byHand(kernel, client, CUDA, true, repeat));
      }
      JavaKernels opencl = targets.get(OPENCL);
      if (opencl != null) {
        ComputeClient client = opencl.client();
        contenders.put(
            BY_HAND + OPENCL, LanguageContender.byHand(kernel, client, "opencl-c", false, repeat));
      }
      if (targets.containsKey(JVM)) {
        JavaByHand.of(kernel).ifPresent(loops -> contenders.put(BY_HAND + JVM, loops));
      }
      targets.forEach(
          (name, settings) ->
              contenders.put(name, LanguageContender.java(kernel, settings, repeat)));
      if (kernel.name().equals("product")) {
        targets.forEach(
            (name, settings) ->
                contenders.put(
                    LIBRARY + name, LanguageContender.library(kernel, settings, repeat)));
      }
      compare(kernel, contenders);
      List<Map.Entry<String, LanguageContender>> all = List.copyOf(contenders.entrySet());
      // The JVM compiles a kernel and the loops by hand for a second or two.
      int warmUp = quick ? 3 : 60;
      int rounds = quick ? 7 : 25;
      for (int round = 0; round < warmUp + rounds; round++) {
        progress.check();
        for (int i = 0; i < all.size(); i++) {
          Map.Entry<String, LanguageContender> each = all.get((i + round) % all.size());
          double millis = each.getValue().millis();
          if (round >= warmUp) {
            samples.add(each.getKey(), millis);
          }
        }
      }
    } finally {
      contenders.values().forEach(LanguageContender::close);
    }
    List<BenchRow> rows = new ArrayList<>();
    for (String target : targets.keySet()) {
      rows.add(row(kernel.name(), target, samples));
      if (contenders.containsKey(BY_HAND + target)) {
        rows.add(
            BenchRow.of(kernel.name() + "/" + BY_HAND + target, "ms", samples.time(target))
                .against(
                    target.equals(OPENCL) ? "OpenCL C" : "Java", samples.median(BY_HAND + target)));
      }
      if (contenders.containsKey(LIBRARY + target)) {
        rows.add(row(kernel.name(), LIBRARY + target, samples));
      }
    }
    return rows;
  }

  private BenchRow row(String name, String target, Samples samples) {
    boolean others = target.endsWith(OPENCL);
    double goal = others ? 1.2 : target.endsWith(JVM) ? 1.15 : 1.05;
    return BenchRow.of(name + "/" + target, "ms", samples.time(target))
        .against(
            others ? "the same on cc" : isGpu() ? "CUDA C" : LanguagePeer.NAME,
            samples.median(others ? target.replace(OPENCL, "cc") : PEER))
        .withGoal(goal);
  }

  /** Compares the results of all with those of the first. */
  private static void compare(LanguageCase each, Map<String, LanguageContender> contenders) {
    List<MemorySegment> expected = contenders.values().iterator().next().results();
    contenders.forEach(
        (name, contender) -> {
          List<MemorySegment> actual = contender.results();
          for (int i = 0; i < each.results(); i++) {
            double apart = apart(each.arguments().get(i), expected.get(i), actual.get(i));
            if (apart > each.apart()) {
              throw new IllegalStateException(
                  "%s on %s: %.3f %% of result %d differ from those of %s"
                      .formatted(
                          each.name(),
                          name,
                          100 * apart,
                          i + 1,
                          contenders.keySet().iterator().next()));
            }
          }
        });
  }

  /** The part of the elements that differ. */
  private static double apart(Object array, MemorySegment expected, MemorySegment actual) {
    return switch (array) {
      case double[] a -> {
        ValueLayout.OfDouble layout = ValueLayout.JAVA_DOUBLE;
        int count = 0;
        for (int i = 0; i < a.length; i++) {
          count += far(expected.getAtIndex(layout, i), actual.getAtIndex(layout, i));
        }
        yield (double) count / a.length;
      }
      case float[] a -> {
        ValueLayout.OfFloat layout = ValueLayout.JAVA_FLOAT;
        int count = 0;
        for (int i = 0; i < a.length; i++) {
          count += far(expected.getAtIndex(layout, i), actual.getAtIndex(layout, i));
        }
        yield (double) count / a.length;
      }
      case int[] a -> {
        ValueLayout.OfInt layout = ValueLayout.JAVA_INT;
        int count = 0;
        for (int i = 0; i < a.length; i++) {
          count += expected.getAtIndex(layout, i) == actual.getAtIndex(layout, i) ? 0 : 1;
        }
        yield (double) count / a.length;
      }
      default -> throw new IllegalArgumentException("no result: " + array);
    };
  }

  private static int far(double expected, double actual) {
    return Math.abs(expected - actual) <= CLOSE * Math.max(1, Math.abs(expected)) ? 0 : 1;
  }

  // --- Launches and first uses ------------------------------------------------------------------

  private static BenchRow launch(String name, JavaKernels kernels, boolean quick) {
    ComputeClient client = kernels.client();
    KernelBody.Of1<I64> body = (Item it, I64 x) -> x.set(it.global(), 1);
    Samples samples = new Samples();
    try (JavaKernel lifted = kernels.compile(body);
        Kernel known = nothing(client);
        Buffer x = client.create(MemorySegment.ofArray(new long[1]));
        JavaKernel.Prepared ours = lifted.prepare(1, x)) {
      Launch theirs = client.prepare(known, 1, x);
      for (int round = 0; round < (quick ? 6 : 20); round++) {
        double micros = micros(client, ours::run);
        double peer = micros(client, theirs::run);
        if (round > 2) {
          samples.add("rialto", micros);
          samples.add(PEER, peer);
        }
      }
    }
    String language = name.equals(CUDA) ? "CUDA C" : name.equals(OPENCL) ? "OpenCL C" : "Java";
    return BenchRow.of("launch/" + name, "us", samples.time("rialto"))
        .against("a launch of " + language, samples.median(PEER))
        .withGoal(1.1);
  }

  /** A kernel of the device's own language that does as little. */
  private static Kernel nothing(ComputeClient client) {
    List<Parameter> parameters = List.of(new Parameter("x", DType.I64, Access.READ_WRITE));
    String backend = client.device().name();
    if (backend.startsWith(CUDA)) {
      String text =
          "extern \"C\" __global__ void one(long long *x, long long begin, long long end) {"
              + " if (begin + threadIdx.x < end) x[begin + threadIdx.x] = 1; }";
      return client.compile(new Source("one", parameters, CUDA, text));
    }
    if (backend.startsWith(OPENCL)) {
      String text =
          "__kernel void one(__global long *x, long begin, long end) {"
              + " if (begin + get_global_id(0) < end) x[begin + get_global_id(0)] = 1; }";
      return client.compile(new Source("one", parameters, "opencl-c", text));
    }
    return client.compile(
        new JavaBody(
            "one", parameters, (_, _, x) -> x.getFirst().set(ValueLayout.JAVA_LONG, 0, 1)));
  }

  private static double micros(ComputeClient client, Runnable launch) {
    client.sync();
    long start = System.nanoTime();
    for (int i = 0; i < LAUNCHES; i++) {
      launch.run();
    }
    client.sync();
    return (System.nanoTime() - start) / 1e3 / LAUNCHES;
  }

  /** A value that makes a kernel another one: captured fields are constants of its code. */
  private record Mark(long value) {}

  private static List<BenchRow> firstUses(String name, JavaKernels kernels, boolean quick) {
    Samples samples = new Samples();
    try (Buffer x = kernels.client().create(MemorySegment.ofArray(new long[1024]))) {
      for (int round = 0; round < (quick ? 4 : 9); round++) {
        Mark mark = new Mark(System.nanoTime());
        for (String which : List.of("new", "cached")) {
          long start = System.nanoTime();
          KernelBody.Of1<I64> body =
              (Item it, I64 y) -> {
                long sum = mark.value();
                for (int i = 0; i < 10; i++) {
                  sum += y.get(it.global()) * i;
                }
                y.set(it.global(), sum);
              };
          try (JavaKernel kernel = kernels.compile(body)) {
            kernel.launch(1024, x);
            kernels.client().sync();
            if (round > 0) {
              samples.add(which, (System.nanoTime() - start) / 1e6);
            }
          }
        }
      }
    }
    boolean judged = name.equals("cc");
    return List.of(
        BenchRow.of("firstUse/" + name, "ms", samples.time("new")).withLimit(judged ? 150 : 0),
        BenchRow.of("firstUse/cached/" + name, "ms", samples.time("cached"))
            .withLimit(judged ? 30 : 0));
  }
}
