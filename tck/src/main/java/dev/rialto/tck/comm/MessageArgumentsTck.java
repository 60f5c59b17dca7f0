package dev.rialto.tck.comm;

import static dev.rialto.spi.comm.PointToPoint.ANY_SOURCE;
import static dev.rialto.spi.comm.PointToPoint.ANY_TAG;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Requires;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Wrong arguments of messages: refused when the call is made, in every form, and before anything
 * moves.
 */
@Requires(Capability.POINT_TO_POINT)
public final class MessageArgumentsTck extends CommunicationTck {
  /** One of the ways to begin a message. */
  @FunctionalInterface
  private interface Form {
    void begin(MemorySegment buffer, long count, int peer, int tag);
  }

  @Requirement(
      id = "ARG-001",
      text = "A target that does not exist is refused with IndexOutOfBoundsException naming it.")
  void targetsExist(Communicator comm, RankMemory memory) {
    for (int target : new int[] {-1, -2, comm.size(), Integer.MAX_VALUE}) {
      for (Form form : sends(comm)) {
        refuses(
            IndexOutOfBoundsException.class,
            target,
            () -> form.begin(memory.blank(8), 1, target, 0));
      }
    }
    nothingMoved(comm, memory);
  }

  @Requirement(
      id = "ARG-002",
      text =
          "A source that neither exists nor is ANY_SOURCE is refused with"
              + " IndexOutOfBoundsException naming it.")
  void sourcesExist(Communicator comm, RankMemory memory) {
    for (int source : new int[] {-2, comm.size(), Integer.MIN_VALUE}) {
      List<Form> forms = receives(comm);
      forms.addAll(probes(comm));
      for (Form form : forms) {
        refuses(
            IndexOutOfBoundsException.class,
            source,
            () -> form.begin(memory.blank(8), 1, source, 0));
      }
    }
    nothingMoved(comm, memory);
  }

  @Requirement(
      id = "ARG-003",
      text =
          "A tag that is not from 0 to maxTag is refused with IllegalArgumentException naming it.")
  void tagsAreInRange(Communicator comm, RankMemory memory) {
    int me = comm.rank();
    for (int tag : new int[] {-1, -2, comm.maxTag() + 1}) {
      List<Form> forms = sends(comm);
      if (tag != ANY_TAG) {
        forms.addAll(receives(comm));
        forms.addAll(probes(comm));
      }
      for (Form form : forms) {
        refuses(IllegalArgumentException.class, tag, () -> form.begin(memory.blank(8), 1, me, tag));
      }
    }
    nothingMoved(comm, memory);
  }

  @Requirement(
      id = "ARG-004",
      text = "A negative count is refused with IllegalArgumentException naming it.")
  void countsAreNotNegative(Communicator comm, RankMemory memory) {
    List<Form> forms = sends(comm);
    forms.addAll(receives(comm));
    for (Form form : forms) {
      for (long count : new long[] {-1, Long.MIN_VALUE}) {
        refuses(
            IllegalArgumentException.class,
            count,
            () -> form.begin(memory.blank(8), count, comm.rank(), 0));
      }
    }
    nothingMoved(comm, memory);
  }

  @Requirement(
      id = "ARG-005",
      text =
          "A buffer smaller than the count is refused with IndexOutOfBoundsException naming its"
              + " size.")
  void buffersHoldTheirCount(Communicator comm, RankMemory memory) {
    List<Form> forms = sends(comm);
    forms.addAll(receives(comm));
    for (Form form : forms) {
      refuses(
          IndexOutOfBoundsException.class,
          15,
          () -> form.begin(memory.blank(15), 2, comm.rank(), 0));
      refuses(
          IndexOutOfBoundsException.class,
          0,
          () -> form.begin(MemorySegment.NULL, 1, comm.rank(), 0));
    }
    nothingMoved(comm, memory);
  }

  @Requirement(
      id = "ARG-006",
      text = "A read-only buffer can be sent, but to receive into one is refused.")
  void receivesNeedWritableBuffers(Communicator comm, RankMemory memory) {
    MemorySegment readOnly = memory.longs(3).asReadOnly();
    for (Form form : receives(comm)) {
      refuses(
          IllegalArgumentException.class,
          "read-only",
          () -> form.begin(readOnly, 1, comm.rank(), 0));
    }
    MemorySegment buffer = memory.blank(8);
    int me = comm.rank();
    comm.sendReceive(readOnly, 1, me, 0, buffer, 1, me, 0, DType.I64);
    RankMemory.check(readOnly, buffer, "a read-only message");
  }

  @Requirement(
      id = "ARG-007",
      text = "On a closed communicator everything is refused with IllegalStateException.",
      capability = Capability.SPLIT)
  void closedCommunicatorsRefuse(Communicator comm, RankMemory memory) {
    Communicator closed = comm.dup();
    closed.close();
    List<Form> forms = sends(closed);
    forms.addAll(receives(closed));
    forms.addAll(probes(closed));
    for (Form form : forms) {
      refuses(
          IllegalStateException.class,
          "closed",
          () -> form.begin(memory.blank(8), 1, comm.rank(), 0));
    }
    refuses(IllegalStateException.class, "closed", closed::dup);
    refuses(IllegalStateException.class, "closed", () -> closed.split(0, 0));
    if (has(Capability.COLLECTIVES)) {
      refuses(IllegalStateException.class, "closed", closed::barrier);
    }
    nothingMoved(comm, memory);
  }

  private List<Form> sends(Communicator comm) {
    DType type = DType.I64;
    List<Form> forms = new ArrayList<>();
    forms.add((buffer, count, peer, tag) -> comm.send(buffer, type, count, peer, tag));
    forms.add(
        (buffer, count, peer, tag) ->
            comm.sendReceive(
                buffer, count, peer, tag, MemorySegment.NULL, 0, comm.rank(), 0, type));
    if (has(Capability.SEND_MODES)) {
      forms.add(
          (buffer, count, peer, tag) ->
              comm.send(buffer, type, count, peer, tag, SendMode.SYNCHRONOUS));
    }
    if (has(Capability.NON_BLOCKING)) {
      forms.add((buffer, count, peer, tag) -> comm.isend(buffer, type, count, peer, tag));
    }
    if (has(Capability.PERSISTENT)) {
      forms.add(
          (buffer, count, peer, tag) ->
              comm.persistentSend(buffer, type, count, peer, tag, SendMode.STANDARD));
    }
    return forms;
  }

  private List<Form> receives(Communicator comm) {
    DType type = DType.I64;
    List<Form> forms = new ArrayList<>();
    forms.add((buffer, count, peer, tag) -> comm.receive(buffer, type, count, peer, tag));
    forms.add(
        (buffer, count, peer, tag) ->
            comm.sendReceive(
                MemorySegment.NULL, 0, comm.rank(), 0, buffer, count, peer, tag, type));
    if (has(Capability.NON_BLOCKING)) {
      forms.add((buffer, count, peer, tag) -> comm.ireceive(buffer, type, count, peer, tag));
    }
    if (has(Capability.PERSISTENT)) {
      forms.add(
          (buffer, count, peer, tag) -> comm.persistentReceive(buffer, type, count, peer, tag));
    }
    return forms;
  }

  private List<Form> probes(Communicator comm) {
    List<Form> forms = new ArrayList<>();
    if (has(Capability.PROBE)) {
      forms.add((_, _, peer, tag) -> comm.probe(peer, tag));
      forms.add((_, _, peer, tag) -> comm.iprobe(peer, tag));
    }
    if (has(Capability.MATCHED_PROBE)) {
      forms.add((_, _, peer, tag) -> comm.matchedProbe(peer, tag));
      forms.add((_, _, peer, tag) -> comm.imatchedProbe(peer, tag));
    }
    return forms;
  }

  /** Checks that a message goes through and that it is the only one. */
  private static void nothingMoved(Communicator comm, RankMemory memory) {
    MemorySegment buffer = memory.blank(8);
    int me = comm.rank();
    comm.sendReceive(memory.longs(me), 1, me, 1, buffer, 1, ANY_SOURCE, ANY_TAG, DType.I64);
    RankMemory.check(memory.longs(me), buffer, "the message after the refusals");
  }
}
