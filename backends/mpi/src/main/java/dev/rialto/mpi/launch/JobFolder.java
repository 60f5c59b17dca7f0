package dev.rialto.mpi.launch;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The folder in which the ranks of one job on this machine leave word for the process that started
 * them: their process numbers, their exit codes and, if they fail, their reasons.
 *
 * <p>It lies in memory where the system has a place for that, as Open MPI keeps the memory that
 * ranks share in it too. So whatever the job leaves behind goes when the folder goes.
 */
public final class JobFolder {
  /** The environment variable that tells the ranks where it is. */
  public static final String VARIABLE = "RIALTO_MPI_JOB";

  /**
   * The wrapper of each rank's command: a shell that notes the process number of itself and of the
   * command, then the command's exit code and how many ranks had noted theirs before: clocks are
   * too coarse to tell. Besides, a program called {@code java} would have its arguments changed by
   * Open MPI's launcher.
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
              + "\" ] || { before=0\n"
              + "for each in \"$"
              + VARIABLE
              + "\"/*.code; do [ ! -e \"$each\" ] || before=$((before + 1)); done\n"
              + "echo $code $before >\"$file.new\"; mv \"$file.new\" \"$file.code\";"
              + " rm -f \"$file.pid\"; }\n"
              + "exit $code",
          "sh");

  private static final String FIRST = "first";
  private static final String LATE = "late";
  private static final String END = "end";
  private static final Path MEMORY = Path.of("/dev/shm");

  private final Path path;

  /** A rank's reason to end the job; late if the job was ending for another reason by then. */
  record Words(int rank, boolean late, String text) {}

  /** A rank that has ended, with how many ranks had ended before. */
  record Ended(int rank, int code, int before) {}

  JobFolder(Path path) {
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
  public static Optional<JobFolder> ofThisRank() {
    return Optional.ofNullable(System.getenv(VARIABLE))
        .map(Path::of)
        .filter(Files::isDirectory)
        .map(JobFolder::new);
  }

  public Path path() {
    return path;
  }

  /** Notes why a rank ends the job; only the first reason of a rank counts. */
  void say(int rank, String words) throws IOException {
    String text = (isEnding() ? LATE : FIRST) + "\n" + words;
    Path file = Files.writeString(path.resolve(rank + ".said.new"), text, UTF_8);
    try {
      Files.move(file, path.resolve(rank + ".said"));
    } catch (FileAlreadyExistsException e) {
      Files.delete(file);
    }
  }

  /** Returns the ranks' reasons, in the order in which they were given. */
  List<Words> said() throws IOException {
    List<Words> words = new ArrayList<>();
    for (Path file : files("said")) {
      String[] text = Files.readString(file, UTF_8).split("\n", 2);
      words.add(new Words(rank(file), text[0].equals(LATE), text[1]));
    }
    return words;
  }

  /** Returns the ranks that have ended, in the order in which they did. */
  List<Ended> ended() throws IOException {
    List<Ended> ended = new ArrayList<>();
    for (Path file : files("code")) {
      String[] words = Files.readString(file, UTF_8).strip().split(" ", -1);
      ended.add(new Ended(rank(file), Integer.parseInt(words[0]), Integer.parseInt(words[1])));
    }
    ended.sort(Comparator.comparingInt(Ended::before));
    return ended;
  }

  /** Notes that the job is to end because the process that started it wants that. */
  void end() throws IOException {
    Files.writeString(path.resolve(END), "", UTF_8);
  }

  /**
   * Returns whether the job is ending: it was asked to, or a rank has ended badly or lost its
   * shell. Launchers end the other ranks only after that.
   */
  boolean isEnding() throws IOException {
    Set<Integer> withoutShell = new HashSet<>();
    processes()
        .forEach(
            (rank, numbers) -> {
              if (ProcessHandle.of(numbers[0]).map(ProcessState::hasEnded).orElse(true)) {
                withoutShell.add(rank);
              }
            });
    // A shell that ends by itself notes its code before; so the codes are read after the shells.
    for (Ended rank : ended()) {
      if (rank.code() != 0) {
        return true;
      }
      withoutShell.remove(rank.rank());
    }
    return !withoutShell.isEmpty() || Files.exists(path.resolve(END));
  }

  /** Returns the numbers of each rank's shell and of the process below it. */
  Map<Integer, long[]> processes() throws IOException {
    Map<Integer, long[]> numbers = new TreeMap<>();
    for (Path file : files("pid")) {
      try {
        String[] words = Files.readString(file, UTF_8).strip().split(" ", -1);
        numbers.put(rank(file), new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])});
      } catch (NoSuchFileException e) {
        numbers.remove(rank(file)); // it ended, and its shell removed the file, since the list
      }
    }
    return numbers;
  }

  private static int rank(Path file) {
    return Integer.parseInt(file.getFileName().toString().replaceFirst("[.].*", ""));
  }

  /** Returns the ranks' files of a kind, in the order in which they were written. */
  private List<Path> files(String kind) throws IOException {
    Map<Path, FileTime> times = new HashMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path, "[0-9]*." + kind)) {
      for (Path file : files) {
        try {
          times.put(file, Files.getLastModifiedTime(file));
        } catch (NoSuchFileException e) {
          times.remove(file); // its rank ended since the list
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return times.entrySet().stream()
        .sorted(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .toList();
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
