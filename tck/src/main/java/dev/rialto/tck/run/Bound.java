package dev.rialto.tck.run;

import dev.rialto.spi.BackendProvider;
import dev.rialto.tck.Tck;
import dev.rialto.tck.comm.AtomicsTck;
import dev.rialto.tck.comm.CollectivesTck;
import dev.rialto.tck.comm.CommunicationMisuseTck;
import dev.rialto.tck.comm.CommunicatorTck;
import dev.rialto.tck.comm.EpochsTck;
import dev.rialto.tck.comm.LayoutsTck;
import dev.rialto.tck.comm.MatchingTck;
import dev.rialto.tck.comm.MessageArgumentsTck;
import dev.rialto.tck.comm.NeighborhoodsTck;
import dev.rialto.tck.comm.NonBlockingCollectivesTck;
import dev.rialto.tck.comm.PersistentRequestsTck;
import dev.rialto.tck.comm.PointToPointTck;
import dev.rialto.tck.comm.ProbesTck;
import dev.rialto.tck.comm.ReductionsTck;
import dev.rialto.tck.comm.RequestsTck;
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
import java.util.List;

/** The requirement classes, bound to the backend that a run of the kit was given. */
final class Bound {
  static final List<Class<? extends Tck>> CLASSES =
      List.of(
          Provider.class,
          Memory.class,
          Transfer.class,
          Loops.class,
          LoopFailures.class,
          Tasks.class,
          Streams.class,
          Kernels.class,
          Devices.class,
          Transforms.class,
          World.class,
          Communicator.class,
          PointToPoint.class,
          Matching.class,
          MessageArguments.class,
          Requests.class,
          PersistentRequests.class,
          Probes.class,
          Layouts.class,
          Collectives.class,
          NonBlockingCollectives.class,
          Reductions.class,
          Neighborhoods.class,
          Windows.class,
          Epochs.class,
          WindowRules.class,
          Atomics.class,
          Generated.class,
          HostGenerated.class,
          HostMisuse.class,
          CommunicationMisuse.class,
          WindowMisuse.class,
          Faults.class);

  private Bound() {}

  static final class Generated extends GeneratedTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Provider extends ProviderTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Memory extends MemorySpaceTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Transfer extends MemoryTransferTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Loops extends ExecutorTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class LoopFailures extends LoopFailuresTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Tasks extends ExecutionTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Streams extends StreamTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Kernels extends KernelCompilerTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Devices extends DeviceTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Transforms extends FftEngineTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class World extends WorldTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Communicator extends CommunicatorTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class PointToPoint extends PointToPointTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Matching extends MatchingTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class MessageArguments extends MessageArgumentsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Requests extends RequestsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class PersistentRequests extends PersistentRequestsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Probes extends ProbesTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Layouts extends LayoutsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Collectives extends CollectivesTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class NonBlockingCollectives extends NonBlockingCollectivesTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Reductions extends ReductionsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Neighborhoods extends NeighborhoodsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Windows extends WindowsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Epochs extends EpochsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class WindowRules extends WindowRulesTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Atomics extends AtomicsTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class HostMisuse extends HostMisuseTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class CommunicationMisuse extends CommunicationMisuseTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class WindowMisuse extends WindowMisuseTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class Faults extends FaultTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }

  static final class HostGenerated extends HostGeneratedTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }
}
