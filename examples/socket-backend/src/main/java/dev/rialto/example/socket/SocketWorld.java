package dev.rialto.example.socket;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.error.CommunicationException;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The world that a process was launched into, or a world of one. This process is one rank of it.
 */
final class SocketWorld implements World {
  private final Group group;
  private final Switchboard board;
  private final Communicator comm;
  private boolean running;
  private boolean closed;

  private SocketWorld(Group group, Switchboard board) {
    this.group = group;
    this.board = board;
    this.comm = new SocketCommunicator(board, group);
  }

  /** Opens the world together with its other ranks, and ends this process if its launcher ends. */
  static World join(Ticket me) {
    List<Integer> ranks = IntStream.range(0, me.size()).boxed().toList();
    Group group = new Group(Group.WORLD, "socket/world", me.rank(), ranks);
    if (!me.equals(Ticket.ALONE)) {
      Thread.ofPlatform().daemon().start(() -> awaitEndOf(me.launcher(), group));
    }
    return new SocketWorld(group, new Switchboard(me.rank(), Mesh.join(me, group)));
  }

  private static void awaitEndOf(long launcher, Group group) {
    ProcessHandle.of(launcher).ifPresent(process -> process.onExit().join());
    System.err.println(group.where() + " ends because its launcher has ended");
    Runtime.getRuntime().halt(1);
  }

  @Override
  public int size() {
    return group.size();
  }

  @Override
  public <T> List<T> call(RankFunction<T> function) {
    if (closed || running || board.mailbox().failure() != null) {
      throw new IllegalStateException(
          "the world "
              + (closed ? "is closed" : running ? "is running" : "has failed")
              + "; open another");
    }
    running = true;
    try {
      return Collections.singletonList(function.run(comm));
    } catch (Throwable e) {
      board.abort("rank " + group.rank() + " failed: " + e);
      throw new CommunicationException("the body threw " + e, group.where(), "", e);
    } finally {
      running = false;
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      board.mailbox().close(group);
      board.close();
    }
  }
}
