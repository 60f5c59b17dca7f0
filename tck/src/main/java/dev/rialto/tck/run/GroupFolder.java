package dev.rialto.tck.run;

import dev.rialto.tck.Outcome;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/**
 * The folder in which the processes of a group tell the kit, and one another, how each requirement
 * went: a file per requirement and rank, complete as soon as it exists.
 *
 * <p>Ranks that wait for each other's files stay in step without a call to the backend under test.
 */
final class GroupFolder {
  /**
   * The word of one rank about one requirement.
   *
   * @param outcome how it went here
   * @param message why it did not go well
   * @param detail stacks
   * @param ran whether the world was used
   * @param spent whether the world can no longer be used
   * @param covered what its random cases covered
   */
  record Word(
      Outcome outcome,
      String message,
      String detail,
      boolean ran,
      boolean spent,
      List<String> covered) {
    /** Says for a rank what it no longer can. */
    static Word lost(String message, String detail) {
      return new Word(Outcome.FAILED, message, detail, false, true, List.of());
    }

    boolean failed() {
      return outcome == Outcome.FAILED;
    }

    boolean isLast() {
      return spent || failed();
    }
  }

  private final Path path;
  private final int ranks;
  private final Map<Path, Word> known = new ConcurrentHashMap<>();

  GroupFolder(Path path, int ranks) {
    this.path = path;
    this.ranks = ranks;
  }

  void say(int requirement, int rank, Word word) {
    try {
      Path part = path.resolve(requirement + "-" + rank + ".part");
      Files.writeString(part, Json.write(word));
      Files.move(part, file(requirement, rank), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Optional<Word> word(int requirement, int rank) {
    Path file = file(requirement, rank);
    if (!known.containsKey(file) && Files.exists(file)) {
      known.put(file, read(file));
    }
    return Optional.ofNullable(known.get(file));
  }

  private static Word read(Path file) {
    try {
      Map<?, ?> word = Json.readObject(Files.readString(file));
      List<?> covered = Json.member(word, "covered", List.class);
      return new Word(
          Outcome.valueOf(Json.member(word, "outcome", String.class)),
          Json.member(word, "message", String.class),
          Json.member(word, "detail", String.class),
          Json.member(word, "ran", Boolean.class),
          Json.member(word, "spent", Boolean.class),
          covered.stream().map(String.class::cast).toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean isGone() {
    return !Files.exists(path);
  }

  /** Returns what each rank has said, in rank order. */
  List<Optional<Word>> words(int requirement) {
    return IntStream.range(0, ranks).mapToObj(rank -> word(requirement, rank)).toList();
  }

  private Path file(int requirement, int rank) {
    return path.resolve(requirement + "-" + rank + ".json");
  }
}
