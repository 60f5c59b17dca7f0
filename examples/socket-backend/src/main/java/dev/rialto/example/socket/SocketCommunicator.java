package dev.rialto.example.socket;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.parts.messages.ComposedCommunicator;
import dev.rialto.spi.parts.messages.MessageCollectives;
import dev.rialto.spi.parts.messages.MessageWindows;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A communicator: its messages are {@link SocketMessages}, its collectives and windows are made of
 * others that no user sees.
 */
final class SocketCommunicator extends ComposedCommunicator {
  private final Switchboard board;
  private final Group group;
  private final MessageCollectives collectives;
  private final MessageWindows windows;
  private boolean closed;

  SocketCommunicator(Switchboard board, Group group) {
    this(
        board,
        group,
        new SocketMessages(board, group),
        new MessageCollectives(new SocketMessages(board, group.ofCollectives())));
  }

  private SocketCommunicator(
      Switchboard board, Group group, SocketMessages messages, MessageCollectives collectives) {
    super(messages, collectives);
    this.board = board;
    this.group = group;
    this.collectives = collectives;
    this.windows = new MessageWindows(this, new SocketMessages(board, group.ofWindows()));
  }

  @Override
  public Topology topology(int[] sources, int[] targets) {
    return collectives.topology(sources, targets);
  }

  @Override
  public Window window(MemorySegment memory) {
    return windows.window(memory);
  }

  @Override
  public Window allocateWindow(long bytes) {
    return windows.allocateWindow(bytes);
  }

  @Override
  public Window dynamicWindow() {
    return windows.dynamicWindow();
  }

  @Override
  public Communicator dup() {
    return part("dup", 0, rank()).orElseThrow();
  }

  @Override
  public Optional<Communicator> split(int color, int key) {
    if (color < 0 && color != NO_COLOR) {
      throw new IllegalArgumentException(
          "color " + color + " is negative; give one from 0 up, or NO_COLOR");
    }
    return part("split " + color, color, key);
  }

  /**
   * Tells all ranks this one's color and key. Rank 0 adds a context; one does for all parts, since
   * no rank is in two of them.
   */
  private Optional<Communicator> part(String what, int color, int key) {
    long[] mine = {color, key, rank() == 0 ? board.newContext() : 0};
    long[] all = new long[mine.length * size()];
    allGather(MemorySegment.ofArray(mine), MemorySegment.ofArray(all), DType.I64, mine.length);
    if (color == NO_COLOR) {
      return Optional.empty();
    }
    List<Integer> ranks =
        IntStream.range(0, size())
            .filter(r -> all[3 * r] == color)
            .boxed()
            .sorted(Comparator.comparingLong(r -> all[3 * r + 1]))
            .toList();
    List<Integer> members = ranks.stream().map(group.members()::get).toList();
    Group part = new Group(all[2], name() + "/" + what, ranks.indexOf(rank()), members);
    return Optional.of(new SocketCommunicator(board, part));
  }

  @Override
  public void abort(String reason) {
    board.abort("rank " + rank() + " of " + name() + " aborted: " + reason);
  }

  @Override
  public synchronized void close() {
    if (closed || group.context() == Group.WORLD) {
      return;
    }
    closed = true;
    long receives = board.mailbox().close(group);
    int pending = collectives.open() + windows.open();
    board.mailbox().close(group.ofCollectives());
    windows.close();
    if (receives + pending > 0) {
      throw new IllegalStateException(
          "%s was closed with %d receives and %d collectives, topologies or windows open; close them before"
              .formatted(name(), receives, pending));
    }
  }
}
