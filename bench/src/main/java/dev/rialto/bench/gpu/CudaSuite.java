package dev.rialto.bench.gpu;

import dev.rialto.bench.BenchReport;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Peer;
import dev.rialto.bench.Samples;
import dev.rialto.bench.Suite;
import dev.rialto.bench.TemporaryFolder;
import dev.rialto.bench.Toolkit;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.device.Device;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A GPU: what moves memory is compared with the GPU's own copy of as many bytes, measured beside
 * it; launches, uploads, transforms and products with the same in C through NVIDIA's libraries.
 */
public final class CudaSuite implements Suite {
  private static final String GPU = "cuda:0";
  private static final String COPY = "the GPU's own copy";
  private static final double COPY_GOAL = 1 / 0.93;
  private static final double TRANSPOSE_GOAL = 1 / 0.85;

  @Override
  public String name() {
    return "cuda";
  }

  /** Returns why there is nothing to measure here, if there is not. */
  @Override
  public Optional<String> missing() {
    return switch (probe()) {
      case Probe.Available _ -> Optional.empty();
      case Probe.Unavailable(String reason, String remedy) ->
          Optional.of(remedy.isEmpty() ? reason : reason + "; " + remedy);
    };
  }

  private static Probe probe() {
    return Backends.all().stream()
        .filter(backend -> backend.name().equals("cuda"))
        .findFirst()
        .map(BackendProvider::probe)
        .orElse(new Probe.Unavailable("there is no backend cuda", "add rialto-cuda"));
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    Samples rialto = new Samples();
    Samples peers = new Samples();
    List<String> notes = new ArrayList<>();
    List<String> unmeasured = new ArrayList<>();
    Device device =
        Backends.get("cuda").devices().stream()
            .filter(d -> d.name().equals(GPU))
            .findFirst()
            .orElseThrow();
    int rounds = quick ? 2 : 5;
    try (TemporaryFolder folder = new TemporaryFolder()) {
      Optional<Peer> peer = peer(folder.path(), quick, notes);
      GpuSolvers solvers = new GpuSolvers(device, quick);
      boolean done =
          progress.measure(
              () -> {
                try (GpuCases cases = new GpuCases(device, quick)) {
                  for (int round = 0; round < rounds; round++) {
                    int now = round;
                    Consumer<String> step =
                        what -> {
                          progress.step(now, rounds, what);
                          progress.check();
                        };
                    cases.round(rialto, peers, step, round == 0, unmeasured);
                    step.accept("transforms and solves");
                    solvers.round(rialto, peers);
                    step.accept("C");
                    peer.ifPresent(p -> peers.addAll(p.times(progress)));
                  }
                }
                progress.step(rounds, rounds, "done");
              });
      notes.add(device.properties().description());
      notes.add(
          "Times of kernels and copies are of one of ten in a row; a transpose, a triad or a chain"
              + " is compared with the GPU's copy of as many bytes read and written.");
      unmeasured.forEach(notes::add);
      List<BenchRow> rows = rows(rialto, peers, peer, quick);
      rows.addAll(solvers.rows(rialto, peers, "cuFFT, in C"));
      return new BenchReport(name(), Instant.now(), libraries(), rows, notes, !done);
    }
  }

  private static Map<String, String> libraries() {
    Map<String, String> libraries = new HashMap<>();
    if (probe() instanceof Probe.Available(List<String> _, var found)) {
      found.forEach(library -> libraries.put(library.name(), library.version()));
    }
    return libraries;
  }

  private static List<BenchRow> rows(
      Samples rialto, Samples peers, Optional<Peer> peer, boolean quick) {
    String c = peer.map(Peer::name).orElse("C with CUDA's headers: install the CUDA toolkit");
    List<BenchRow> rows = new ArrayList<>();
    rows.add(row("copy", rialto, peers, COPY));
    for (String name : GpuCases.STREAMS) {
      rows.add(row(name, rialto, peers, COPY).withGoal(COPY_GOAL));
    }
    rows.add(row(GpuCases.ELEMENTARY, rialto, peers, COPY));
    rows.add(row(GpuCases.SUM, rialto, peers, COPY));
    for (String name : GpuCases.transposes(quick)) {
      rows.add(row(name, rialto, peers, COPY).withGoal(TRANSPOSE_GOAL));
    }
    rows.add(
        BenchRow.of("launch", "us", rialto.time("launch"))
            .against(c, peers.median("launch"))
            .withGoal(1.15));
    double gigabytes = (1L << (quick ? 28 : 30)) / 1e9;
    rows.add(row("upload/pinned", rialto, peers, c).withLimit(gigabytes / 50 * 1e3));
    rows.add(row("upload/pageable", rialto, peers, c).withLimit(gigabytes / 20 * 1e3));
    rows.add(row("product/4096", rialto, peers, "cuBLAS").withGoal(1.1));
    rows.add(row("product/4096/strict", rialto, peers, ""));
    rows.add(row("product/4096/f16", rialto, peers, "cuBLAS").withGoal(1.4));
    return rows;
  }

  private static BenchRow row(String name, Samples rialto, Samples peers, String peerName) {
    return BenchRow.of(name, "ms", rialto.time(name)).against(peerName, peers.median(name));
  }

  /** Compiles the peer where the toolkit's headers are. */
  private static Optional<Peer> peer(Path folder, boolean quick, List<String> notes) {
    Optional<Path> toolkit = Toolkit.home();
    if (toolkit.isEmpty()) {
      notes.add("The peers in C need cuda.h: install the CUDA toolkit, or set RIALTO_CUDA_HOME.");
      return Optional.empty();
    }
    String libraries = toolkit.get().resolve("lib64").toString();
    Optional<Path> program =
        Peer.compile(
            "cuda_peer.c",
            folder,
            "gcc",
            "-O2",
            "-I" + toolkit.get().resolve("include"),
            "-L" + libraries,
            "-L" + libraries + "/stubs",
            "-Wl,--no-as-needed,-rpath," + libraries,
            "-lcuda",
            "-lnvrtc",
            "-lcublas",
            "-lcufft");
    if (program.isEmpty()) {
      notes.add("The peers in C need gcc (apt install gcc).");
    }
    String mode = quick ? "quick" : "full";
    return program.map(path -> Peer.program("C, CUDA driver", path, mode));
  }

  /** Whether array programs can be compiled for the GPU here. */
  public static boolean compiles() {
    return JitBackend.targets().containsKey("cuda");
  }
}
