package dev.rialto.example.socket;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Socket;

/**
 * The connection to one other rank: frames of a fixed header (context, source, tag, bytes) and a
 * payload.
 *
 * <p>Payloads pass through an array chunk by chunk. That is one more copy, but any segment will do
 * (native, on the heap, another thread's until now) and no length is too long. Any thread may
 * write, one reads.
 */
final class Link implements AutoCloseable {
  private static final int CHUNK = 1 << 16;

  private final Socket socket;
  private final DataOutputStream out;
  private final DataInputStream in;
  private final byte[] outgoing = new byte[CHUNK];
  private final byte[] incoming = new byte[CHUNK];

  Link(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    this.socket = socket;
    this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  synchronized void write(Frame frame) throws IOException {
    MemorySegment payload = frame.payload();
    long bytes = payload.byteSize();
    if (bytes > 0) {
      // Closed or foreign memory must throw here, not when half of the frame is gone.
      payload.get(ValueLayout.JAVA_BYTE, 0);
    }
    out.writeLong(frame.context());
    out.writeInt(frame.source());
    out.writeInt(frame.tag());
    out.writeLong(bytes);
    for (long at = 0; at < bytes; at += CHUNK) {
      int length = (int) Math.min(CHUNK, bytes - at);
      MemorySegment.copy(payload, ValueLayout.JAVA_BYTE, at, outgoing, 0, length);
      out.write(outgoing, 0, length);
    }
    out.flush();
  }

  /**
   * Waits for the next frame.
   *
   * @throws java.io.EOFException if the other side has ended the connection
   */
  Frame read() throws IOException {
    long context = in.readLong();
    int source = in.readInt();
    int tag = in.readInt();
    long bytes = in.readLong();
    MemorySegment payload = Frame.room(bytes);
    for (long at = 0; at < bytes; at += CHUNK) {
      int length = (int) Math.min(CHUNK, bytes - at);
      in.readFully(incoming, 0, length);
      MemorySegment.copy(incoming, 0, payload, ValueLayout.JAVA_BYTE, at, length);
    }
    return new Frame(context, source, tag, payload);
  }

  /** Tells the other side that nothing follows; it can still send. */
  synchronized void endOutput() throws IOException {
    socket.shutdownOutput();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
