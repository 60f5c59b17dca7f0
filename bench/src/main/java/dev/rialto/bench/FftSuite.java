package dev.rialto.bench;

import dev.rialto.fft.Engines;
import dev.rialto.spi.Backends;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The transform engines against FFTW and JTransforms with as many threads, and distributed cubes on
 * two ranks against FFTW-MPI on two processes. Rounds of peers and of Rialto alternate; the first
 * of Rialto's warms up and is dropped. Where ranks are processes only cubes are measured.
 */
final class FftSuite implements Suite {
  private static final int THREADS = 2;
  private static final int POINTS = 1 << 18;
  private static final int REPEAT = 15;
  private static final long WARM_NANOS = 300_000_000L;
  private static final int[] POWERS = {64, 128, 256, 512, 1024, 2048, 4096};
  private static final int[] OTHERS = {96, 100, 243, 343, 360, 625, 1000, 1331, 2187, 4099};

  private final String comm;

  /** Makes the suite for the ranks of one backend. */
  FftSuite(String comm) {
    this.comm = comm;
  }

  @Override
  public String name() {
    return "fft";
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    int[] edges = quick ? new int[] {64, 128} : new int[] {128, 256};
    int[] lengths =
        !comm.equals(LOCAL)
            ? new int[0]
            : quick
                ? POWERS
                : IntStream.concat(Arrays.stream(POWERS), Arrays.stream(OTHERS)).toArray();
    int rounds = quick ? 3 : 6;
    Samples rialto = new Samples();
    Samples peers = new Samples();
    List<String> notes = new ArrayList<>();
    List<FftEngine> engines = Engines.all().stream().filter(FftSuite::isMeasured).toList();
    try (TemporaryFolder folder = new TemporaryFolder();
        Executor executor = Backends.get("cpu").openExecutor(THREADS)) {
      Optional<Peer> threads =
          lengths.length == 0
              ? Optional.empty()
              : compile(notes, folder.path(), "fft_peer.c", "gcc", "-lfftw3_threads", "-lfftw3")
                  .map(
                      p ->
                          Peer.program(
                              "FFTW, " + THREADS + " threads",
                              p,
                              words(folder, lengths, "" + THREADS)));
      Optional<Peer> mpi =
          compile(notes, folder.path(), "fft_mpi_peer.c", "mpicc", "-lfftw3_mpi", "-lfftw3")
              .map(p -> Peer.mpi(p, words(folder, edges)));
      boolean done =
          progress.rounds(
              rounds + 1,
              round -> {
                boolean fresh = round == 0;
                Map<String, Double> ours = lines(engines, lengths, executor, fresh, progress);
                FftCubes.round(comm, edges, folder.path(), fresh, progress)
                    .forEach(line -> ours.put(line.name(), line.micros()));
                if (!fresh) {
                  rialto.addAll(ours);
                  for (int length : lengths) {
                    progress.check();
                    peers.add(
                        "jtransforms/" + length,
                        JTransformsLines.micros(length, POINTS / length, REPEAT, executor));
                  }
                  threads.ifPresent(p -> peers.addAll(p.times(progress)));
                  mpi.ifPresent(p -> peers.addAll(p.times(progress)));
                }
              });
      List<BenchRow> rows = new ArrayList<>();
      for (FftEngine engine : engines) {
        String fftw = threads.map(Peer::name).orElse("FFTW");
        for (int length : lengths) {
          rows.addAll(lineRows(engine, length, rialto, peers, fftw));
        }
        for (int edge : edges) {
          rows.addAll(cubeRows(engine, edge, rialto, peers, mpi));
        }
      }
      Map<String, String> libraries = new LinkedHashMap<>();
      mpi.ifPresent(p -> libraries.put("mpi", p.name()));
      notes.add("lines: batches of 2^18 points, complex double, on " + THREADS + " threads.");
      notes.add(
          "cubes: forward and inverse on "
              + FftCubes.RANKS
              + " ranks, in place, transposed between.");
      return new BenchReport(name(), Instant.now(), libraries, rows, notes, !done);
    }
  }

  /** Returns whether there is a goal for an engine; an example's sums would take hours. */
  static boolean isMeasured(FftEngine engine) {
    return Set.of(Engines.EMBEDDED, "fftw").contains(engine.name());
  }

  private static Map<String, Double> lines(
      List<FftEngine> engines, int[] lengths, Executor executor, boolean first, Progress progress) {
    Map<String, Double> times = new LinkedHashMap<>();
    for (FftEngine engine : engines) {
      for (int length : lengths) {
        for (Kind kind : new Kind[] {Kind.FORWARD, Kind.REAL_TO_COMPLEX}) {
          progress.check();
          times.put(name(engine, length, kind), time(engine, executor, lines(kind, length), first));
        }
      }
    }
    return times;
  }

  private static List<BenchRow> lineRows(
      FftEngine engine, int length, Samples rialto, Samples peers, String fftw) {
    boolean embedded = engine.name().equals(Engines.EMBEDDED);
    boolean power = Integer.bitCount(length) == 1;
    String complex = name(engine, length, Kind.FORWARD);
    String real = name(engine, length, Kind.REAL_TO_COMPLEX);
    List<BenchRow> rows = new ArrayList<>();
    rows.add(
        row(
            complex,
            complex,
            rialto,
            peers.median("lines/" + length),
            fftw,
            embedded && power ? 1.3 : 0));
    if (embedded) {
      rows.add(
          row(
              complex + "/jtransforms",
              complex,
              rialto,
              peers.median("jtransforms/" + length),
              "JTransforms 3.1, " + THREADS + " threads",
              power ? 0.5 : 0));
    }
    rows.add(row(real, real, rialto, rialto.median(complex), "Rialto, complex", power ? 0.6 : 0));
    return rows;
  }

  private List<BenchRow> cubeRows(
      FftEngine engine, int edge, Samples rialto, Samples peers, Optional<Peer> mpi) {
    boolean embedded = engine.name().equals(Engines.EMBEDDED);
    String complex = FftCubes.name(engine.name(), edge, false, comm);
    String real = FftCubes.name(engine.name(), edge, true, comm);
    String peer = mpi.map(p -> "FFTW-MPI on " + p.name()).orElse("FFTW-MPI");
    return List.of(
        row(complex, complex, rialto, peers.median("cube/" + edge), peer, embedded ? 1.1 : 0.9),
        row(real, real, rialto, rialto.median(complex), "Rialto, complex", 0.6));
  }

  private static Optional<Path> compile(
      List<String> notes, Path folder, String source, String compiler, String... libraries) {
    List<String> command = new ArrayList<>(List.of(compiler, "-O3", "-Wl,--no-as-needed"));
    command.addAll(List.of(libraries));
    try {
      Optional<Path> program = Peer.compile(source, folder, command.toArray(String[]::new));
      if (program.isPresent()) {
        return program;
      }
    } catch (IllegalStateException e) {
      notes.add(e.getMessage());
    }
    notes.add(source + " is missing: apt install libfftw3-dev libfftw3-mpi-dev gcc to compare");
    return Optional.empty();
  }

  /** Returns a peer's arguments: some, a file for wisdom, and numbers. */
  private static String[] words(TemporaryFolder folder, int[] numbers, String... first) {
    List<String> words = new ArrayList<>(List.of(first));
    words.add(folder.path().resolve("wisdom" + first.length).toString());
    IntStream.of(numbers).forEach(n -> words.add("" + n));
    return words.toArray(String[]::new);
  }

  private static String name(FftEngine engine, int length, Kind kind) {
    return engine.name() + "/lines/" + length + (kind == Kind.FORWARD ? "" : "/real");
  }

  private static FftSpec lines(Kind kind, int length) {
    return FftSpec.of(kind, DType.F64, length, POINTS / length);
  }

  private static BenchRow row(
      String name,
      String measured,
      Samples rialto,
      OptionalDouble peer,
      String peerName,
      double goal) {
    return BenchRow.of(name, "us", rialto.time(measured)).against(peerName, peer).withGoal(goal);
  }

  private static double time(FftEngine engine, Executor executor, FftSpec spec, boolean first) {
    try (FftPlan plan = engine.plan(spec, executor);
        Arena arena = Arena.ofShared()) {
      MemorySegment in = filled(arena, spec.inBytes());
      MemorySegment out = filled(arena, spec.outBytes());
      MemorySegment work = filled(arena, plan.workspaceBytes());
      long end = System.nanoTime() + (first ? WARM_NANOS : 0);
      while (System.nanoTime() < end) {
        plan.execute(in, out, work);
      }
      return median(REPEAT, () -> plan.execute(in, out, work));
    }
  }

  /** Returns the median time of an operation in microseconds, of so many and some to warm up. */
  static double median(int repetitions, Runnable operation) {
    double[] times = new double[repetitions];
    for (int i = -2; i < repetitions; i++) {
      long start = System.nanoTime();
      operation.run();
      if (i >= 0) {
        times[i] = (System.nanoTime() - start) / 1e3;
      }
    }
    Arrays.sort(times);
    return times[repetitions / 2];
  }

  static MemorySegment filled(Arena arena, long bytes) {
    MemorySegment memory = arena.allocate(Math.max(bytes, 64), 4096);
    for (long i = 0; i < bytes / 8; i++) {
      memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, (double) (i % 7));
    }
    return memory;
  }
}
