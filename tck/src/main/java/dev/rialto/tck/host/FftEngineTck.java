package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.reference.Place;
import dev.rialto.tck.reference.Together;
import dev.rialto.tck.run.NotRun;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Requirements on an {@link FftEngine} and its {@link FftPlan}s: compute the sums they are defined
 * by, on lines that lie anywhere, in place or not, and touch nothing else.
 */
@Requires(Capability.FFT)
public final class FftEngineTck extends Tck {
  private static final int[] LENGTHS = {
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 25, 27, 32, 49, 60, 64, 97, 100, 101, 128
  };

  private interface PlanCheck {
    void check(FftPlan plan) throws Exception;
  }

  private void eachPlan(List<FftSpec> specs, PlanCheck check) throws Exception {
    FftEngine engine = backend().fftEngine();
    int supported = 0;
    for (FftSpec spec : specs) {
      if (engine.supports(spec)) {
        supported++;
        try (FftPlan plan = engine.plan(spec)) {
          assertEquals(spec, plan.spec());
          check.check(plan);
        } catch (AssertionError e) {
          throw new AssertionError(spec + ": " + e.getMessage(), e);
        }
      }
    }
    if (supported == 0) {
      throw new NotRun("nothing of it is supported, such as " + specs.getFirst());
    }
  }

  /** Returns dense lines of all kinds in both precisions. */
  private static List<FftSpec> specs(int lines, int... lengths) {
    List<FftSpec> specs = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      specs.addAll(specs(kind, lines, lengths));
    }
    return specs;
  }

  private static List<FftSpec> specs(Kind kind, int lines, int... lengths) {
    List<FftSpec> specs = new ArrayList<>();
    for (DType precision : new DType[] {DType.F64, DType.F32}) {
      for (int length : lengths) {
        if (length > 1 || kind != Kind.DCT1) {
          specs.add(FftSpec.of(kind, precision, length, lines));
        }
      }
    }
    return specs;
  }

  private interface LinesCheck {
    void check(FftPlan plan, FftLines lines) throws Exception;
  }

  /** Checks each plan on random lines in each place that it may find them. */
  private void eachPlanOnLines(List<FftSpec> specs, LinesCheck check) throws Exception {
    Random random = random();
    eachPlan(specs, plan -> eachPlace(plan, random, check));
  }

  private void eachPlace(FftPlan plan, Random random, LinesCheck check) throws Exception {
    for (Place place : Place.of(backend())) {
      try (FftLines lines = new FftLines(place, plan.spec(), random)) {
        check.check(plan, lines);
      }
    }
  }

  private static void transforms(FftPlan plan, FftLines lines) {
    lines.execute(plan);
    lines.assertTransformed();
  }

  private static void repeats(FftPlan plan, FftLines lines) {
    lines.execute(plan);
    byte[] first = lines.output();
    lines.execute(plan);
    assertArrayEquals(first, lines.output(), () -> plan.spec().toString());
  }

  @Requirement(id = "FFT-001", with = "FORWARD", text = "FORWARD: X[k] = Σ x[j] w^(jk).")
  @Requirement(id = "FFT-002", with = "INVERSE", text = "INVERSE: X[k] = Σ x[j] w^(-jk).")
  @Requirement(
      id = "FFT-003",
      with = "REAL_TO_COMPLEX",
      text = "REAL_TO_COMPLEX is FORWARD of n real points; the first n/2+1 of X.")
  @Requirement(
      id = "FFT-004",
      with = "COMPLEX_TO_REAL",
      text = "COMPLEX_TO_REAL is INVERSE of n points of which the first n/2+1 are given.")
  @Requirement(
      id = "FFT-005",
      with = "DCT1",
      text = "DCT1: X[k] = x[0] + (-1)^k x[n-1] + 2 Σ x[j] cos(πjk/(n-1)), j from 1 to n-2.")
  @Requirement(id = "FFT-006", with = "DCT2", text = "DCT2: X[k] = 2 Σ x[j] cos(π(j+½)k/n).")
  @Requirement(
      id = "FFT-007",
      with = "DCT3",
      text = "DCT3: X[k] = x[0] + 2 Σ x[j] cos(πj(k+½)/n), j from 1.")
  @Requirement(id = "FFT-008", with = "DCT4", text = "DCT4: X[k] = 2 Σ x[j] cos(π(j+½)(k+½)/n).")
  @Requirement(
      id = "FFT-009",
      with = "DST1",
      text = "DST1: X[k] = 2 Σ x[j] sin(π(j+1)(k+1)/(n+1)).")
  @Requirement(id = "FFT-010", with = "DST2", text = "DST2: X[k] = 2 Σ x[j] sin(π(j+½)(k+1)/n).")
  @Requirement(
      id = "FFT-011",
      with = "DST3",
      text = "DST3: X[k] = (-1)^k x[n-1] + 2 Σ x[j] sin(π(j+1)(k+½)/n), j to n-2.")
  @Requirement(id = "FFT-012", with = "DST4", text = "DST4: X[k] = 2 Σ x[j] sin(π(j+½)(k+½)/n).")
  @Requirement(
      id = "FFT-013",
      with = "HARTLEY",
      text = "HARTLEY: X[k] = Σ x[j] (cos(2πjk/n) + sin(2πjk/n)).")
  void matchesDefinition(Kind kind) throws Exception {
    eachPlanOnLines(specs(kind, 2, LENGTHS), FftEngineTck::transforms);
  }

  @Requirement(
      id = "FFT-014",
      text = "Lines lie where strides and distances say, and nothing between them is touched.")
  void stridesAndDistances() throws Exception {
    List<FftSpec> specs = new ArrayList<>();
    for (FftSpec dense : specs(3, 6, 8)) {
      // Padded lines, and lines that are interleaved as the columns of a matrix are.
      specs.add(new FftSpec(dense.kind(), dense.precision(), dense.length(), 3, 2, 29, 3, 31));
      specs.add(new FftSpec(dense.kind(), dense.precision(), dense.length(), 3, 3, 1, 5, 1));
    }
    eachPlanOnLines(specs, FftEngineTck::transforms);
  }

  @Requirement(
      id = "FFT-015",
      text =
          "Input and output may be the very same memory if strides, distances and element sizes"
              + " agree.")
  void inPlace() throws Exception {
    List<FftSpec> specs =
        specs(3, 5, 8, 12, 13).stream()
            .filter(s -> s.kind().complexInput() == s.kind().complexOutput())
            .toList();
    eachPlanOnLines(
        specs,
        (plan, lines) -> {
          lines.executeInPlace(plan);
          lines.assertTransformedInPlace();
        });
  }

  @Requirement(id = "FFT-016", text = "The input is left unchanged unless it is the output.")
  void inputIsLeft() throws Exception {
    eachPlanOnLines(
        specs(3, 7, 8, 30),
        (plan, lines) -> {
          lines.execute(plan);
          lines.assertInputUnchanged();
        });
  }

  @Requirement(id = "FFT-017", text = "A plan for no lines does nothing.")
  void noLines() throws Exception {
    eachPlanOnLines(
        specs(0, 8),
        (plan, lines) -> {
          transforms(plan, lines);
          lines.assertInputUnchanged();
        });
  }

  @Requirement(
      id = "FFT-018",
      text = "A workspace of the bytes the plan asks for suffices, whatever its content.")
  void workspaceSuffices() throws Exception {
    eachPlanOnLines(
        specs(2, 7, 16, 60),
        (plan, lines) -> {
          assertTrue(plan.workspaceBytes() >= 0);
          lines.executeTwice(plan);
          lines.assertTransformed();
        });
  }

  @Requirement(
      id = "FFT-019",
      text = "A segment that is too small throws IndexOutOfBoundsException.")
  void smallSegmentsAreRefused() throws Exception {
    Random random = random();
    eachPlan(
        specs(2, 8, 30),
        plan -> {
          Place place = Place.of(backend()).getFirst();
          try (FftLines lines = new FftLines(place, plan.spec(), random);
              Place.Block workspace = place.empty(plan.workspaceBytes())) {
            MemorySegment in = lines.in();
            if (in.byteSize() == 0) {
              throw new NotRun("the host cannot access " + place);
            }
            MemorySegment out = lines.out();
            MemorySegment work = workspace.segment();
            assertThrows(
                IndexOutOfBoundsException.class,
                () -> plan.execute(in.asSlice(0, lines.inBytes() - 1), out, work));
            assertThrows(
                IndexOutOfBoundsException.class,
                () -> plan.execute(in, out.asSlice(0, lines.outBytes() - 1), work));
            if (work.byteSize() > 0) {
              assertThrows(
                  IndexOutOfBoundsException.class,
                  () -> plan.execute(in, out, work.asSlice(0, work.byteSize() - 1)));
            }
          }
        });
  }

  @Requirement(id = "FFT-020", text = "Several threads may execute one plan at the same time.")
  void severalThreadsExecute() throws Exception {
    eachPlan(
        specs(2, 12, 17),
        plan ->
            Together.run(
                4,
                thread -> {
                  Random random = new Random(random().nextLong() + thread);
                  for (int i = 0; i < 5; i++) {
                    eachPlace(plan, random, FftEngineTck::transforms);
                  }
                }));
  }

  @Requirement(id = "FFT-021", text = "The same input gives the same bits each time.")
  void executionsAreRepeatable() throws Exception {
    eachPlanOnLines(specs(2, 12, 13, 16), FftEngineTck::repeats);
  }

  @Requirement(
      id = "FFT-022",
      text =
          "A plan tells what it does; closed it throws IllegalStateException, and closing again"
              + " does nothing.")
  void closedPlansRefuse() throws Exception {
    Random random = random();
    eachPlan(
        specs(1, 8),
        plan -> {
          try (FftLines lines = new FftLines(Place.of(backend()).getFirst(), plan.spec(), random)) {
            plan.close();
            plan.close();
            assertThrows(IllegalStateException.class, () -> lines.execute(plan));
          }
        });
  }

  @Requirement(
      id = "FFT-023",
      text = "A plan for what is not supported throws UnsupportedOperationException.")
  void unsupportedPlansAreRefused() {
    FftEngine engine = backend().fftEngine();
    assertFalse(engine.name().isBlank(), "the engine's name is empty");
    List<FftSpec> unsupported = new ArrayList<>(specs(1, LENGTHS));
    for (Kind kind : Kind.values()) {
      unsupported.add(FftSpec.of(kind, DType.F64, (1L << 40) + 15, 1));
    }
    unsupported.removeIf(engine::supports);
    if (unsupported.isEmpty()) {
      throw new NotRun("everything is supported");
    }
    for (FftSpec spec : unsupported) {
      assertThrows(
          UnsupportedOperationException.class, () -> engine.plan(spec).close(), spec::toString);
    }
  }

  @Requirement(
      id = "FFT-024",
      text = "Planes of lines lie where the plane distances say, whichever distance is larger.")
  void planes() throws Exception {
    List<FftSpec> specs = new ArrayList<>();
    for (FftSpec dense : specs(5, 4, 9)) {
      Kind kind = dense.kind();
      DType precision = dense.precision();
      // The middle axis of a box, padded, and lines whose planes are interleaved.
      specs.add(new FftSpec(kind, precision, dense.length(), 5, 6, 1, 5, 1).withPlanes(3, 61, 64));
      specs.add(
          new FftSpec(kind, precision, dense.length(), 5, 11, 120, 13, 119).withPlanes(9, 1, 1));
    }
    eachPlanOnLines(specs, FftEngineTck::transforms);
  }

  @Requirement(id = "FFT-025", text = "Every result is multiplied by the scale.")
  void scale() throws Exception {
    List<FftSpec> specs = new ArrayList<>();
    for (FftSpec dense : specs(2, 5, 8, 34)) {
      specs.add(dense.withScale(1.0 / dense.length()));
    }
    eachPlanOnLines(specs, FftEngineTck::transforms);
  }

  @Requirement(
      id = "FFT-026",
      text = "A plan on an executor does what one without does, and repeats itself to the bit.")
  void plansOnExecutors() throws Exception {
    Random random = random();
    FftEngine engine = backend().fftEngine();
    try (ThreadPerChunk executor = new ThreadPerChunk(3)) {
      for (FftSpec spec : specs(37, 12, 17)) {
        if (!engine.supports(spec)) {
          continue;
        }
        try (FftPlan shared = engine.plan(spec, executor)) {
          assertEquals(spec, shared.spec());
          eachPlace(
              shared,
              random,
              (plan, lines) -> {
                transforms(plan, lines);
                repeats(plan, lines);
              });
        }
      }
    }
  }
}
