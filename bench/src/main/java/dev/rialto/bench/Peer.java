package dev.rialto.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A C program that does the same work as Rialto.
 *
 * <p>Its source is a resource beside this class. It is compiled when the suite starts, so that it
 * is built for this machine by the compiler a user would use, and prints a line {@code case time}
 * for each case, the time being the median of its repetitions. It is started anew for each round: a
 * peer that stayed alive would spin on the cores that Rialto is measured on.
 */
public final class Peer {
  private static final int LIMIT_SECONDS = 120;

  private final String name;
  private final List<String> command;

  private Peer(String name, List<String> command) {
    this.name = name;
    this.command = command;
  }

  /** Returns the name of the peer, with its version. */
  public String name() {
    return name;
  }

  /** Compiles a resource, or returns nothing if the compiler is not there. */
  public static Optional<Path> compile(String resource, Path folder, String... compiler) {
    if (version(compiler[0]).isEmpty()) {
      return Optional.empty();
    }
    try {
      Path file = folder.resolve(resource);
      Path program = folder.resolve(resource.substring(0, resource.lastIndexOf('.')));
      Files.writeString(file, source(resource));
      List<String> arguments = new ArrayList<>(List.of(compiler));
      arguments.addAll(List.of(file.toString(), "-o", program.toString(), "-lm"));
      Output output = output(arguments);
      if (output.code() != 0) {
        throw new IllegalStateException(String.join(" ", arguments) + " failed:\n" + output.text());
      }
      return Optional.of(program);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the text of a resource beside this class. */
  public static String source(String resource) {
    try (InputStream source = Peer.class.getResourceAsStream(resource)) {
      if (source == null) {
        throw new IllegalStateException("the resource " + resource + " is missing from the jar");
      }
      return new String(source.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns what a compiler needs for an installed library; nothing if it is not installed. */
  public static Optional<List<String>> packageFlags(String library) {
    try {
      Output output = output(List.of("pkg-config", "--cflags", "--libs", library));
      return output.code() == 0
          ? Optional.of(List.of(output.text().trim().split("\\s+")))
          : Optional.empty();
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  /** Returns this peer with the name of the library it uses. */
  public Peer named(String library) {
    return new Peer(library + " on " + name.replace(" C", ""), command);
  }

  /** Makes a peer of a program that is started as it is. */
  public static Peer program(String name, Path program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(List.of(arguments));
    return new Peer(name, command);
  }

  /** Makes a peer of an MPI program of two ranks. */
  public static Peer mpi(Path program, String... arguments) {
    List<String> command = new ArrayList<>(List.of("mpirun", "-n", "2"));
    String version = version("mpirun").orElse("MPI");
    if (version.contains("Open MPI")) {
      command.addAll(List.of("--allow-run-as-root", "--bind-to", "core"));
    }
    command.add(program.toString());
    command.addAll(List.of(arguments));
    return new Peer(version.replaceAll(".*\\((Open MPI)\\) ", "$1 ") + " C", command);
  }

  /** Returns the version of the MPI library that a program is linked with, as it tells it. */
  public static String library(Path program) {
    return output(List.of(program.toString())).text().strip().replaceAll("\\s+", " ");
  }

  /** Runs the program once, unless measuring is stopped, and returns its times by case. */
  public Map<String, Double> times(Suite.Progress progress) {
    Output output = output(command, progress);
    if (output.code() != 0) {
      throw new IllegalStateException(String.join(" ", command) + " failed:\n" + output.text());
    }
    Map<String, Double> times = new LinkedHashMap<>();
    for (String line : output.text().lines().toList()) {
      String[] words = line.split(" ", -1);
      if (words.length == 2) {
        times.put(words[0], Double.parseDouble(words[1]));
      }
    }
    return times;
  }

  /** Returns the first line a program prints for {@code --version}, if it can be started. */
  public static Optional<String> version(String program) {
    try {
      return output(List.of(program, "--version")).text().lines().findFirst();
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  private record Output(int code, String text) {}

  private static Output output(List<String> command) {
    return output(command, Suite.Progress.NONE);
  }

  private static Output output(List<String> command, Suite.Progress progress) {
    try {
      Path log = Files.createTempFile("rialto-peer", ".log");
      try {
        Process process =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        RankJobs.await(process, command, LIMIT_SECONDS, progress);
        return new Output(process.exitValue(), Files.readString(log, StandardCharsets.UTF_8));
      } finally {
        Files.delete(log);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the peer ran", e);
    }
  }
}
