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
 * a sum, such as the {@code i} of a convolution's {@code i+k}, is as long as still fits.
 */
final class Indices {
  /** An index as it is written: names with factors, and a constant. */
  record Written(Map<String, Long> terms, long offset) {
    @Override
    public String toString() {
      List<String> parts = new ArrayList<>();
      terms.forEach((name, factor) -> parts.add(factor == 1 ? name : factor + "*" + name));
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
          "\\s*([+-]?)\\s*(?:(\\d+)\\s*\\*\\s*)?([A-Za-z_]\\w*|\\d+)\\s*(?:\\*\\s*(\\d+))?");

  private final Map<String, StaticIndex> statics;
  private final List<Use> uses = new ArrayList<>();
  private final Map<String, Iter> iters = new LinkedHashMap<>();

  Indices(Map<String, StaticIndex> statics) {
    this.statics = statics;
  }

  /** Reads an index such as {@code 2*i+k-1}. */
  static Written parse(String text) {
    Map<String, Long> terms = new LinkedHashMap<>();
    long offset = 0;
    Matcher matcher = TERM.matcher(text);
    int at = 0;
    while (at < text.length()) {
      if (!matcher.find(at) || matcher.start() != at || (at > 0 && matcher.group(1).isEmpty())) {
        throw new IllegalArgumentException(
            "'" + text + "' is not an index; write sums such as 2*i+k-1");
      }
      long factor = matcher.group(1).equals("-") ? -1 : 1;
      for (int group : new int[] {2, 4}) {
        if (matcher.group(group) != null) {
          factor *= Long.parseLong(matcher.group(group));
        }
      }
      String name = matcher.group(3);
      if (Character.isDigit(name.charAt(0))) {
        offset += factor * Long.parseLong(name);
      } else {
        terms.merge(name, factor, Long::sum);
      }
      at = matcher.end();
    }
    if (text.isBlank()) {
      throw new IllegalArgumentException("an index is empty");
    }
    return new Written(terms, offset);
  }

  /** Tells that a name is used as the index of an axis. */
  void use(String who, dev.rialto.spi.data.Shape shape, int axis, Written index, boolean pad) {
    uses.add(new Use(who, shape.toString(), axis, shape.extent(axis), index, pad));
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
              "axis "
                  + name
                  + " is "
                  + known.size()
                  + " long in "
                  + requireNonNull(source.get(name)).axisOf()
                  + " but "
                  + use.extent()
                  + " long in "
                  + use.axisOf());
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
  }

  /** A name on an axis. */
  private record Place(String who, int axis, String name) {}

  /** The names that also move about on an axis, as in {@code a[i] + a[i+1]}. */
  private Set<Place> sliding() {
    Set<Place> sliding = new HashSet<>();
    for (Use use : uses) {
      if (alone(use.index()) == null) {
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
    return sum;
  }
}
