package dev.rialto.bench;

import dev.rialto.fft.Engines;
import dev.rialto.fft.FourierPlan;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
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
import java.util.stream.IntStream;

/**
 * The transform engines against FFTW with as many threads, and distributed cubes on two local ranks
 * against FFTW-MPI on two processes. Rounds of peers and of Rialto alternate.
 */
final class FftSuite implements Suite {
  private static final int THREADS = 2;
  private static final int POINTS = 1 << 18;
  private static final int[] LENGTHS = {
    64, 96, 100, 128, 243, 256, 343, 360, 512, 625, 1000, 1024, 1331, 2048, 2187, 4096, 4099
  };

  @Override
  public String name() {
    return "fft";
  }

  @Override
  public String description() {
    return "transforms of lines and of distributed cubes";
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    int[] edges = quick ? new int[] {64} : new int[] {128, 256};
    int rounds = quick ? 3 : 6;
    Samples rialto = new Samples();
    Samples peer = new Samples();
    List<String> notes = new ArrayList<>();
    try (TemporaryFolder folder = new TemporaryFolder();
        Executor executor = Backends.get("cpu").openExecutor(THREADS);
        World world = World.local(THREADS)) {
      Optional<Peer> threads =
          compile(notes, folder.path(), "fft_peer.c", "gcc", "-lfftw3_threads", "-lfftw3")
              .map(p -> Peer.program("FFTW, " + THREADS + " threads", p, arguments(folder.path())));
      Optional<Peer> mpi =
          compile(notes, folder.path(), "fft_mpi_peer.c", "mpicc", "-lfftw3_mpi", "-lfftw3")
              .map(p -> Peer.mpi(p, cubeArguments(folder.path(), edges)));
      List<FftEngine> engines =
          Engines.all().stream().filter(e -> e.supports(lines(Kind.FORWARD, 64))).toList();
      for (int round = 0; round <= rounds; round++) {
        progress.step(round, rounds + 1, "round " + round + " of " + rounds);
        Map<String, Double> ours = new LinkedHashMap<>();
        for (FftEngine engine : engines) {
          for (int length : LENGTHS) {
            ours.put(name(engine, length), time(engine, executor, lines(Kind.FORWARD, length)));
          }
          for (int edge : edges) {
            ours.put(cube(engine, edge), cube(world, engine, edge));
          }
          ours.put(
              engine.name() + "/lines/1024/real",
              time(engine, executor, lines(Kind.REAL_TO_COMPLEX, 1024)));
        }
        if (round > 0) {
          rialto.addAll(ours);
          threads.ifPresent(p -> peer.addAll(p.times()));
          mpi.ifPresent(p -> peer.addAll(p.times()));
        }
      }
      List<BenchRow> rows = new ArrayList<>();
      for (FftEngine engine : engines) {
        boolean embedded = engine.name().equals(Engines.EMBEDDED);
        for (int length : LENGTHS) {
          rows.add(
              row(
                  name(engine, length),
                  rialto,
                  peer.median("lines/" + length),
                  threads.map(Peer::name).orElse("FFTW"),
                  embedded && Integer.bitCount(length) == 1 ? 1.3 : 0));
        }
        rows.add(
            row(
                engine.name() + "/lines/1024/real",
                rialto,
                rialto.median(name(engine, 1024)),
                "Rialto, complex",
                0.6));
        for (int edge : edges) {
          rows.add(
              row(
                  cube(engine, edge),
                  rialto,
                  peer.median("cube/" + edge),
                  mpi.map(p -> "FFTW-MPI on " + p.name()).orElse("FFTW-MPI"),
                  embedded ? 1.1 : 0.9));
        }
      }
      Map<String, String> libraries = new LinkedHashMap<>();
      mpi.ifPresent(p -> libraries.put("mpi", p.name()));
      return new BenchReport(name(), Instant.now(), libraries, rows, notes);
    }
  }

  private static Optional<Path> compile(
      List<String> notes, Path folder, String source, String compiler, String... libraries) {
    List<String> command = new ArrayList<>(List.of(compiler, "-O3", "-Wl,--no-as-needed"));
    command.addAll(List.of(libraries));
    try {
      return Peer.compile(source, folder, command.toArray(String[]::new));
    } catch (IllegalStateException e) {
      notes.add(
          source + " could not be built: apt install libfftw3-dev libfftw3-mpi-dev gcc to compare");
      return Optional.empty();
    }
  }

  private static String[] arguments(Path folder) {
    List<String> arguments = new ArrayList<>(List.of("" + THREADS, folder.resolve("w").toString()));
    IntStream.of(LENGTHS).forEach(n -> arguments.add("" + n));
    return arguments.toArray(String[]::new);
  }

  private static String[] cubeArguments(Path folder, int[] edges) {
    List<String> arguments = new ArrayList<>(List.of(folder.resolve("m").toString()));
    IntStream.of(edges).forEach(n -> arguments.add("" + n));
    return arguments.toArray(String[]::new);
  }

  private static String name(FftEngine engine, int length) {
    return engine.name() + "/lines/" + length;
  }

  private static String cube(FftEngine engine, int edge) {
    return engine.name() + "/cube/" + edge + "/local";
  }

  private static FftSpec lines(Kind kind, int length) {
    return FftSpec.of(kind, DType.F64, length, POINTS / length);
  }

  private static BenchRow row(
      String name, Samples rialto, OptionalDouble peer, String peerName, double goal) {
    return new BenchRow(
        name,
        "us",
        rialto.median(name).orElseThrow(),
        peer,
        peerName,
        goal > 0 ? OptionalDouble.of(goal) : OptionalDouble.empty(),
        OptionalDouble.empty(),
        OptionalDouble.empty(),
        OptionalDouble.empty());
  }

  private static double time(FftEngine engine, Executor executor, FftSpec spec) {
    try (FftPlan plan = engine.plan(spec, executor);
        Arena arena = Arena.ofShared()) {
      MemorySegment in = filled(arena, spec.inBytes());
      MemorySegment out = filled(arena, spec.outBytes());
      MemorySegment work = filled(arena, plan.workspaceBytes());
      return median(15, () -> plan.execute(in, out, work));
    }
  }

  private static double cube(World world, FftEngine engine, int edge) {
    return world.call(comm -> cube(comm, engine, edge)).getFirst();
  }

  private static double cube(Communicator comm, FftEngine engine, int edge) {
    try (FourierPlan plan =
            FourierPlan.complex(DType.F64, edge, edge, edge)
                .on(comm)
                .transposedOutput()
                .engine(engine)
                .build();
        Arena arena = Arena.ofShared()) {
      MemorySegment field = filled(arena, plan.inputBytes());
      MemorySegment modes = filled(arena, plan.outputBytes());
      return median(
          5,
          () -> {
            plan.forward(field, modes);
            plan.inverse(modes, field);
            comm.barrier();
          });
    }
  }

  /** Returns the median time of an operation in microseconds, of so many and some to warm up. */
  private static double median(int repetitions, Runnable operation) {
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

  private static MemorySegment filled(Arena arena, long bytes) {
    MemorySegment memory = arena.allocate(Math.max(bytes, 64), 4096);
    for (long i = 0; i < bytes / 8; i++) {
      memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, (double) (i % 7));
    }
    return memory;
  }
}
