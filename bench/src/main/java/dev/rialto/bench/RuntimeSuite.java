package dev.rialto.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** The runtime on the cpu device: launches, memory and transfers, against plain Java. */
final class RuntimeSuite implements Suite {
  private static final String MODEL = "pool/reserved by used bytes of a model load";
  private static final String POOL_OF_ONE = "java.util.concurrent, one thread";
  private static final String COPY = "MemorySegment.copy";

  @Override
  public String name() {
    return "runtime";
  }

  @Override
  public String description() {
    return "launches, memory pools and transfers of the cpu device";
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    Samples rialto = new Samples();
    Samples peers = new Samples();
    int rounds = quick ? 6 : 12;
    boolean done;
    try (RuntimeCases cases = new RuntimeCases()) {
      Samples warmUp = new Samples();
      done =
          progress.measure(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  progress.step(round, rounds, "round " + (round + 1) + " of " + rounds);
                  progress.check();
                  // The first rounds warm up the JVM and are dropped.
                  boolean warm = round >= rounds / 3;
                  cases.round(warm ? rialto : warmUp, warm ? peers : warmUp, quick);
                }
                rialto.add(MODEL, cases.modelLoad());
                progress.step(rounds, rounds, "done");
              });
    }
    List<BenchRow> rows = new ArrayList<>();
    rows.add(row("launch/complete", rialto, peers, POOL_OF_ONE, limit(5), none()));
    rows.add(row("launch/enqueue", rialto, peers, POOL_OF_ONE, limit(0.2), none()));
    rows.add(row(RuntimeCases.ALLOCATED, rialto, peers, "", limit(0.5), none()).withUnit("B"));
    rows.add(row("launch/1000 dependent", rialto, peers, POOL_OF_ONE, limit(2), none()));
    rows.add(row("launch/dependent on two streams", rialto, peers, "", none(), none()));
    rows.add(row("submit/4 threads x 5000", rialto, peers, POOL_OF_ONE, limit(0.2), none()));
    rows.add(row("pool/reserve and release", rialto, peers, "", limit(0.1), none()));
    rows.add(row("copy/upload", rialto, peers, COPY, none(), limit(1.1)));
    rows.add(row("copy/read", rialto, peers, COPY, none(), limit(1.1)));
    BenchRow model = row(MODEL, rialto, peers, "", limit(1.15), none());
    rows.add(model.withUnit("ratio"));
    return new BenchReport(name(), Instant.now(), Map.of(), rows, notes(), !done);
  }

  private static List<String> notes() {
    return List.of(
        "complete: launch of an empty kernel until sync returns; enqueue: until the call returns.",
        "allocated: by all threads for one launch, enqueued, run and waited for with 999 others.",
        "dependent: time of one of 1000 launches that write the same buffer, sync included.",
        "pool: with 10000 live buffers of up to 64 KiB; copies are of 64 MiB.");
  }

  private static OptionalDouble limit(double value) {
    return OptionalDouble.of(value);
  }

  private static OptionalDouble none() {
    return OptionalDouble.empty();
  }

  private static BenchRow row(
      String name,
      Samples rialto,
      Samples peers,
      String peerName,
      OptionalDouble limit,
      OptionalDouble goal) {
    return new BenchRow(
        name,
        "us",
        rialto.time(name),
        peers.median(name),
        peerName,
        goal,
        limit,
        OptionalDouble.empty(),
        OptionalDouble.empty());
  }
}
