package dev.rialto.bench;

import dev.rialto.fft.Engines;
import dev.rialto.fft.FourierPlan;
import dev.rialto.fft.FourierPlanBuilder;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftEngine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
   * Runs as a rank.
   *
   * @param args the backend, the file, the backend again and the edges of the cubes
   */
  public static void main(String[] args) {
    RankJobs.main(args, FftCubes::measure);
  }

  /** Measures all cubes once, in threads of this process or in processes. */
  static List<RankJobs.Line> round(
      String comm, int[] edges, Path folder, boolean fresh, Suite.Progress progress) {
    List<String> arguments = new ArrayList<>(List.of(comm));
    for (int edge : edges) {
      arguments.add("" + edge);
    }
    return RankJobs.round(
        comm, RANKS, FftCubes.class, FftCubes::measure, arguments, fresh, folder, progress);
  }

  private static List<RankJobs.Line> measure(
      Communicator ranks, List<String> arguments, boolean fresh, Suite.Progress progress) {
    String comm = arguments.getFirst();
    List<RankJobs.Line> lines = new ArrayList<>();
    for (FftEngine engine : Engines.all()) {
      if (!FftSuite.isMeasured(engine)) {
        continue;
      }
      for (String argument : arguments.subList(1, arguments.size())) {
        int edge = Integer.parseInt(argument);
        for (boolean real : new boolean[] {false, true}) {
          progress.check();
          double micros = cube(ranks, engine, edge, real, fresh);
          lines.add(new RankJobs.Line(name(engine.name(), edge, real, comm), micros, 0));
        }
      }
    }
    return lines;
  }

  private static double cube(
      Communicator ranks, FftEngine engine, int edge, boolean real, boolean fresh) {
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
      for (long i = fresh ? Math.clamp(WARM_NANOS / once, 2, 500) : 0; i > 0; i--) {
        there.run();
      }
      return FftSuite.median(REPEAT, there);
    }
  }
}
