package dev.rialto.bench;

import dev.rialto.fft.Engines;
import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.FourierPlanBuilder;
import dev.rialto.spi.Backends;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.system.JavaCommand;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Distributed cubes, forward and inverse, in place as the peer's are and left transposed in
 * between: measured on two ranks.
 */
final class FftCubes {
  static final int RANKS = 2;
  private static final int REPEAT = 5;

  /** Long enough for the compiler to have seen to every loop. */
  private static final long WARM_NANOS = 1_000_000_000L;

  private FftCubes() {}

  static String name(String engine, int edge, boolean real, String comm) {
    return engine + "/cube/" + edge + (real ? "/real/" : "/") + comm;
  }

  /**
   * Measures all cubes once, in threads of this process or in processes; microseconds by name.
   *
   * @param first whether this process has yet to warm up; other processes always have
   * @param progress tells when to stop
   */
  static Map<String, Double> round(
      String comm, int[] edges, Path folder, boolean first, Suite.Progress progress) {
    Map<String, Double> times = new LinkedHashMap<>();
    Optional<RankLauncher> launcher = Backends.get(comm).launcher();
    if (launcher.isPresent()) {
      Path file = folder.resolve("cubes");
      List<String> arguments = new ArrayList<>(List.of(comm, file.toString()));
      for (int edge : edges) {
        arguments.add("" + edge);
      }
      new RankJobs(launcher.get(), file, progress)
          .run(RANKS, JavaCommand.like(FftRanks.class, arguments))
          .forEach(line -> times.put(line.name(), line.micros()));
      return times;
    }
    try (World world = Backends.get(comm).openWorld(RANKS)) {
      return world.call(ranks -> all(ranks, comm, edges, first, progress)).getFirst();
    }
  }

  /** Measures all cubes on the calling rank. */
  static Map<String, Double> all(
      Communicator ranks, String comm, int[] edges, boolean first, Suite.Progress progress) {
    Map<String, Double> times = new LinkedHashMap<>();
    for (FftEngine engine : Engines.all()) {
      if (!FftSuite.isMeasured(engine)) {
        continue;
      }
      for (int edge : edges) {
        for (boolean real : new boolean[] {false, true}) {
          progress.check();
          times.put(name(engine.name(), edge, real, comm), cube(ranks, engine, edge, real, first));
        }
      }
    }
    return times;
  }

  private static double cube(
      Communicator ranks, FftEngine engine, int edge, boolean real, boolean first) {
    FourierPlanBuilder builder =
        real
            ? FourierPlan.real(DType.F64, edge, edge, edge)
            : FourierPlan.complex(DType.F64, edge, edge, edge);
    try (FourierPlan plan = builder.on(ranks).transposedOutput().engine(engine).build();
        Arena arena = Arena.ofShared()) {
      MemorySegment field = FftSuite.filled(arena, Math.max(plan.inputBytes(), plan.outputBytes()));
      Runnable there =
          () -> {
            plan.forward(field, field);
            plan.inverse(field, field);
            ranks.barrier();
          };
      // As many on all ranks: one that measured for itself would leave the others waiting.
      long once = Math.max(1, 10L * edge * edge * edge);
      for (long i = first ? Math.clamp(WARM_NANOS / once, 2, 500) : 0; i > 0; i--) {
        there.run();
      }
      return FftSuite.median(REPEAT, there);
    }
  }
}
