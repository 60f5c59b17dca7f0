package dev.rialto.example.socket;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/** Connections between the processes of one job, which know one another by the job's key. */
final class Loopback {
  private static final int HELLO_MILLIS = 5_000;

  private Loopback() {}

  /**
   * One of the job's ranks that has connected.
   *
   * @param rank which
   * @param port where it listens itself
   * @param socket the connection
   */
  record Guest(int rank, int port, Socket socket) {}

  /** Listens on a free port that only this machine can reach. */
  static ServerSocket listen(int backlog) throws IOException {
    return new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
  }

  /** Connects to {@code target} and says who is there, in one write so that it is one packet. */
  static Socket connect(int target, long key, int rank, int port) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), target);
    byte[] hello = ByteBuffer.allocate(16).putLong(key).putInt(rank).putInt(port).array();
    socket.getOutputStream().write(hello);
    return socket;
  }

  /**
   * Waits for the next rank to connect. Strangers, who don't know the key, are turned away.
   *
   * @param deadline until when, as {@link System#nanoTime} counts
   * @throws java.net.SocketTimeoutException if none does
   */
  static Guest accept(ServerSocket server, long key, long deadline) throws IOException {
    while (true) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      server.setSoTimeout(Math.clamp(left, 1, Integer.MAX_VALUE));
      Socket socket = server.accept();
      try {
        socket.setSoTimeout(HELLO_MILLIS);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        if (in.readLong() == key) {
          Guest guest = new Guest(in.readInt(), in.readInt(), socket);
          socket.setSoTimeout(0);
          return guest;
        }
      } catch (IOException e) {
        // Hung up or said nothing: a stranger too. A rank that did so is missed at the deadline.
      }
      socket.close();
    }
  }
}
