package dev.rialto.dist;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPOutputStream;

/**
 * Packs a folder as {@code .tar.gz}. Names are in order, times and owners are fixed, so the same
 * files give the same bytes; the tar commands of different systems agree on no option for that.
 */
final class TarGz {
  static final FileTime TIME = FileTime.fromMillis(0);

  private static final int BLOCK = 512;
  private static final int NAME = 100;

  private TarGz() {}

  static void write(Path folder, Path archive) throws IOException {
    Path parent = requireNonNull(folder.toAbsolutePath().getParent());
    try (OutputStream file = Files.newOutputStream(archive);
        OutputStream out = new BufferedOutputStream(new GZIPOutputStream(file, BLOCK * BLOCK))) {
      for (Path each : Folders.files(folder)) {
        String name = parent.relativize(each.toAbsolutePath()).toString().replace('\\', '/');
        if (Files.isSymbolicLink(each)) {
          out.write(header(name, 0777, 0, '2', Files.readSymbolicLink(each).toString()));
          continue;
        }
        long length = Files.size(each);
        out.write(header(name, Files.isExecutable(each) ? 0755 : 0644, length, '0', ""));
        Files.copy(each, out);
        out.write(new byte[Math.floorMod(-length, BLOCK)]);
      }
      out.write(new byte[2 * BLOCK]);
    }
  }

  private static byte[] header(String name, int mode, long length, char type, String target) {
    byte[] header = new byte[BLOCK];
    // The ustar format has room for 100 bytes of name and for 155 of folders before them.
    int cut = name.length() <= NAME ? -1 : name.indexOf('/', name.length() - NAME - 1);
    text(header, 0, name.substring(cut + 1));
    text(header, 345, cut < 0 ? "" : name.substring(0, cut));
    text(header, 100, octal(mode, 7));
    text(header, 108, octal(0, 7));
    text(header, 116, octal(0, 7));
    text(header, 124, octal(length, 11));
    text(header, 136, octal(TIME.to(TimeUnit.SECONDS), 11));
    text(header, 148, " ".repeat(8));
    header[156] = (byte) type;
    text(header, 157, target);
    text(header, 257, "ustar");
    text(header, 263, "00");
    int sum = 0;
    for (byte each : header) {
      sum += each & 0xFF;
    }
    text(header, 148, octal(sum, 6) + "\0 ");
    return header;
  }

  private static String octal(long value, int digits) {
    return String.format(Locale.ROOT, "%0" + digits + "o", value);
  }

  private static void text(byte[] header, int at, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }
}
