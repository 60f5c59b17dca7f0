package dev.rialto.local.world;

import dev.rialto.local.collective.LocalCollectives;
import dev.rialto.local.collective.LocalTopologies;
import dev.rialto.local.message.LocalMessages;
import dev.rialto.local.rank.Rank;
import dev.rialto.local.window.LocalWindows;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.parts.messages.ComposedCommunicator;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One rank's end of a communicator, put together from its parts. */
public final class LocalCommunicator extends ComposedCommunicator {
  public static final Set<Capability> CAPABILITIES =
      Collections.unmodifiableSet(EnumSet.range(Capability.POINT_TO_POINT, Capability.NODE_SPLIT));

  private final Member member;
  private final LocalMessages messages;
  private final LocalCollectives collectives;
  private final LocalTopologies topologies;
  private final LocalWindows windows;
  private final boolean ofWorld;
  private int divisions;

  private LocalCommunicator(
      Member member, LocalMessages messages, LocalCollectives collectives, boolean ofWorld) {
    super(messages, collectives);
    this.member = member;
    this.messages = messages;
    this.collectives = collectives;
    this.topologies = new LocalTopologies(member, collectives);
    this.windows = new LocalWindows(member, collectives);
    this.ofWorld = ofWorld;
    member.self.join(messages);
  }

  private static LocalCommunicator of(Group group, int rank, boolean ofWorld) {
    Member member = new Member(group, rank);
    return new LocalCommunicator(
        member, new LocalMessages(member), new LocalCollectives(member), ofWorld);
  }

  /** Makes a rank's end of the communicator that belongs to the world. */
  static LocalCommunicator ofWorld(Group all, int rank) {
    return of(all, rank, true);
  }

  /** Returns this rank's membership of the group. */
  public Member member() {
    return member;
  }

  public LocalCollectives collectives() {
    return collectives;
  }

  @Override
  public void barrier() {
    collectives.barrier();
  }

  @Override
  public void broadcast(MemorySegment buffer, DType type, long count, int root) {
    collectives.broadcast(buffer, type, count, root);
  }

  @Override
  public void allGather(MemorySegment send, MemorySegment receive, DType type, long count) {
    collectives.allGather(send, receive, type, count);
  }

  @Override
  public void allToAll(MemorySegment send, MemorySegment receive, DType type, long count) {
    collectives.allToAll(send, receive, type, count);
  }

  @Override
  public void reduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op, int root) {
    collectives.reduce(send, receive, type, count, op, root);
  }

  @Override
  public void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    collectives.allReduce(send, receive, type, count, op);
  }

  @Override
  public Topology topology(int[] sources, int[] targets) {
    return topologies.make(sources, targets);
  }

  @Override
  public Window window(MemorySegment memory) {
    return windows.window(memory);
  }

  @Override
  public Window allocateWindow(long bytes) {
    return windows.allocate(bytes, false);
  }

  @Override
  public Window sharedWindow(long bytes) {
    return windows.allocate(bytes, true);
  }

  @Override
  public Window dynamicWindow() {
    return windows.dynamic();
  }

  @Override
  public Communicator dup() {
    return divide("dup", "", 0, 0);
  }

  @Override
  public Communicator splitByNode() {
    return divide("node", "", 0, 0);
  }

  @Override
  public Optional<Communicator> split(int color, int key) {
    if (color < 0 && color != NO_COLOR) {
      throw new IllegalArgumentException(
          "color " + color + " is negative; give one from 0 up, or NO_COLOR to be in no part");
    }
    if (color == NO_COLOR) {
      var _ = collectives.exchange("split", new Part(rank(), color, key));
      divisions++;
      return Optional.empty();
    }
    return Optional.of(divide("split", " color " + color, color, key));
  }

  /** Makes the communicator of the ranks that give the same color, in the order of their keys. */
  private LocalCommunicator divide(String how, String suffix, int color, int key) {
    Object[] parts = collectives.exchange(how, new Part(rank(), color, key));
    List<Part> members = new ArrayList<>();
    for (Object each : parts) {
      if (each instanceof Part part && part.color == color) {
        members.add(part);
      }
    }
    Part first = members.getFirst();
    members.sort(Comparator.comparingInt(part -> part.key));
    divisions++;
    Group made = first.group(this, name() + "/" + how + " " + divisions + suffix, members);
    int place = 0;
    while (members.get(place).rank != rank()) {
      place++;
    }
    return of(made, place, false);
  }

  /** A rank's choice when its communicator is divided. */
  private static final class Part {
    private final int rank;
    private final int color;
    private final int key;
    private @Nullable Group group;

    Part(int rank, int color, int key) {
      this.rank = rank;
      this.color = color;
      this.key = key;
    }

    /** Returns the group of all parts of one color; that of the first of them is used by all. */
    synchronized Group group(LocalCommunicator parent, String name, List<Part> members) {
      if (group == null) {
        Rank[] ranks =
            members.stream()
                .map(part -> parent.member.group.member(part.rank))
                .toArray(Rank[]::new);
        group = new Group(name, ranks);
      }
      return group;
    }
  }

  @Override
  public void whenReturned(Runnable closing) {
    member.self.left().add(this, closing);
  }

  @Override
  public void settle() {
    member.self.left().settle(this);
  }

  @Override
  public void abort(String reason) {
    Rank self = member.self;
    self.world.abort(
        self.index, new CommunicationException("aborted: " + reason, self.toString(), "", null));
  }

  @Override
  public void close() {
    if (ofWorld || member.isClosed()) {
      return;
    }
    List<Object> open = member.markClosed();
    member.self.quit(messages);
    if (!open.isEmpty() && !member.failed()) {
      throw new IllegalStateException(
          ("%s is closed with %s of its requests, windows or topologies still open, such as "
                  + "%s; close or complete them first")
              .formatted(name(), open.size(), open.getFirst()));
    }
  }
}
