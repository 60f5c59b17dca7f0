package dev.rialto.tck.run;

import dev.rialto.spi.Capability;
import dev.rialto.tck.Outcome;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.RequirementResult;
import dev.rialto.tck.Requires;
import dev.rialto.tck.Tck;
import dev.rialto.tck.comm.AtomicsTck;
import dev.rialto.tck.comm.CollectivesTck;
import dev.rialto.tck.comm.CommunicationMisuseTck;
import dev.rialto.tck.comm.CommunicatorTck;
import dev.rialto.tck.comm.EpochsTck;
import dev.rialto.tck.comm.FreedBuffersTck;
import dev.rialto.tck.comm.LayoutsTck;
import dev.rialto.tck.comm.MatchingTck;
import dev.rialto.tck.comm.MessageArgumentsTck;
import dev.rialto.tck.comm.NeighborhoodsTck;
import dev.rialto.tck.comm.NonBlockingCollectivesTck;
import dev.rialto.tck.comm.PeerFailureTck;
import dev.rialto.tck.comm.PersistentRequestsTck;
import dev.rialto.tck.comm.PointToPointTck;
import dev.rialto.tck.comm.ProbesTck;
import dev.rialto.tck.comm.ReductionsTck;
import dev.rialto.tck.comm.RequestsTck;
import dev.rialto.tck.comm.UserOperatorsTck;
import dev.rialto.tck.comm.WindowMisuseTck;
import dev.rialto.tck.comm.WindowRulesTck;
import dev.rialto.tck.comm.WindowsTck;
import dev.rialto.tck.comm.WorldTck;
import dev.rialto.tck.fault.FaultTck;
import dev.rialto.tck.generated.GeneratedTck;
import dev.rialto.tck.host.DeviceTck;
import dev.rialto.tck.host.ExecutionTck;
import dev.rialto.tck.host.ExecutorTck;
import dev.rialto.tck.host.FftEngineTck;
import dev.rialto.tck.host.HostGeneratedTck;
import dev.rialto.tck.host.HostMisuseTck;
import dev.rialto.tck.host.KernelCompilerTck;
import dev.rialto.tck.host.LoopFailuresTck;
import dev.rialto.tck.host.MemorySpaceTck;
import dev.rialto.tck.host.MemoryTransferTck;
import dev.rialto.tck.host.ProviderTck;
import dev.rialto.tck.host.StreamTck;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** All requirements, in the order in which they are run and reported. */
public final class Catalogue {
  static final List<Class<? extends Tck>> CLASSES =
      List.of(
          ProviderTck.class,
          MemorySpaceTck.class,
          MemoryTransferTck.class,
          ExecutorTck.class,
          LoopFailuresTck.class,
          ExecutionTck.class,
          StreamTck.class,
          KernelCompilerTck.class,
          DeviceTck.class,
          FftEngineTck.class,
          WorldTck.class,
          PeerFailureTck.class,
          CommunicatorTck.class,
          PointToPointTck.class,
          MatchingTck.class,
          MessageArgumentsTck.class,
          RequestsTck.class,
          PersistentRequestsTck.class,
          ProbesTck.class,
          LayoutsTck.class,
          CollectivesTck.class,
          NonBlockingCollectivesTck.class,
          ReductionsTck.class,
          UserOperatorsTck.class,
          NeighborhoodsTck.class,
          WindowsTck.class,
          EpochsTck.class,
          WindowRulesTck.class,
          AtomicsTck.class,
          GeneratedTck.class,
          HostGeneratedTck.class,
          HostMisuseTck.class,
          FreedBuffersTck.class,
          CommunicationMisuseTck.class,
          WindowMisuseTck.class,
          FaultTck.class);

  /**
   * A requirement and the method that tests it.
   *
   * @param declared what the requirement says
   * @param method the method
   */
  public record Entry(Requirement declared, Method method) {
    public String id() {
      return declared.id();
    }

    Class<? extends Tck> tests() {
      return method.getDeclaringClass().asSubclass(Tck.class);
    }

    List<Capability> capabilities() {
      Requires shared = tests().getAnnotation(Requires.class);
      return Stream.concat(
              shared == null ? Stream.empty() : Stream.of(shared.value()),
              Stream.of(declared.capability()))
          .toList();
    }

    public boolean onRanks() {
      return capabilities().stream().anyMatch(Refusals::ofCommunicators);
    }

    RequirementResult result(
        Outcome outcome, List<Integer> ranks, String message, String detail, long millis) {
      return new RequirementResult(
          id(), declared.text(), capabilities(), outcome, ranks, message, detail, millis);
    }
  }

  private Catalogue() {}

  public static List<Entry> all() {
    return CLASSES.stream().flatMap(Catalogue::of).toList();
  }

  /** Returns the requirements of one class by number. */
  static Stream<Entry> of(Class<? extends Tck> tests) {
    return Stream.of(tests.getDeclaredMethods())
        .flatMap(
            method ->
                Stream.of(method.getAnnotationsByType(Requirement.class))
                    .map(declared -> new Entry(declared, method)))
        .sorted(Comparator.comparing(Entry::id));
  }
}
