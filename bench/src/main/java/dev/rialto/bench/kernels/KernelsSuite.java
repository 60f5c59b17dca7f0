package dev.rialto.bench.kernels;

import dev.rialto.bench.BenchReport;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Samples;
import dev.rialto.bench.Suite;
import dev.rialto.bench.TemporaryFolder;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Settings;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.exec.Executor;
import java.lang.foreign.MemorySegment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.DoubleSupplier;

/**
 * Compiled programs against hand-written C on the same threads, and against OpenBLAS.
 *
 * <p>Runs of Rialto and of the peer alternate on the same memory, and so does which of them goes
 * first. Programs are compiled fast, as the peers are. The first rounds, in which the JVM still
 * compiles, are not counted.
 */
public final class KernelsSuite implements Suite {
  private static final int SIZE = 1024;
  private static final int MOST_WARM_UP = 80;
  private static final int SETTLED = 8;
  private static final String CHAIN = "y[i] = tanh(exp(sin(x[i]) + cos(x[i])) * 0.1)\n";

  @Override
  public String name() {
    return "kernels";
  }

  private static List<String> targets() {
    return JitBackend.targets().values().stream()
        .filter(t -> t.probe() instanceof Probe.Available && !t.name().equals("interpreter"))
        // Its arrays are the device's, not the host's that the peers here compute on.
        .filter(t -> t.devices().isEmpty())
        .map(t -> t.name())
        .toList();
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    List<KernelCase> cases = KernelCase.all();
    List<BenchRow> rows = new ArrayList<>();
    int cores = Runtime.getRuntime().availableProcessors();
    int total = (cases.size() + 4) * targets().size();
    Optional<KernelPeer> peer = KernelPeer.compile(cases);
    Optional<OpenBlas> blas = OpenBlas.find(cores);
    boolean done;
    try {
      done =
          progress.measure(
              () -> {
                try (Executor executor = Backends.get("cpu").openExecutor(cores)) {
                  for (String target : targets()) {
                    for (KernelCase each : cases) {
                      progress.step(rows.size(), total, each.name() + " on " + target);
                      progress.check();
                      rows.add(kernel(target, each, peer, executor, quick, progress));
                    }
                    for (String type : List.of("f32", "f64")) {
                      progress.step(rows.size(), total, "matrix product on " + target);
                      progress.check();
                      rows.add(product(target, type, blas, quick, progress));
                    }
                    progress.step(rows.size(), total, "first run on " + target);
                    progress.check();
                    rows.addAll(firstRuns(target, quick));
                    progress.check();
                    rows.add(scaling(target, quick, progress));
                  }
                }
              });
    } finally {
      peer.ifPresent(KernelPeer::close);
    }
    return new BenchReport(
        name(),
        Instant.now(),
        Map.of(),
        rows,
        List.of("Arrays of 64 MiB, fast arithmetic."),
        !done);
  }

  private static double goal(String target, double jvm, double others) {
    return target.equals("jvm") ? jvm : others;
  }

  private static BenchRow kernel(
      String target,
      KernelCase each,
      Optional<KernelPeer> peer,
      Executor executor,
      boolean quick,
      Progress progress) {
    Samples samples = new Samples();
    try (LinkedKernel kernel = new LinkedKernel(target, each.name(), each.text())) {
      duel(
          samples,
          quick ? 11 : 25,
          kernel,
          peer.map(c -> () -> c.millis(each, kernel, executor)),
          progress);
    }
    String name = peer.isPresent() ? "C, -O3 -march=native" : "C: apt install gcc";
    return row(each.name() + "/" + target, samples, name, goal(target, 1.1, 1.05));
  }

  /** Times a program and its peer in turns, once neither gets faster any more. */
  private static void duel(
      Samples samples,
      int rounds,
      LinkedKernel kernel,
      Optional<DoubleSupplier> peer,
      Progress progress) {
    warmUp(kernel::millis, progress);
    peer.ifPresent(other -> warmUp(other, progress));
    for (int round = 0; round < rounds; round++) {
      progress.check();
      boolean peerFirst = round % 2 == 1;
      if (peerFirst) {
        peer.ifPresent(other -> samples.add("peer", other.getAsDouble()));
      }
      samples.add("rialto", kernel.millis());
      if (!peerFirst) {
        peer.ifPresent(other -> samples.add("peer", other.getAsDouble()));
      }
    }
  }

  /** The JVM compiles while it runs: this ends when some runs in a row bring nothing. */
  private static void warmUp(DoubleSupplier run, Progress progress) {
    double best = Double.POSITIVE_INFINITY;
    int since = 0;
    for (int i = 0; i < MOST_WARM_UP && since < SETTLED; i++) {
      progress.check();
      double millis = run.getAsDouble();
      since = millis < 0.97 * best ? 0 : since + 1;
      best = Math.min(best, millis);
    }
  }

  private static BenchRow row(String name, Samples samples, String peer, double goal) {
    return BenchRow.of(name, "ms", samples.median("rialto").orElseThrow())
        .against(peer, samples.median("peer"))
        .withGoal(goal);
  }

  private static BenchRow product(
      String target, String type, Optional<OpenBlas> blas, boolean quick, Progress progress) {
    String text =
        "input a %1$s[%2$d, %2$d]\ninput b %1$s[%2$d, %2$d]\nc[i, j] += a[i, k] * b[k, j]\n"
            .formatted(type, SIZE);
    Samples samples = new Samples();
    try (LinkedKernel kernel = new LinkedKernel(target, "product", text)) {
      MemorySegment a = kernel.buffer("a");
      MemorySegment b = kernel.buffer("b");
      MemorySegment c = kernel.buffer("c");
      duel(
          samples,
          quick ? 5 : 11,
          kernel,
          blas.map(library -> () -> library.millis(type.equals("f32"), SIZE, a, b, c)),
          progress);
    }
    String name = blas.isPresent() ? "OpenBLAS" : "OpenBLAS: apt install libopenblas0";
    return row("product/" + type + "/" + target, samples, name, goal(target, 4, 2.5));
  }

  /** From text to the first result, for a program not seen before, and again from the cache. */
  private static List<BenchRow> firstRuns(String target, boolean quick) {
    Samples samples = new Samples();
    try (TemporaryFolder folder = new TemporaryFolder()) {
      Settings settings = Settings.fromProperties().withCache(Optional.of(folder.path()));
      for (int i = 0; i < (quick ? 4 : 8); i++) {
        String text = "input x f32[1000]\ny[i] = relu(x[i]) * %d + 1\n".formatted(i);
        for (String which : List.of("new", "cached")) {
          long start = System.nanoTime();
          try (LinkedKernel kernel = new LinkedKernel(target, "first", text, settings)) {
            double run = kernel.millis();
            if (i > 0 && run >= 0) {
              samples.add(which, (System.nanoTime() - start) / 1e6);
            }
          }
        }
      }
    }
    double limit = target.equals("jvm") ? 20 : 150;
    return List.of(
        BenchRow.of("firstRun/" + target, "ms", samples.time("new")).withLimit(limit),
        BenchRow.of("firstRun/cached/" + target, "ms", samples.time("cached")).withLimit(5));
  }

  /** All cores against one, for a program that computes far more than it loads. */
  private static BenchRow scaling(String target, boolean quick, Progress progress) {
    String text = "input x f32[4194304]\n" + CHAIN;
    Samples samples = new Samples();
    try (LinkedKernel many = new LinkedKernel(target, "chain", text);
        LinkedKernel one = new LinkedKernel("sync_" + target, "chain", text)) {
      duel(samples, quick ? 5 : 11, many, Optional.of(one::millis), progress);
    }
    int cores = Runtime.getRuntime().availableProcessors();
    double goal = cores == 2 ? 1 / 1.8 : 0;
    return row("scaling/" + cores + "/" + target, samples, "the same on one core", goal);
  }
}
