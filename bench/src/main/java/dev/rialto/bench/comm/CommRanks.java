package dev.rialto.bench.comm;

import dev.rialto.bench.RankJobs;
import dev.rialto.spi.comm.Communicator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A rank of {@link ProcessCommSuite}, which measures all cases.
 *
 * <p>First each operation is repeated in its smallest size until the JVM has surely compiled it. A
 * rank may be bound to one processor, on which it spins while the compiler works, so that takes a
 * while.
 */
final class CommRanks {
  /** The time of repetitions before a case is measured, in times of measuring it. */
  private static final int WARM_UP = 6;

  private CommRanks() {}

  /**
   * Runs as a rank.
   *
   * @param args the backend, the file, the nanoseconds for each case and, for some cases only,
   *     {@code checked}
   */
  public static void main(String[] args) {
    List<CommCase> cases =
        args.length > 3 ? CommCase.ofCheckedProcesses(args[0]) : CommCase.ofProcesses(args[0]);
    long nanos = Long.parseLong(args[2]);
    RankJobs.main(args, (comm, _, _, _) -> measure(comm, cases, nanos));
  }

  private static List<RankJobs.Line> measure(Communicator comm, List<CommCase> cases, long nanos) {
    Set<String> warm = new HashSet<>();
    for (CommCase each : cases) {
      if (warm.add(each.name().substring(0, each.name().indexOf('/')))) {
        RankTimer.time(comm, each, WARM_UP * nanos);
      }
    }
    // Other sizes and operations can cost those before them their compiled code: a second round.
    for (CommCase each : cases) {
      RankTimer.time(comm, each, nanos);
    }
    return cases.stream().map(each -> RankTimer.time(comm, each, nanos)).toList();
  }
}
