package dev.rialto.io;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes pictures as PNG files, 8 bits per colour.
 *
 * <p>The JDK's own writer would bring the whole desktop module into every image made with jlink for
 * these few lines.
 */
public final class Png {
  private static final byte[] SIGNATURE = {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

  private Png() {}

  /**
   * Encodes {@code width * height} pixels of red, green and blue, row by row.
   *
   * @throws IllegalArgumentException if there are more or fewer bytes than that
   */
  public static byte[] encode(int width, int height, byte[] rgb) {
    if (width < 1 || height < 1 || rgb.length != 3L * width * height) {
      throw new IllegalArgumentException(
          "%d bytes for a picture of %d x %d pixels; give 3 for each of at least one"
              .formatted(rgb.length, width, height));
    }
    byte[] rows = new byte[height * (3 * width + 1)];
    for (int y = 0; y < height; y++) {
      // Each row starts with the number of its filter; 0 is none.
      System.arraycopy(rgb, 3 * width * y, rows, (3 * width + 1) * y + 1, 3 * width);
    }
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    file.writeBytes(SIGNATURE);
    ByteBuffer header = ByteBuffer.allocate(13).putInt(width).putInt(height);
    header.put((byte) 8).put((byte) 2);
    chunk(file, "IHDR", header.array());
    chunk(file, "IDAT", deflate(rows));
    chunk(file, "IEND", new byte[0]);
    return file.toByteArray();
  }

  private static void chunk(ByteArrayOutputStream file, String type, byte[] data) {
    byte[] name = type.getBytes(StandardCharsets.US_ASCII);
    CRC32 crc = new CRC32();
    crc.update(name);
    crc.update(data);
    file.writeBytes(ByteBuffer.allocate(4).putInt(data.length).array());
    file.writeBytes(name);
    file.writeBytes(data);
    file.writeBytes(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
  }

  private static byte[] deflate(byte[] data) {
    try (Deflater deflater = new Deflater()) {
      deflater.setInput(data);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] buffer = new byte[1 << 16];
      while (!deflater.finished()) {
        out.write(buffer, 0, deflater.deflate(buffer));
      }
      return out.toByteArray();
    }
  }
}
