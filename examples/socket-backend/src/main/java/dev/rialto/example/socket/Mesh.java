package dev.rialto.example.socket;

import dev.rialto.example.socket.Loopback.Guest;
import dev.rialto.spi.error.PeerFailedException;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Connects each rank with each other one: a rank calls those below it and is called by those above.
 * They all listen before the {@link Rendezvous} tells any rank where, so no call comes too early.
 */
final class Mesh {
  /** The time that the ranks above have to call once all know of each other. */
  private static final Duration CALLS = Duration.ofSeconds(30);

  private Mesh() {}

  /**
   * Joins the other ranks.
   *
   * @return the connection to each other rank
   * @throws PeerFailedException if a rank does not come in time
   */
  static Map<Integer, Link> join(Ticket me, Group world) {
    Map<Integer, Link> links = new TreeMap<>();
    if (me.size() == 1) {
      return links;
    }
    try (ServerSocket server = Loopback.listen(me.size())) {
      int[] ports = portsOfAll(me, server.getLocalPort());
      for (int peer = 0; peer < me.rank(); peer++) {
        links.put(peer, new Link(Loopback.connect(ports[peer], me.key(), me.rank(), 0)));
      }
      long deadline = System.nanoTime() + CALLS.toNanos();
      for (int calls = me.rank() + 1; calls < me.size(); calls++) {
        Guest guest = Loopback.accept(server, me.key(), deadline);
        links.put(guest.rank(), new Link(guest.socket()));
      }
      return links;
    } catch (IOException e) {
      links.values().forEach(Link::close);
      throw new PeerFailedException(
          "could not join the other ranks: " + e.getMessage(),
          world.where(),
          "see what they say; a slow start gets more seconds with " + SocketLauncher.TIMEOUT,
          e);
    }
  }

  private static int[] portsOfAll(Ticket me, int port) throws IOException {
    try (Socket rendezvous = Loopback.connect(me.port(), me.key(), me.rank(), port)) {
      DataInputStream in = new DataInputStream(rendezvous.getInputStream());
      int[] ports = new int[me.size()];
      List<String> missing = new ArrayList<>();
      for (int rank = 0; rank < ports.length; rank++) {
        ports[rank] = in.readInt();
        if (ports[rank] == 0) {
          missing.add("rank " + rank);
        }
      }
      if (!missing.isEmpty()) {
        throw new IOException(String.join(", ", missing) + " did not come in time");
      }
      return ports;
    }
  }
}
