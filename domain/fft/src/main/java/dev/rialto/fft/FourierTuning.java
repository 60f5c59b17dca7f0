package dev.rialto.fft;

import static java.util.Objects.requireNonNull;

import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.Schemes;
import dev.rialto.exchange.Staging;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.tune.Benchmark;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.TuningRecord;
import dev.rialto.fft.stage.Itinerary;
import dev.rialto.fft.stage.Step;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.fft.FftEngine;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Searches the settings with which a plan is fastest: process grids and ways to move first, then
 * schemes. What is timed is the whole plan, forward and back, because what saves a move may cost
 * the transform more.
 */
final class FourierTuning {
  private static final int TURNS = 5;

  private final FourierPlanBuilder builder;
  private final Communicator comm;
  private final Effort effort;
  private final Duration limit;
  private final Benchmark.Progress progress;
  private final Map<FourierSettings, Double> times = new LinkedHashMap<>();

  FourierTuning(
      FourierPlanBuilder builder,
      Communicator comm,
      Effort effort,
      Duration limit,
      Benchmark.Progress progress) {
    this.builder = builder;
    this.comm = comm;
    this.effort = effort;
    this.limit = limit;
    this.progress = progress;
  }

  /** Returns all settings that were tried, best first. */
  List<FourierSettings> run() {
    List<FourierSettings> first = layouts();
    FourierSettings winner;
    if (effort == Effort.ESTIMATE) {
      first.forEach(each -> times.put(each, (double) moved(each)));
      winner = first.stream().min(Comparator.comparingDouble(this::time)).orElseThrow();
      return ordered(winner, false);
    }
    if (effort != Effort.MEASURE) {
      first = first.stream().flatMap(each -> schemes(each, false).stream()).toList();
    }
    winner = race(first);
    if (effort == Effort.MEASURE) {
      winner = race(schemes(winner, true));
    }
    if (effort == Effort.EXHAUSTIVE && builder.choosesEngine()) {
      winner = race(engines(winner));
    }
    return ordered(winner, true);
  }

  private List<FourierSettings> ordered(FourierSettings winner, boolean measured) {
    List<FourierSettings> all = new ArrayList<>(times.keySet());
    all.sort(Comparator.comparingDouble(this::time));
    all.remove(winner);
    all.addFirst(winner);
    if (measured && comm.rank() == 0) {
      all.forEach(each -> record(each, each.equals(winner)));
    }
    return measured ? all.stream().map(each -> each.measured(time(each))).toList() : all;
  }

  private double time(FourierSettings settings) {
    return requireNonNull(times.get(settings));
  }

  private void record(FourierSettings settings, boolean chosen) {
    String moves = settings.slabs() ? "" : ", one move per axis";
    TuningRecord.candidate(
        "fft " + builder.shape(),
        settings.schemeText() + moves + ", " + settings.engine(),
        settings.gridText(),
        time(settings),
        true,
        chosen);
  }

  /** Returns every process grid, with one move for several axes and with one for each. */
  private List<FourierSettings> layouts() {
    FourierSettings standard = builder.standard();
    Set<FourierSettings> all = new LinkedHashSet<>();
    for (List<Integer> grid : grids()) {
      for (boolean slabs : new boolean[] {true, false}) {
        all.add(
            new FourierSettings(
                grid, slabs, standard.fusion(), standard.scheme(), standard.engine(), 0));
      }
    }
    return new ArrayList<>(all);
  }

  /** The last axis stays whole: it is transformed first. */
  private List<List<Integer>> grids() {
    Shape shape = builder.shape();
    List<List<Integer>> grids = new ArrayList<>();
    if (builder.hasInput() || shape.rank() == 1) {
      return List.of(List.of());
    }
    for (int first = comm.size(); first >= 1; first--) {
      if (comm.size() % first == 0 && (shape.rank() > 2 || first == comm.size())) {
        List<Integer> parts = new ArrayList<>(List.of(first));
        if (shape.rank() > 2) {
          parts.add(comm.size() / first);
        }
        while (parts.size() < shape.rank()) {
          parts.add(1);
        }
        grids.add(parts);
      }
    }
    return grids;
  }

  /** Returns settings with each scheme that can carry out its moves. */
  private List<FourierSettings> schemes(FourierSettings settings, boolean bulk) {
    List<FourierSettings> all = new ArrayList<>(List.of(settings));
    for (Scheme scheme : common(settings)) {
      if (!bulk || scheme.staging() == Staging.BULK) {
        all.add(settings.moving(false, scheme.toString()));
      }
    }
    return all;
  }

  private Set<Scheme> common(FourierSettings settings) {
    Set<Scheme> common = null;
    Itinerary way = new Itinerary(builder.choices(settings), comm.size());
    List<Step> steps = new ArrayList<>(way.forward());
    steps.addAll(way.inverse());
    for (Step step : steps) {
      if (step instanceof Step.Move move) {
        ExchangePlan plan = move.plan(comm.rank());
        Set<Scheme> here = new LinkedHashSet<>(Schemes.all(plan, move.type(), comm));
        if (common == null) {
          common = here;
        } else {
          common.retainAll(here);
        }
      }
    }
    return common == null ? Set.of() : common;
  }

  private static List<FourierSettings> engines(FourierSettings settings) {
    return Engines.all().stream()
        .map(FftEngine::name)
        .map(
            name ->
                new FourierSettings(
                    settings.grid(),
                    settings.slabs(),
                    settings.fusion(),
                    settings.scheme(),
                    name,
                    0))
        .toList();
  }

  /** Returns how many elements leave any rank: all ranks compute the same. */
  private long moved(FourierSettings settings) {
    long sum = 0;
    for (Step step : new Itinerary(builder.choices(settings), comm.size()).forward()) {
      if (step instanceof Step.Move move) {
        for (int rank = 0; rank < comm.size(); rank++) {
          sum += move.plan(rank).sentCount();
        }
      }
    }
    return sum;
  }

  private FourierSettings race(List<FourierSettings> settings) {
    List<Benchmark.Candidate<FourierSettings>> candidates = new ArrayList<>();
    for (FourierSettings each : settings) {
      Turn turn = new Turn(each);
      candidates.add(new Benchmark.Candidate<>(each, turn, turn::release));
    }
    FourierSettings best = new Benchmark(comm, limit, progress).run(candidates, TURNS).what();
    // Those that were not reached in time have not been tried.
    candidates.stream()
        .filter(each -> Double.isFinite(each.seconds()))
        .forEach(each -> times.merge(each.what(), each.seconds(), Math::min));
    return best;
  }

  /** A plan and its arrays, made when they are first needed and given back after each turn. */
  private final class Turn implements Runnable {
    private final FourierSettings settings;
    private @Nullable FourierPlan plan;
    private final List<Resource> arrays = new ArrayList<>();
    private MemorySegment field = MemorySegment.NULL;
    private MemorySegment modes = MemorySegment.NULL;

    Turn(FourierSettings settings) {
      this.settings = settings;
    }

    @Override
    public void run() {
      FourierPlan made = plan;
      if (made == null) {
        made = builder.build(settings);
        plan = made;
        field = array(made.inputBytes());
        modes = array(made.outputBytes());
      }
      made.forward(field, modes);
      made.inverse(modes, field);
    }

    private MemorySegment array(long bytes) {
      Device device = builder.device();
      ComputeClient client = device == null ? Devices.host() : Devices.of(device);
      Resource lent = client.lend("arrays of a tuner", Math.max(bytes, 64));
      arrays.add(lent);
      return lent.segment();
    }

    void release() {
      if (plan != null) {
        plan.close();
        arrays.forEach(Resource::close);
        arrays.clear();
        plan = null;
      }
    }
  }
}
