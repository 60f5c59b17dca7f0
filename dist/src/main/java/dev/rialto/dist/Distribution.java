package dev.rialto.dist;

import dev.rialto.dist.site.Site;
import dev.rialto.system.OperatingSystem;
import dev.rialto.text.Version;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The work of {@code ./rialto package} after the build: everything that people download, in one
 * folder.
 *
 * <ul>
 *   <li>{@code maven/}: a Maven repository with jars, sources and Javadoc, which Maven itself makes
 *   <li>{@code rialto-VERSION-SYSTEM.tar.gz}: the command with its own Java
 *   <li>{@code site/}: the documentation
 *   <li>{@code SHA256SUMS}: checksums of all of these
 * </ul>
 */
public final class Distribution {
  private Distribution() {}

  /**
   * Makes the parts that are named.
   *
   * @param args the tree, the folder to write to, and {@code image} or {@code site}
   */
  public static void main(String[] args) throws IOException {
    Tree tree = new Tree(Path.of(args[0]));
    Path to = Path.of(args[1]);
    List<String> parts = List.of(args).subList(2, args.length);
    Files.createDirectories(to);
    if (parts.contains("image")) {
      String name = "rialto-" + Version.current() + "-" + system();
      Path image = to.resolve(name);
      Image.make(classPath(), tree, image);
      TarGz.write(image, to.resolve(name + ".tar.gz"));
    }
    if (parts.contains("site")) {
      Site.make(tree, to.resolve("site"), tree.documented());
    }
    Checksums.write(to);
  }

  /** Returns the jars of this process. */
  static List<Path> classPath() {
    String path = System.getProperty("java.class.path");
    return Arrays.stream(path.split(File.pathSeparator)).map(Path::of).toList();
  }

  /** Returns the system that images are made on and for, such as {@code linux-amd64}. */
  static String system() {
    String name = OperatingSystem.current().name().toLowerCase(Locale.ROOT);
    return name + "-" + System.getProperty("os.arch");
  }
}
