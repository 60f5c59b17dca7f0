package dev.rialto.bench;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
  public BenchReport run(boolean quick, Progress progress) {
    Samples rialto = new Samples();
    Samples peers = new Samples();
    int rounds = quick ? 6 : 12;
    boolean done;
    try (RuntimeCases cases = new RuntimeCases()) {
      Samples warmUp = new Samples();
      done =
          progress.rounds(
              rounds,
              round -> {
                // The first rounds warm up the JVM and are dropped.
                boolean warm = round >= rounds / 3;
                cases.round(warm ? rialto : warmUp, warm ? peers : warmUp, quick);
              });
      if (done) {
        rialto.add(MODEL, cases.modelLoad());
      }
    }
    List<BenchRow> rows = new ArrayList<>();
    rows.add(row("launch/complete", rialto, peers, POOL_OF_ONE).withLimit(5));
    rows.add(row("launch/enqueue", rialto, peers, POOL_OF_ONE).withLimit(0.2));
    rows.add(row(RuntimeCases.ALLOCATED, "B", rialto, peers, "").withLimit(0.5));
    rows.add(row("launch/1000 dependent", rialto, peers, POOL_OF_ONE).withLimit(2));
    rows.add(row("launch/dependent on two streams", rialto, peers, ""));
    rows.add(row("submit/4 threads x 5000", rialto, peers, POOL_OF_ONE).withLimit(0.2));
    rows.add(row("pool/reserve and release", rialto, peers, "").withLimit(0.1));
    rows.add(row("copy/upload", rialto, peers, COPY).withGoal(1.1));
    rows.add(row("copy/read", rialto, peers, COPY).withGoal(1.1));
    rows.add(row(MODEL, "ratio", rialto, peers, "").withLimit(1.15));
    return new BenchReport(name(), Instant.now(), Map.of(), rows, notes(), !done);
  }

  private static List<String> notes() {
    return List.of(
        "complete: launch of an empty kernel until sync returns; enqueue: until the call returns.",
        "allocated: by all threads for one launch, enqueued, run and waited for with 999 others.",
        "dependent: time of one of 1000 launches that write the same buffer, sync included.",
        "pool: with 10000 live buffers of up to 64 KiB; copies are of 64 MiB.");
  }

  private static BenchRow row(String name, Samples rialto, Samples peers, String peerName) {
    return row(name, "us", rialto, peers, peerName);
  }

  private static BenchRow row(
      String name, String unit, Samples rialto, Samples peers, String peerName) {
    return BenchRow.of(name, unit, rialto.time(name)).against(peerName, peers.median(name));
  }
}
