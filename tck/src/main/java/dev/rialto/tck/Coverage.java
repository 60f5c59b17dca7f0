package dev.rialto.tck;

import dev.rialto.text.Table;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The cases that the random programs of a run have tried, by operation. Thread-safe. */
public final class Coverage {
  /** A respect in which the uses of an operation differ. */
  public enum Dimension {
    /** The element type. */
    TYPE,
    /** The operator of a reduction. */
    OPERATOR,
    /** The magnitude of the longest block. */
    SIZE,
    /** The number of ranks of the communicator. */
    RANKS,
    /** The form of the call: blocking, non-blocking, in place, under which lock. */
    FORM,
    /** The kind of memory. */
    MEMORY
  }

  private static final String[] CLASSES = {"0", "64B", "4K", "64K", "1M", "16M", "64M"};
  private static final long[] LIMITS = {0, 1 << 6, 1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26};
  private static final String SEPARATOR = "\t";

  private final Map<String, Map<Dimension, Set<String>>> seen = new TreeMap<>();

  /** Makes an empty one. */
  public Coverage() {}

  /** Notes that an operation was tried with a value. */
  public synchronized Coverage add(String operation, Dimension dimension, Object value) {
    seen.computeIfAbsent(operation, _ -> new TreeMap<>())
        .computeIfAbsent(dimension, _ -> new TreeSet<>(Coverage::order))
        .add(value.toString());
    return this;
  }

  /** Notes a size in bytes by its magnitude. */
  public Coverage addSize(String operation, long bytes) {
    for (int i = 0; i < LIMITS.length; i++) {
      if (bytes <= LIMITS[i]) {
        return add(operation, Dimension.SIZE, CLASSES[i]);
      }
    }
    return add(operation, Dimension.SIZE, "more");
  }

  /** Returns everything noted as lines of text, to be {@linkplain #addAll taken up} elsewhere. */
  public synchronized List<String> lines() {
    return seen.entrySet().stream()
        .flatMap(
            operation ->
                operation.getValue().entrySet().stream()
                    .flatMap(
                        dimension ->
                            dimension.getValue().stream()
                                .map(
                                    value ->
                                        String.join(
                                            SEPARATOR,
                                            operation.getKey(),
                                            dimension.getKey().name(),
                                            value))))
        .toList();
  }

  public void addAll(Collection<String> lines) {
    for (String line : lines) {
      String[] parts = line.split(SEPARATOR, -1);
      add(parts[0], Dimension.valueOf(parts[1]), parts[2]);
    }
  }

  /** Returns whether nothing was noted. */
  public synchronized boolean isEmpty() {
    return seen.isEmpty();
  }

  /** Returns the values an operation was tried with; none if it was not. */
  public synchronized List<String> values(String operation, Dimension dimension) {
    return List.copyOf(values(seen.getOrDefault(operation, Map.of()).get(dimension)));
  }

  private static Collection<String> values(@Nullable Set<String> set) {
    return set == null ? List.of() : set;
  }

  /** Returns a table with a row for each operation. */
  public synchronized String toText() {
    Table table =
        Table.of("operation", "types", "operators", "sizes to", "ranks", "forms", "memory");
    seen.forEach(
        (operation, dimensions) ->
            table.row(
                operation,
                joined(dimensions, Dimension.TYPE),
                joined(dimensions, Dimension.OPERATOR),
                joined(dimensions, Dimension.SIZE),
                joined(dimensions, Dimension.RANKS),
                joined(dimensions, Dimension.FORM),
                joined(dimensions, Dimension.MEMORY)));
    return table.toString();
  }

  private static String joined(Map<Dimension, Set<String>> dimensions, Dimension dimension) {
    return values(dimensions.get(dimension)).stream().collect(Collectors.joining(" "));
  }

  /** Orders magnitudes and numbers by value, all else by name. */
  private static int order(String a, String b) {
    int byRank = Integer.compare(rank(a), rank(b));
    return byRank != 0 ? byRank : a.compareTo(b);
  }

  private static int rank(String value) {
    int size = Arrays.asList(CLASSES).indexOf(value);
    return size >= 0 ? size : value.length() == 1 ? value.charAt(0) : 0;
  }
}
