package dev.rialto.example.socket;

import dev.rialto.example.socket.Loopback.Guest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * The meeting point of a job's ranks: a port of the launcher's that each knows from its {@link
 * Ticket}.
 *
 * <p>Each rank that opens a world comes with the port it listens on and is told those of all ranks
 * once all have come. If some have not in time, the others are told all the same, with port 0 for
 * the missing ones. Then the next round begins: a job may open one world after another.
 */
final class Rendezvous implements AutoCloseable {
  private static final Duration FOREVER = Duration.ofDays(365);

  private final ServerSocket server;
  private final int ranks;
  private final long key;
  private final Duration patience;

  Rendezvous(int ranks, long key, Duration patience) throws IOException {
    this.server = Loopback.listen(ranks);
    this.ranks = ranks;
    this.key = key;
    this.patience = patience;
    Thread.ofPlatform().daemon().name("socket-rendezvous").start(this::serve);
  }

  int port() {
    return server.getLocalPort();
  }

  private void serve() {
    while (!server.isClosed()) {
      try {
        answer(gather());
      } catch (IOException e) {
        // Closed at the end of the job, or a rank has died, which the job sees for itself.
      }
    }
  }

  private Guest[] gather() throws IOException {
    Guest[] guests = new Guest[ranks];
    long deadline = System.nanoTime() + FOREVER.toNanos();
    for (int joined = 0; joined < ranks; joined++) {
      try {
        Guest guest = Loopback.accept(server, key, deadline);
        guests[guest.rank()] = guest;
      } catch (SocketTimeoutException e) {
        break;
      }
      if (joined == 0) {
        deadline = System.nanoTime() + patience.toNanos();
      }
    }
    return guests;
  }

  private static void answer(Guest[] guests) throws IOException {
    ByteBuffer ports = ByteBuffer.allocate(Integer.BYTES * guests.length);
    for (Guest guest : guests) {
      ports.putInt(guest == null ? 0 : guest.port());
    }
    for (Guest guest : guests) {
      if (guest != null) {
        guest.socket().getOutputStream().write(ports.array());
        guest.socket().close();
      }
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
