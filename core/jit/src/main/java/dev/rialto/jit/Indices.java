package dev.rialto.jit;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.Symbol.StaticIndex;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names in the indices of one assignment, and how long their axes are.
 *
 * <p>A name that is an index by itself is as long as the axis it indexes. One that is only part of
 * a sum, such as the {@code i} of a convolution's {@code i+k}, is as long as still fits. An index
 * that is read, such as {@code k[i]}, says nothing of the axis that it indexes.
 */
final class Indices {
  /** Indices inside one another beyond this are a mistake, or an attack on the stack. */
  private static final int MOST_NESTED = 32;

  /** An element as it is written. */
  record WrittenElement(String node, List<Written> index) {
    @Override
    public String toString() {
      return node + index;
    }
  }

  /** An index as it is written: names and elements with factors, and a constant. */
  record Written(Map<String, Long> terms, Map<WrittenElement, Long> elements, long offset) {
    @Override
    public String toString() {
      List<String> parts = new ArrayList<>();
      terms.forEach((name, factor) -> parts.add(factor == 1 ? name : factor + "*" + name));
      elements.forEach((read, factor) -> parts.add(factor == 1 ? "" + read : factor + "*" + read));
      if (offset != 0 || parts.isEmpty()) {
        parts.add(Long.toString(offset));
      }
      return String.join("+", parts).replace("+-", "-");
    }
  }

  private record Use(String who, String shape, int axis, long extent, Written index, boolean pad) {
    String axisOf() {
      return who + " (shape " + shape + ", axis " + axis + ")";
    }
  }

  private static final Pattern TERM =
      Pattern.compile(
          "\\s*([+-]?)\\s*(?:(\\d+)\\s*\\*\\s*)?"
              + "([A-Za-z_][\\w.]*\\s*\\[|[A-Za-z_]\\w*|\\d+)\\s*(?:\\*\\s*(\\d+))?");

  private static final Pattern END = Pattern.compile("\\s*([A-Za-z_]\\w*)\\s*<(.*)");

  private final Map<String, StaticIndex> statics;
  private final Map<String, Node> nodes;
  private final List<Use> uses = new ArrayList<>();
  private final Map<String, WrittenElement> ends = new LinkedHashMap<>();
  private final Map<String, Iter> iters = new LinkedHashMap<>();

  /**
   * Makes an empty collection.
   *
   * @param nodes those that an index may be read from
   */
  Indices(Map<String, StaticIndex> statics, Map<String, Node> nodes) {
    this.statics = statics;
    this.nodes = nodes;
  }

  /** Reads an index such as {@code 2*i+k-1} or {@code k[i]+1}. */
  static Written parse(String text) {
    return parse(text, 0);
  }

  private static Written parse(String text, int depth) {
    try {
      return sum(text, depth);
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an index: its numbers do not fit 64 bits", e);
    }
  }

  private static Written sum(String text, int depth) {
    Map<String, Long> terms = new LinkedHashMap<>();
    Map<WrittenElement, Long> elements = new LinkedHashMap<>();
    long offset = 0;
    Matcher matcher = TERM.matcher(text);
    int at = 0;
    while (at < text.length()) {
      if (!matcher.find(at)
          || matcher.start() != at
          || (at > 0 && matcher.group(1).isEmpty())
          || depth > MOST_NESTED) {
        throw new IllegalArgumentException(
            "'" + text + "' is not an index; write sums such as 2*i+k-1 or k[i]+1");
      }
      long factor = matcher.group(1).equals("-") ? -1 : 1;
      for (int group : new int[] {2, 4}) {
        if (matcher.group(group) != null) {
          factor = Math.multiplyExact(factor, Long.parseLong(matcher.group(group)));
        }
      }
      String name = matcher.group(3);
      at = matcher.end();
      if (name.endsWith("[")) {
        int close = close(text, matcher.end(3) - 1);
        List<Written> index = parseAll(text.substring(matcher.end(3), close), depth + 1);
        String node = name.substring(0, name.length() - 1).strip();
        elements.merge(new WrittenElement(node, index), factor, Math::addExact);
        at = close + 1;
      } else if (Character.isDigit(name.charAt(0))) {
        offset = Math.addExact(offset, Math.multiplyExact(factor, Long.parseLong(name)));
      } else {
        terms.merge(name, factor, Math::addExact);
      }
    }
    if (text.isBlank()) {
      throw new IllegalArgumentException("an index is empty");
    }
    return new Written(terms, elements, offset);
  }

  /** Reads indices with commas between them; none of a blank text. */
  static List<Written> parseAll(String text) {
    return parseAll(text, 0);
  }

  private static List<Written> parseAll(String text, int depth) {
    return text.isBlank() ? List.of() : split(text).stream().map(t -> parse(t, depth)).toList();
  }

  /** Cuts a text at the commas that are not in brackets. */
  static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    int open = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      open += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == ',' && open == 0) {
        parts.add(text.substring(from, i));
        from = i + 1;
      }
    }
    parts.add(text.substring(from));
    return parts;
  }

  /** Returns where the bracket that is opened at a place is closed. */
  static int close(String text, int at) {
    int open = 0;
    for (int i = at; i < text.length(); i++) {
      char c = text.charAt(i);
      open += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (open == 0) {
        return i;
      }
    }
    throw new IllegalArgumentException("'" + text.substring(at) + "' has no ] for its [");
  }

  /** Tells that a name is used as the index of an axis. */
  void use(String who, dev.rialto.spi.data.Shape shape, int axis, Written index, boolean pad) {
    uses.add(new Use(who, shape.toString(), axis, shape.extent(axis), index, pad));
    index.elements().keySet().forEach(this::use);
  }

  private void use(WrittenElement element) {
    Node node = node(element);
    for (int axis = 0; axis < element.index().size(); axis++) {
      use(node.name(), node.shape(), axis, element.index().get(axis), false);
    }
  }

  private Node node(WrittenElement element) {
    Node node = nodes.get(element.node());
    if (node == null) {
      throw new IllegalArgumentException("there is no node " + element.node() + " yet to read");
    }
    if (node.shape().rank() != element.index().size()) {
      throw new IllegalArgumentException(
          "%s has %s indices, but %s has shape %s"
              .formatted(element, element.index().size(), node, node.shape()));
    }
    return node;
  }

  /** Tells where an axis ends, such as {@code j < n[i]}. */
  void end(String text) {
    Matcher matcher = END.matcher(text);
    Written written = matcher.matches() ? parse(matcher.group(2)) : null;
    if (written == null
        || written.elements().size() != 1
        || !written.terms().isEmpty()
        || written.offset() != 0
        || !written.elements().containsValue(1L)) {
      throw new IllegalArgumentException(
          "'" + text.strip() + "' does not say where an axis ends; write j < n[i]");
    }
    WrittenElement element = written.elements().keySet().iterator().next();
    if (ends.put(matcher.group(1), element) != null) {
      throw new IllegalArgumentException("axis " + matcher.group(1) + " ends twice");
    }
    use(element);
  }

  /** Finds the length of every name that was used. */
  void solve() {
    Map<String, Use> source = new LinkedHashMap<>();
    Set<Place> sliding = sliding();
    for (Use use : uses) {
      String name = alone(use.index());
      if (name != null
          && !statics.containsKey(name)
          && !use.pad()
          && !sliding.contains(new Place(use.who(), use.axis(), name))) {
        Iter known = iters.get(name);
        if (known == null) {
          iters.put(name, new Iter(name, use.extent()));
          source.put(name, use);
        } else if (known.size() != use.extent()) {
          throw new IllegalArgumentException(
              "axis %s is %s long in %s but %s long in %s"
                  .formatted(
                      name,
                      known.size(),
                      requireNonNull(source.get(name)).axisOf(),
                      use.extent(),
                      use.axisOf()));
        }
      }
    }
    boolean progress = true;
    while (progress) {
      progress = false;
      for (Use use : uses) {
        progress |= fit(use);
      }
    }
    List<String> open = new ArrayList<>(ends.keySet());
    while (!open.isEmpty()) {
      String name = open.getFirst();
      ScalarExpression.Read end = read(requireNonNull(ends.get(name)));
      Iter whole = iters.get(name);
      if (whole == null) {
        throw new IllegalArgumentException(
            "no index has the axis " + name + " that ends at " + end);
      }
      for (String other : open) {
        Iter later = iters.get(other);
        if (later != null && end.index().stream().anyMatch(a -> a.dependsOn(later))) {
          throw new IllegalArgumentException(
              "axis " + name + " ends at " + end + "; say before that where " + other + " ends");
        }
      }
      iters.put(name, new Iter(name, whole.size(), end));
      open.removeFirst();
    }
  }

  private ScalarExpression.Read read(WrittenElement element) {
    List<Affine> index = element.index().stream().map(this::affine).toList();
    return new ScalarExpression.Read(node(element), index, false);
  }

  /** A name on an axis. */
  private record Place(String who, int axis, String name) {}

  /** The names that also move about on an axis, as in {@code a[i] + a[i+1]}. */
  private Set<Place> sliding() {
    Set<Place> sliding = new HashSet<>();
    for (Use use : uses) {
      if (alone(use.index()) == null && use.index().elements().isEmpty()) {
        use.index()
            .terms()
            .forEach(
                (name, factor) -> {
                  if (factor > 0) {
                    sliding.add(new Place(use.who(), use.axis(), name));
                  }
                });
      }
    }
    return sliding;
  }

  private static @Nullable String alone(Written index) {
    return index.offset() == 0
            && index.elements().isEmpty()
            && index.terms().size() == 1
            && index.terms().values().iterator().next() == 1
        ? index.terms().keySet().iterator().next()
        : null;
  }

  /** Gives the one name of a use that has no length yet the most that fits everywhere. */
  private boolean fit(Use use) {
    String name = open(use);
    if (name == null) {
      return false;
    }
    long size = Long.MAX_VALUE;
    for (Use other : uses) {
      if (name.equals(open(other)) && !other.pad()) {
        size = Math.min(size, room(other, name));
      }
    }
    if (size == Long.MAX_VALUE) {
      return false;
    }
    iters.put(name, new Iter(name, size));
    return true;
  }

  private @Nullable String open(Use use) {
    if (!use.index().elements().isEmpty()) {
      return null;
    }
    List<String> open =
        use.index().terms().keySet().stream()
            .filter(n -> !iters.containsKey(n) && !statics.containsKey(n))
            .toList();
    return open.size() == 1 ? open.get(0) : null;
  }

  private long room(Use use, String name) {
    long factor = requireNonNull(use.index().terms().get(name));
    long taken = use.index().offset();
    for (var term : use.index().terms().entrySet()) {
      if (!term.getKey().equals(name) && term.getValue() > 0) {
        taken += term.getValue() * (symbol(term.getKey()).size() - 1);
      }
    }
    long size = factor > 0 ? Math.floorDiv(use.extent() - 1 - taken, factor) + 1 : 0;
    if (size < 1) {
      throw new IllegalArgumentException(
          "index " + use.index() + " does not fit " + use.axisOf() + " for any " + name);
    }
    return size;
  }

  private Symbol symbol(String name) {
    Symbol symbol = statics.get(name);
    symbol = symbol == null ? iters.get(name) : symbol;
    if (symbol == null) {
      throw new IllegalArgumentException(
          "nothing says how long axis " + name + " is; declare the node it indexes");
    }
    return symbol;
  }

  /** Returns an index in terms of the symbols found. */
  Affine affine(Written written) {
    Affine sum = Affine.of(written.offset());
    for (var term : written.terms().entrySet()) {
      sum = sum.plus(Affine.of(symbol(term.getKey())).times(term.getValue()));
    }
    for (var term : written.elements().entrySet()) {
      Symbol element = new Symbol.Element(read(term.getKey()));
      sum = sum.plus(Affine.of(element).times(term.getValue()));
    }
    return sum;
  }
}
