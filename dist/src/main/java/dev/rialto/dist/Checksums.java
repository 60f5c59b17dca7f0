package dev.rialto.dist;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The checksums of a release, as {@code sha256sum --check} reads them. */
final class Checksums {
  private static final String LIST = "SHA256SUMS";
  private static final int CHUNK = 1 << 16;

  private Checksums() {}

  /** Lists the files of the folder, but not those of the unpacked image, which has an archive. */
  static void write(Path folder) throws IOException {
    StringBuilder list = new StringBuilder();
    for (Path file : Folders.files(folder)) {
      Path name = folder.relativize(file);
      boolean unpacked = Files.exists(folder.resolve(name.getName(0) + ".tar.gz"));
      if (!unpacked && !name.toString().equals(LIST)) {
        list.append(of(file, "SHA-256")).append("  ").append(name).append('\n');
      }
    }
    Files.writeString(folder.resolve(LIST), list);
  }

  static String of(Path file, String algorithm) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      byte[] chunk = new byte[CHUNK];
      for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
        digest.update(chunk, 0, length);
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has " + algorithm, e);
    }
  }
}
