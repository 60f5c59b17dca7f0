package dev.rialto.exchange.tune;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.Schemes;
import dev.rialto.exchange.Staging;
import dev.rialto.exchange.codec.Codecs;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Redistribute.MessageOrder;
import dev.rialto.exchange.plan.Transpose.MemoryOrder;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.files.TuningCache;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the scheme, and for transposes the process grid, the order of axes in memory and the tiles,
 * that is fastest here.
 *
 * <p>It times on the communicator, the sizes and the type that will be used, in a {@link
 * Benchmark}. All ranks call it and get the same answer. Answers are remembered in a {@link
 * TuningCache} by what they depend on.
 */
public final class Tuner {
  private static final double TURN_SECONDS = 0.01;
  private static final int SAMPLES = 10;
  private static final int MOST_REPEATS = 5000;

  private final Exchanger exchanger;
  private final Communicator comm;
  private Effort effort = Effort.MEASURE;
  private int turns = 5;
  private Duration limit = Duration.ofSeconds(60);
  private String machine = "";
  private Optional<TuningCache> cache = Optional.empty();
  private Benchmark.Progress progress = (_, _, _) -> {};
  private List<String> codecs = List.of();

  /** Makes a tuner that times with an exchanger's options and remembers nothing. */
  public Tuner(Exchanger exchanger) {
    this.exchanger = exchanger;
    this.comm = exchanger.communicator();
  }

  /** Sets the effort; {@link Effort#MEASURE} if it is not set. */
  public Tuner effort(Effort chosen) {
    effort = chosen;
    return this;
  }

  /**
   * Sets how often each candidate is timed, 5 times if it is not set.
   *
   * @throws IllegalArgumentException if it is less than once
   */
  public Tuner turns(int times) {
    if (times < 1) {
      throw new IllegalArgumentException(times + " turns of each candidate; give at least 1");
    }
    turns = times;
    return this;
  }

  /** Sets the most time to spend on one tuning; once it is up, what was timed decides. */
  public Tuner limit(Duration most) {
    limit = most;
    return this;
  }

  /**
   * Remembers answers.
   *
   * @param kept where
   * @param here what tells this machine and its libraries from others
   */
  public Tuner remember(TuningCache kept, String here) {
    cache = Optional.of(kept);
    machine = here;
    return this;
  }

  /**
   * Reports progress: how many of how many steps are done, and what is timed. What is found when it
   * says to stop is the answer, but is not remembered.
   */
  public Tuner progress(Benchmark.Progress listener) {
    progress = listener;
    return this;
  }

  /**
   * Also tries every scheme with each of these codecs, such as {@code lz4} or {@code cast:1e-6}. No
   * codec is tried that is not named: what it may lose, or what data it may meet, is not the
   * tuner's to know. The arrays' contents decide how much one saves, so give {@link #plan} real
   * ones.
   *
   * @throws IllegalArgumentException if one does not exist
   */
  public Tuner codecs(List<String> names) {
    names.forEach(Codecs::parse);
    codecs = List.copyOf(names);
    return this;
  }

  /**
   * Tunes turning an array X to Y to Z, or X to Y of two axes, and back. Collective.
   *
   * @return the process grid, the order of axes in memory, the tiles and the scheme of each step
   */
  public Tuned transpose(Shape shape, DType type) {
    return answers()
        .remembered(
            "transpose " + shape + " " + type,
            () -> {
              List<int[]> grids = Benchmark.grids(comm.size(), shape.rank());
              List<MessageOrder> messages =
                  effort == Effort.EXHAUSTIVE
                      ? List.of(MessageOrder.values())
                      : List.of(MessageOrder.RECEIVER);
              List<MemoryOrder> memories =
                  shape.rank() == 3 && effort != Effort.PATIENT
                      ? List.of(MemoryOrder.values())
                      : List.of(MemoryOrder.CYCLIC);
              List<TuningChoice> ways = new ArrayList<>();
              for (int[] grid : grids) {
                for (MemoryOrder memory : memories) {
                  for (MessageOrder order : messages) {
                    TuningChoice any =
                        new TuningChoice(
                            Benchmark.text(grid), order, memory, tiles().getFirst(), List.of());
                    for (Scheme scheme : likely(any.turns(shape, comm.rank()).getFirst(), type)) {
                      ways.add(any.withSchemes(List.of(scheme)));
                    }
                  }
                }
              }
              Tuned guess = estimated(ways, way -> way.turns(shape, comm.rank()), type);
              if (effort == Effort.ESTIMATE) {
                return guess;
              }
              try (Trial trial = new Trial(exchanger, shape, grids, type)) {
                return tunedTranspose(shape, type, inOrder(guess), trial);
              }
            });
  }

  private Tuned tunedTranspose(Shape shape, DType type, List<TuningChoice> ways, Trial trial) {
    Heats heats = new Heats(new Benchmark(comm, limit, progress), turns);
    Heats.Entry entry = way -> turn(shape, way, type, trial);
    TuningChoice best = heats.best(ways, entry);
    if (effort == Effort.MEASURE) {
      List<TuningChoice> others = new ArrayList<>(List.of(best));
      for (Scheme scheme : all(best.turns(shape, comm.rank()).getFirst(), type)) {
        if (scheme.staging() == Staging.BULK && !best.schemes().contains(scheme)) {
          others.add(best.withSchemes(List.of(scheme)));
        }
      }
      best = heats.best(others, entry);
    }
    if (effort == Effort.PATIENT && shape.rank() == 3) {
      List<TuningChoice> ordered = Stream.of(MemoryOrder.values()).map(best::withMemory).toList();
      best = heats.best(ordered, entry);
    }
    List<TuningChoice> tiled = tiles().stream().map(best::withTile).toList();
    best = heats.best(tiled, entry);
    if (effort == Effort.EXHAUSTIVE) {
      TuningChoice stepwise = perStep(shape, type, best, trial, heats);
      best = heats.best(List.of(best, stepwise), entry);
    }
    return heats.answer(best);
  }

  private Answers answers() {
    return new Answers(
        comm, cache, "%s, %s, %s".formatted(machine, effort, codecs), tiles(), progress);
  }

  private List<String> tiles() {
    return exchanger.options().kernels().tiles();
  }

  /** Finds the best scheme of each step on its own. */
  private TuningChoice perStep(
      Shape shape, DType type, TuningChoice best, Trial trial, Heats heats) {
    List<Scheme> schemes = new ArrayList<>();
    for (ExchangePlan plan : best.turns(shape, comm.rank())) {
      List<TuningChoice> ways = new ArrayList<>();
      for (Scheme scheme : all(plan, type)) {
        ways.add(best.withSchemes(List.of(scheme)));
      }
      TuningChoice step =
          heats.bestApart(
              ways,
              way -> {
                Exchange exchange = way.exchanges(trial.exchanger, List.of(plan), type).getFirst();
                return new Benchmark.Candidate<>(
                    way,
                    () -> exchange.scheme(way.scheme(0)).run(trial.first, trial.second),
                    exchange::release);
              });
      schemes.add(step.scheme(0));
    }
    return best.withSchemes(schemes);
  }

  /**
   * Tunes one plan. Collective; the arrays are written.
   *
   * @return the scheme; the grid is empty
   */
  public Tuned plan(ExchangePlan plan, DType type, MemorySegment input, MemorySegment output) {
    return answers()
        .remembered(
            plan.name() + " " + plan.inputCount() + " " + plan.sentCount() + " " + type,
            () -> {
              List<TuningChoice> ways =
                  all(plan, type).stream()
                      .map(
                          scheme ->
                              new TuningChoice(
                                  "-",
                                  MessageOrder.RECEIVER,
                                  MemoryOrder.CYCLIC,
                                  tiles().getFirst(),
                                  List.of(scheme)))
                      .toList();
              Tuned guess = estimated(ways, _ -> List.of(plan), type);
              if (effort == Effort.ESTIMATE) {
                return guess;
              }
              Exchange exchange = exchanger.exchange(plan, type);
              Heats heats = new Heats(new Benchmark(comm, limit, progress), turns);
              int repeat = repeats(exchange.scheme(guess.scheme(0)), input, output);
              TuningChoice best =
                  heats.best(
                      inOrder(guess),
                      way ->
                          new Benchmark.Candidate<>(
                              way,
                              () -> {
                                Exchange chosen = exchange.scheme(way.scheme(0));
                                for (int i = 0; i < repeat; i++) {
                                  chosen.run(input, output);
                                }
                              },
                              exchange::release));
              return heats.answer(best);
            });
  }

  /**
   * Returns how often to repeat a short exchange in each turn, on all ranks: until the clock is not
   * what is measured, and the compiler sees what runs often.
   */
  private int repeats(Exchange exchange, MemorySegment input, MemorySegment output) {
    exchange.run(input, output);
    comm.barrier();
    long start = System.nanoTime();
    for (int i = 0; i < SAMPLES; i++) {
      exchange.run(input, output);
    }
    double each = agreed((System.nanoTime() - start) / 1e9 / SAMPLES);
    exchange.release();
    return (int) Math.clamp(TURN_SECONDS / each, 1, MOST_REPEATS);
  }

  /** Returns the ways of an estimate, the most promising first. */
  private static List<TuningChoice> inOrder(Tuned guess) {
    return guess.candidates().stream().map(Tuned.Candidate::way).toList();
  }

  /** Returns all schemes that apply, without a codec and with each of those named. */
  private List<Scheme> all(ExchangePlan plan, DType type) {
    List<Scheme> schemes = new ArrayList<>(Schemes.all(plan, type, comm));
    for (String codec : codecs) {
      for (Scheme plain : Schemes.all(plan, type, comm)) {
        Scheme encoded = new Scheme(plain.transport(), plain.staging(), codec);
        if (encoded.refusal(plan, type, comm).isEmpty()) {
          schemes.add(encoded);
        }
      }
    }
    return schemes;
  }

  /** Returns the schemes to try with each grid. */
  private List<Scheme> likely(ExchangePlan plan, DType type) {
    return effort == Effort.MEASURE || effort == Effort.ESTIMATE
        ? List.of(Schemes.standard(plan, type, comm))
        : all(plan, type);
  }

  private Benchmark.Candidate<TuningChoice> turn(
      Shape shape, TuningChoice way, DType type, Trial trial) {
    List<Exchange> steps = way.exchanges(trial.exchanger, way.turns(shape, comm.rank()), type);
    return new Benchmark.Candidate<>(
        way,
        () -> {
          boolean forth = true;
          for (Exchange step : steps) {
            step.run(forth ? trial.first : trial.second, forth ? trial.second : trial.first);
            forth = !forth;
          }
        },
        () -> steps.forEach(Exchange::release));
  }

  private interface Chain {
    List<ExchangePlan> of(TuningChoice way);
  }

  /** Orders ways by bytes that leave the rank, then by passes over memory. */
  private Tuned estimated(List<TuningChoice> ways, Chain chain, DType type) {
    List<Tuned.Candidate> candidates = new ArrayList<>();
    TuningChoice best = ways.getFirst();
    double least = Double.POSITIVE_INFINITY;
    for (TuningChoice way : ways) {
      double seconds = 0;
      for (ExchangePlan plan : chain.of(way)) {
        seconds += Model.seconds(plan, way.scheme(0), type);
      }
      // Ranks differ by an uneven block; the answer must not.
      seconds = agreed(seconds);
      candidates.add(new Tuned.Candidate(way, seconds, false));
      if (seconds < least) {
        least = seconds;
        best = way;
      }
    }
    candidates.sort(Comparator.comparingDouble(Tuned.Candidate::seconds));
    return new Tuned(best, candidates, false);
  }

  private double agreed(double seconds) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment number = arena.allocateFrom(JAVA_DOUBLE, seconds);
      comm.allReduce(number, number, DType.F64, 1, ReduceOp.MAX);
      return number.get(JAVA_DOUBLE, 0);
    }
  }
}
