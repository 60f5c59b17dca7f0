package dev.rialto.tck.run;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.system.JavaCommand;
import dev.rialto.tck.Tck;
import dev.rialto.text.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The task of the processes of a group, and the command that starts one.
 *
 * @param kit the process that waits for them
 * @param backend the class of the backend under test
 * @param ranks how many processes there are
 * @param seed what random numbers are made from
 * @param effort how many rounds of random cases to run
 * @param limitMillis how long one requirement may take
 * @param delayNanos the longest random delay
 * @param items the requirements, in order
 */
public record GroupTask(
    long kit,
    String backend,
    int ranks,
    long seed,
    int effort,
    long limitMillis,
    long delayNanos,
    List<Item> items) {
  /**
   * A requirement, by name.
   *
   * @param tests the class that has it
   * @param id its number
   */
  record Item(String tests, String id) {
    static Item of(Catalogue.Entry entry) {
      return new Item(entry.tests().getName(), entry.id());
    }

    static Item of(Map<?, ?> json) {
      return new Item(
          Json.member(json, "tests", String.class), Json.member(json, "id", String.class));
    }

    Catalogue.Entry find() throws ClassNotFoundException {
      return Catalogue.of(Class.forName(tests).asSubclass(Tck.class))
          .filter(entry -> entry.id().equals(id))
          .findFirst()
          .orElseThrow();
    }
  }

  private static final String FILE = "task.json";

  void write(Path folder) throws IOException {
    Files.writeString(folder.resolve(FILE), Json.write(this));
  }

  static GroupTask read(Path folder) throws IOException {
    Map<?, ?> task = Json.readObject(Files.readString(folder.resolve(FILE)));
    List<?> items = Json.member(task, "items", List.class);
    return new GroupTask(
        Json.member(task, "kit", Long.class),
        Json.member(task, "backend", String.class),
        Math.toIntExact(Json.member(task, "ranks", Long.class)),
        Json.member(task, "seed", Long.class),
        Math.toIntExact(Json.member(task, "effort", Long.class)),
        Json.member(task, "limitMillis", Long.class),
        Json.member(task, "delayNanos", Long.class),
        items.stream().map(item -> Item.of((Map<?, ?>) item)).toList());
  }

  /** Returns the backend of that class: the one among those found, else a new one. */
  public static BackendProvider backend(String type) throws ReflectiveOperationException {
    for (BackendProvider found : Backends.all()) {
      if (found.getClass().getName().equals(type)) {
        return found;
      }
    }
    return Class.forName(type).asSubclass(BackendProvider.class).getConstructor().newInstance();
  }

  Duration delay() {
    return Duration.ofNanos(delayNanos);
  }

  Duration limit() {
    return Duration.ofMillis(limitMillis);
  }

  /**
   * Returns the command of a process like this one that runs {@code main}. It lives for seconds and
   * shares the machine with others of its kind, so it is told not to optimize for long.
   */
  public static List<String> command(Class<?> main, String... arguments) {
    List<String> command = new ArrayList<>(JavaCommand.like(main, List.of(arguments)));
    command.add(1, "-XX:TieredStopAtLevel=1");
    return command;
  }
}
