package dev.rialto.dist;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * Makes a folder that holds the command and the Java it needs: nothing has to be installed.
 *
 * <p>Rialto's jars stay jars beside the Java that {@code jlink} makes: it links no library without
 * a module descriptor. A {@link ClassArchive} makes them start as fast as if they were linked.
 */
final class Image {
  /**
   * Modules of the JDK that no descriptor names: the compiler, for programs that are run from
   * source, the Vector API, archives as file systems, charsets of terminals, and what libraries
   * without a descriptor use.
   */
  private static final List<String> MORE =
      List.of(
          "java.logging",
          "jdk.charsets",
          "jdk.compiler",
          "jdk.incubator.vector",
          "jdk.unsupported",
          "jdk.zipfs");

  private static final String SECTION = "# --- ";

  private static final String START =
      """
      #!/bin/sh
      # Runs Rialto with the Java that lies beside it.
      #
      # Environment: RIALTO_JAVA_OPTS, RIALTO_CLASSPATH, RIALTO_DEBUG, RIALTO_MPI, RIALTO_MPI_OPTIONS

      set -eu
      script=$0
      [ ! -L "$0" ] || script=$(readlink -f -- "$0")
      root=$(CDPATH='' cd -- "$(dirname -- "$script")/.." && pwd -P)
      app=$root/lib/rialto
      jdk=$root/lib/java
      archive=
      # Without a home nothing is kept; a folder that others can write is not one to keep it in.
      state=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/rialto
      [ -d "$state" ] || (umask 077 && mkdir -p "$state") 2>/dev/null || :

      """;

  private static final String WINDOWS_START =
      """
      @echo off
      rem Runs Rialto with the Java that lies beside it.
      rem
      rem Environment: RIALTO_JAVA_OPTS, RIALTO_CLASSPATH, RIALTO_DEBUG
      setlocal EnableExtensions DisableDelayedExpansion
      set "app=%~dp0..\\lib\\rialto"
      set "jdk=%~dp0..\\lib\\java"

      """;

  private Image() {}

  /**
   * Makes the image.
   *
   * @param jars among which the command and all that it uses are
   * @param tree where licence, documentation and examples are
   * @param folder where to make it; replaced if it exists
   */
  static void make(List<Path> jars, Tree tree, Path folder) throws IOException {
    Folders.delete(folder);
    Path lib = Files.createDirectories(folder.resolve("lib/rialto"));
    TreeSet<String> system = new TreeSet<>(MORE);
    for (ResolvedModule module : needed(jars)) {
      URI place = module.reference().location().orElseThrow();
      if (!place.getScheme().equals("file")) {
        continue; // incubating modules of the JDK, which are there only if asked for
      }
      Path jar = Path.of(place);
      Path copy = Files.copy(jar, lib.resolve(jar.getFileName()));
      // The time that it has in an archive: the JVM compares it before it trusts its own.
      Files.setLastModifiedTime(copy, TarGz.TIME);
      module.reference().descriptor().requires().stream()
          .filter(on -> !on.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC))
          .map(ModuleDescriptor.Requires::name)
          .filter(name -> ModuleFinder.ofSystem().find(name).isPresent())
          .forEach(system::add);
    }
    link(folder.resolve("lib/java"), system);
    ClassArchive.make(folder);
    script(tree, folder.resolve("bin/rialto"));
    if (Distribution.system().startsWith("windows")) {
      windowsScript(tree, folder.resolve("bin/rialto.cmd"));
    }
    for (String name : List.of("LICENSE", "README.md", "CHANGELOG.md")) {
      Files.copy(tree.root().resolve(name), folder.resolve(name));
    }
    Path examples = Files.createDirectories(folder.resolve("examples"));
    try (Stream<Path> sources = Files.list(tree.root().resolve("examples"))) {
      for (Path source : sources.filter(file -> file.toString().endsWith(".java")).toList()) {
        Files.copy(source, examples.resolve(source.getFileName()));
      }
    }
  }

  /** Returns the modules that the command uses, those that provide services to it included. */
  private static Set<ResolvedModule> needed(List<Path> jars) {
    return ModuleLayer.boot()
        .configuration()
        .resolveAndBind(
            ModuleFinder.of(jars.toArray(Path[]::new)),
            ModuleFinder.ofSystem(),
            List.of("dev.rialto", "dev.rialto.cli"))
        .modules();
  }

  private static void link(Path folder, Set<String> modules) {
    StringWriter said = new StringWriter();
    PrintWriter log = new PrintWriter(said);
    int code =
        ToolProvider.findFirst("jlink")
            .orElseThrow()
            .run(
                log,
                log,
                "--add-modules",
                String.join(",", modules),
                "--strip-debug",
                // It generates classes that depend on what this JVM has done before.
                "--disable-plugin",
                "generate-jli-classes",
                "--no-header-files",
                "--no-man-pages",
                "--compress",
                "zip-6",
                "--output",
                folder.toString());
    if (code != 0) {
      throw new IllegalStateException("jlink failed: " + said);
    }
  }

  /** The script of the tree starts the command the same way, so it lends that part. */
  private static void script(Tree tree, Path file) throws IOException {
    Folders.write(file, START + commandLine(tree, "rialto", SECTION) + "run_cli \"$@\"\n");
    if (!file.toFile().setExecutable(true, false)) {
      throw new IOException(file + " cannot be made executable");
    }
  }

  /** The same for Windows. */
  static void windowsScript(Tree tree, Path file) throws IOException {
    String own = commandLine(tree, "rialto.cmd", "rem --- ").replace("\r\n", "\n");
    Folders.write(file, (WINDOWS_START + own).replace("\n", "\r\n"));
  }

  /** Returns the section of a script of the tree that starts the command. */
  private static String commandLine(Tree tree, String name, String section) throws IOException {
    String own = Files.readString(tree.root().resolve(name));
    int from = own.indexOf(section + "The command line");
    int to = own.indexOf(section, from + 1);
    if (from < 0) {
      throw new IllegalStateException(
          "the script '" + name + "' has no section 'The command line'");
    }
    return own.substring(from, to < 0 ? own.length() : to);
  }
}
