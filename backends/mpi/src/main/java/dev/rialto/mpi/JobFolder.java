package dev.rialto.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The folder in which the ranks of one job on this machine leave word for the process that started
 * them: their process numbers, their exit codes and, if they fail, their reasons.
 *
 * <p>It lies in memory where the system has a place for that, as Open MPI keeps the memory that
 * ranks share in it too. So whatever the job leaves behind goes when the folder goes.
 */
final class JobFolder {
  /** The environment variable that tells the ranks where it is. */
  static final String VARIABLE = "RIALTO_MPI_JOB";

  /**
   * What each rank runs its command with: a shell that notes the process number of itself and of
   * the command, and the command's exit code. Besides, a program called {@code java} would have its
   * arguments changed by Open MPI's launcher.
   */
  static final List<String> SHELL =
      List.of(
          "sh",
          "-c",
          "[ -d \"${"
              + VARIABLE
              + ":-}\" ] || exec \"$@\"\n"
              + "file=\"$"
              + VARIABLE
              + "/${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-0}}}\"\n"
              + "sh -c 'echo $PPID $$ >\"$0.new\" && mv \"$0.new\" \"$0.pid\"; exec \"$@\"'"
              + " \"$file\" \"$@\"\n"
              + "code=$?\n"
              + "[ ! -d \"$"
              + VARIABLE
              + "\" ] || { echo $code >\"$file.new\"; mv \"$file.new\" \"$file.code\";"
              + " rm -f \"$file.pid\"; }\n"
              + "exit $code",
          "sh");

  private static final Path MEMORY = Path.of("/dev/shm");

  private final Path path;

  private JobFolder(Path path) {
    this.path = path;
  }

  static JobFolder create() throws IOException {
    String prefix = "rialto-mpi";
    return new JobFolder(
        Files.isDirectory(MEMORY) && Files.isWritable(MEMORY)
            ? Files.createTempDirectory(MEMORY, prefix)
            : Files.createTempDirectory(prefix));
  }

  /** Returns the folder of the job that this process is a rank of, if there is one here. */
  static Optional<JobFolder> ofThisRank() {
    return Optional.ofNullable(System.getenv(VARIABLE))
        .map(Path::of)
        .filter(Files::isDirectory)
        .map(JobFolder::new);
  }

  Path path() {
    return path;
  }

  /** Notes why a rank ends the job; only the first reason of a rank counts. */
  void say(int rank, String words) throws IOException {
    Path file = Files.writeString(path.resolve(rank + ".said.new"), words, UTF_8);
    try {
      Files.move(file, path.resolve(rank + ".said"));
    } catch (FileAlreadyExistsException e) {
      Files.delete(file);
    }
  }

  /** Returns the ranks' reasons, in the order in which they were given. */
  List<String> said() throws IOException {
    List<String> words = new ArrayList<>();
    for (File file : files(".said")) {
      words.add(Files.readString(file.toPath(), UTF_8));
    }
    return words;
  }

  /** Returns the exit codes of the ranks that have ended, in the order in which they did. */
  List<Map.Entry<Integer, Integer>> codes() throws IOException {
    List<Map.Entry<Integer, Integer>> codes = new ArrayList<>();
    for (File file : files(".code")) {
      String code = Files.readString(file.toPath(), UTF_8).strip();
      codes.add(Map.entry(rank(file), Integer.parseInt(code)));
    }
    return codes;
  }

  /** Returns the numbers of each rank's shell and of the process below it. */
  Map<Integer, long[]> processes() throws IOException {
    Map<Integer, long[]> numbers = new TreeMap<>();
    for (File file : files(".pid")) {
      try {
        String[] words = Files.readString(file.toPath(), UTF_8).strip().split(" ", -1);
        numbers.put(rank(file), new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])});
      } catch (NoSuchFileException e) {
        numbers.remove(rank(file)); // it ended, and its shell removed the file, since the list
      }
    }
    return numbers;
  }

  private static int rank(File file) {
    return Integer.parseInt(file.getName().replaceFirst("[.].*", ""));
  }

  private List<File> files(String ending) throws IOException {
    try (Stream<Path> files = Files.list(path)) {
      return files
          .map(Path::toFile)
          .filter(file -> file.getName().matches("[0-9]+[.]" + ending.substring(1)))
          .sorted(Comparator.comparingLong(File::lastModified))
          .toList();
    }
  }

  /** Deletes the folder and what is in it, also while processes that end still change it. */
  void delete() throws IOException {
    for (int again = 0; Files.exists(path); again++) {
      try {
        deleteAll();
      } catch (DirectoryNotEmptyException e) {
        if (again == 100) {
          throw e;
        }
      }
    }
  }

  private void deleteAll() throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(path)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    } catch (NoSuchFileException | UncheckedIOException e) {
      return; // A folder went while it was listed; the caller looks again.
    }
    for (Path file : all) {
      Files.deleteIfExists(file);
    }
  }
}
