package dev.rialto.tck.generated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.comm.Topology;
import dev.rialto.tck.generated.Step.Completion;
import dev.rialto.tck.generated.Step.Form;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One rank's call of a collective, in each of the forms there are.
 *
 * @param run does it and waits
 * @param start begins it
 * @param prepare makes a request of it
 */
record Call(Runnable run, Supplier<Request> start, Supplier<PersistentRequest> prepare) {
  /** The memory that a collective works on. */
  interface Memory {
    /** Puts what a start sends into place, and takes back what the one before has received. */
    void renew(int round);

    /** Checks what a start has received. */
    void check(int round);

    /** Checks that nothing else has changed, and frees the memory. */
    void close();
  }

  static Call of(Collectives comm, Collective it) {
    return new Call(() -> byName(comm, it), () -> comm.start(it), () -> comm.prepare(it));
  }

  static Call of(Topology topology, Collective.AlongEdges it) {
    return new Call(() -> topology.run(it), () -> topology.start(it), () -> topology.prepare(it));
  }

  /**
   * Does it in one of the forms.
   *
   * @param rounds how often a persistent one is begun
   * @return what completes and checks it; null if that is done already
   */
  @Nullable Completion begin(Form form, int rounds, Draw own, Memory memory) {
    switch (form) {
      case BLOCKING -> run.run();
      case NON_BLOCKING -> {
        Request request = start.get();
        return () -> {
          assertEquals(Status.EMPTY, Requests.complete(request, own));
          memory.check(0);
          memory.close();
        };
      }
      case PERSISTENT -> {
        try (PersistentRequest request = prepare.get()) {
          assertTrue(request.test(), "a new persistent request is active");
          for (int round = 0; round < rounds; round++) {
            memory.renew(round);
            request.start();
            assertEquals(Status.EMPTY, Requests.await(request, own));
            assertTrue(request.test(), "active after it was awaited");
            memory.check(round);
          }
        }
        memory.close();
        return null;
      }
    }
    memory.check(0);
    memory.close();
    return null;
  }

  private static void byName(Collectives comm, Collective collective) {
    switch (collective) {
      case Collective.Barrier() -> comm.barrier();
      case Collective.Broadcast it -> comm.broadcast(it.buffer(), it.type(), it.count(), it.root());
      case Collective.Gather it ->
          comm.gather(it.send(), it.receive(), it.type(), it.count(), it.root());
      case Collective.GatherV it ->
          comm.gatherV(
              it.send(),
              it.sendCount(),
              it.receive(),
              it.counts(),
              it.displacements(),
              it.type(),
              it.root());
      case Collective.Scatter it ->
          comm.scatter(it.send(), it.receive(), it.type(), it.count(), it.root());
      case Collective.ScatterV it ->
          comm.scatterV(
              it.send(),
              it.counts(),
              it.displacements(),
              it.receive(),
              it.receiveCount(),
              it.type(),
              it.root());
      case Collective.AllGather it ->
          comm.allGather(it.send(), it.receive(), it.type(), it.count());
      case Collective.AllGatherV it ->
          comm.allGatherV(
              it.send(), it.sendCount(), it.receive(), it.counts(), it.displacements(), it.type());
      case Collective.AllToAll it -> comm.allToAll(it.send(), it.receive(), it.type(), it.count());
      case Collective.AllToAllV it ->
          comm.allToAllV(
              it.send(),
              it.sendCounts(),
              it.sendDisplacements(),
              it.receive(),
              it.receiveCounts(),
              it.receiveDisplacements(),
              it.type());
      case Collective.Reduce it ->
          comm.reduce(it.send(), it.receive(), it.type(), it.count(), it.op(), it.root());
      case Collective.AllReduce it ->
          comm.allReduce(it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.Scan it -> comm.scan(it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.Exscan it ->
          comm.exscan(it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.ReduceScatter it ->
          comm.reduceScatter(it.send(), it.receive(), it.type(), it.counts(), it.op());
    }
  }
}
