package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import java.util.List;

/** The requirement classes, bound to the backend that a run of the kit was given. */
final class Bound {
  static final List<Class<? extends Tck>> CLASSES =
      List.of(
          Provider.class,
          Memory.class,
          Transfer.class,
          Loops.class,
          Tasks.class,
          Streams.class,
          Kernels.class,
          Transforms.class);

  private Bound() {}

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

  static final class Transforms extends FftEngineTck {
    @Override
    protected BackendProvider backend() {
      return given();
    }
  }
}
