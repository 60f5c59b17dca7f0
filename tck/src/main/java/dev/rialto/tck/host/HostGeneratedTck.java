package dev.rialto.tck.host;

import dev.rialto.spi.Capability;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Tck;
import dev.rialto.tck.generated.Failures;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.reference.Together;
import java.util.function.LongConsumer;

/** Random programs of one rank on its memory, streams, kernels and threads, against a model. */
public final class HostGeneratedTck extends Tck {
  /** Runs so many programs for each round of the run's effort; a failure tells the seed. */
  private void programs(int times, LongConsumer program) {
    for (int i = 0; i < times * effort(); i++) {
      long seed = RankMemory.key(random().nextLong(), i);
      try {
        program.accept(seed);
      } catch (RuntimeException | Error e) {
        throw Failures.in("program " + i, e);
      }
    }
  }

  @Requirement(
      id = "HGE-001",
      text = "Memory that is allocated, used and closed in any order does what the model does.",
      capability = Capability.MEMORY)
  void memory() {
    for (MemorySpace space : spaces()) {
      programs(4, seed -> new MemoryScript(backend(), space, seed, coverage()).run(150));
    }
  }

  @Requirement(
      id = "HGE-002",
      text = "Copies of any length, layout and place, overlapping or not, do what the model does.",
      capability = Capability.TRANSFER)
  void transfers() {
    programs(6, seed -> new TransferScript(backend(), seed, coverage()).run(60));
  }

  @Requirement(
      id = "HGE-003",
      text = "Streams that run, fail, record and wait for one another do what the model does.",
      capability = Capability.STREAMS)
  void streams() {
    programs(25, seed -> new StreamScript(backend(), seed, coverage()).run(6, 60, true));
  }

  @Requirement(
      id = "HGE-004",
      text = "Copies that go from stream to stream by events move what the model does.",
      capability = {Capability.STREAMS, Capability.TRANSFER})
  void streamCopies() {
    programs(
        8, seed -> new StreamScript(backend(), seed, coverage()).withCopies().run(3, 40, false));
  }

  @Requirement(
      id = "HGE-005",
      text = "Kernels of any size, on memory that streams hand over, compute what the model does.",
      capability = {Capability.STREAMS, Capability.KERNELS})
  void kernels() {
    for (String language : device().compiler().languages()) {
      programs(
          8,
          seed ->
              new StreamScript(backend(), seed, coverage())
                  .withKernels(language)
                  .run(3, 40, false));
    }
  }

  @Requirement(
      id = "HGE-006",
      text = "Loops and tasks of any shape, nested, failing or cancelled, do what the model does.",
      capability = Capability.EXECUTOR)
  void executors() throws Exception {
    for (int parallelism : new int[] {1, 2, 4}) {
      programs(
          6,
          seed -> {
            try (Executor executor = backend().openExecutor(parallelism)) {
              new LoopScript(executor, seed, coverage()).run(40);
            }
          });
    }
    try (Executor executor = backend().openExecutor(3)) {
      Together.run(
          3,
          thread ->
              programs(3, seed -> new LoopScript(executor, seed + thread, coverage()).run(30)));
    }
  }

  @Requirement(
      id = "HGE-007",
      text = "Closing an executor throws exactly the failures not thrown before.",
      capability = Capability.EXECUTOR)
  void unseenFailures() {
    programs(
        20,
        seed ->
            new TaskScript(backend().openExecutor(1 + (int) (seed & 3)), seed, coverage()).run(25));
  }
}
