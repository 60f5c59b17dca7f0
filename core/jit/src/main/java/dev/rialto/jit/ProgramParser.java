package dev.rialto.jit;

import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads programs from text, a statement per line:
 *
 * <pre>
 * input x f32[1024, 512]        a node that comes from outside
 * static batch 20               an index bound at run time
 * m[i] max= x[i, j]             the largest of each row
 * output y[i, j] = exp(x[i, j] - m[i])
 * best[i] argmax= y[i, j]       where the largest of each row is
 * h[k[i]] += x[i, 0]            an index that is read
 * s[i] += x[i, j] for j &lt; n[i]   an axis whose length is read
 * </pre>
 *
 * <p>The first assignment to a node that is no input starts from the neutral value; later ones go
 * on from what is there. Nodes that nothing reads are outputs too.
 */
final class ProgramParser {
  private static final Pattern NODE =
      Pattern.compile("(input|node) +([\\w.]+) +(\\w+) *(?:\\[([^\\]]*)\\])?");
  private static final Pattern STATIC = Pattern.compile("static +(\\w+) +(\\d+)");
  private static final Pattern ASSIGN =
      Pattern.compile(
          "(output +)?([\\w.]+) *(?:\\[(.*?)\\])? *(\\+=|\\*=|argmax=|argmin=|max=|min=|=)"
              + "(.*?)(?: for (.*))?");

  private static final int SHOWN = 120;

  private final Map<String, Node> nodes = new LinkedHashMap<>();
  private final Map<String, StaticIndex> statics = new LinkedHashMap<>();
  private final Set<Node> inputs = new HashSet<>();
  private final Set<Node> written = new HashSet<>();
  private final Set<Node> outputs = new HashSet<>();
  private final List<Assign> assigns = new ArrayList<>();
  private final List<Integer> lines = new ArrayList<>();
  private final String name;

  ProgramParser(String name, String text) {
    this.name = name;
    int number = 0;
    for (String line : text.split("\n", -1)) {
      number++;
      int remark = line.indexOf('#');
      String statement = (remark < 0 ? line : line.substring(0, remark)).strip();
      try {
        if (!statement.isEmpty()) {
          statement(statement);
          while (lines.size() < assigns.size()) {
            lines.add(number);
          }
        }
      } catch (IllegalArgumentException | ArithmeticException e) {
        throw new SyntaxException(
            number,
            name + ", line " + number + ": " + e.getMessage() + " in '" + shown(statement) + "'",
            e);
      }
    }
  }

  private static String shown(String statement) {
    return statement.length() <= SHOWN ? statement : statement.substring(0, SHOWN) + "…";
  }

  Program program() {
    Program program = new Program(name, assigns, lines);
    Set<Node> read = new HashSet<>();
    for (Assign assign : assigns) {
      assign.reads().forEach(r -> read.add(r.node()));
    }
    for (Node node : program.assigned()) {
      if (outputs.contains(node) || !read.contains(node)) {
        node.restrict(Mode.onHost(), "program " + name + " gives it out");
      }
    }
    return program;
  }

  private void statement(String text) {
    Matcher node = NODE.matcher(text);
    Matcher index = STATIC.matcher(text);
    Matcher assign = ASSIGN.matcher(text);
    if (node.matches()) {
      Node made = new Node(node.group(2), type(node.group(3)), shape(node.group(4)));
      if (node.group(1).equals("input")) {
        made.restrict(Mode.onHost(), "it is an input of " + name);
        inputs.add(made);
      }
      if (nodes.put(made.name(), made) != null) {
        throw new IllegalArgumentException("node " + made + " is declared twice");
      }
    } else if (index.matches()) {
      long size = ScalarParser.whole(index.group(2));
      statics.put(index.group(1), new StaticIndex(index.group(1), size));
    } else if (assign.matches()) {
      assign(assign);
    } else {
      throw new IllegalArgumentException("this is no declaration and no assignment");
    }
  }

  private static Shape shape(@Nullable String text) {
    return text == null || text.isBlank()
        ? Shape.of()
        : Shape.parse(text.replace(" ", "").replace(',', 'x'));
  }

  static DType type(String text) {
    try {
      return DType.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("there is no type " + text, e);
    }
  }

  private void assign(Matcher statement) {
    Indices indices = new Indices(statics, nodes);
    ScalarParser parser = new ScalarParser(statement.group(5), nodes, indices);
    ScalarParser.Term body = parser.parse();
    List<Indices.Written> written =
        statement.group(3) == null ? List.of() : Indices.parseAll(statement.group(3));
    if (statement.group(6) != null) {
      Indices.split(statement.group(6)).forEach(indices::end);
    }
    Node declared = nodes.get(statement.group(2));
    if (declared != null) {
      if (declared.shape().rank() != written.size()) {
        throw new IllegalArgumentException(
            "%s has shape %s, but %s indices are given"
                .formatted(declared, declared.shape(), written.size()));
      }
      for (int axis = 0; axis < written.size(); axis++) {
        indices.use(declared.name(), declared.shape(), axis, written.get(axis), false);
      }
    }
    indices.solve();
    List<Affine> index = written.stream().map(indices::affine).toList();
    String symbol = statement.group(4);
    boolean place = symbol.startsWith("arg");
    DType own = body.type().orElse(DType.F32);
    DType type = declared != null ? declared.type() : place ? DType.I64 : own;
    ScalarExpression value = body.build(place ? own : type, counter(declared, index));
    Node target = declared == null ? infer(statement.group(2), type, index) : declared;
    boolean fresh = !inputs.contains(target) && this.written.add(target);
    if (statement.group(1) != null) {
      outputs.add(target);
    }
    if (!place) {
      assigns.add(Assign.of(target, index, accum(symbol), fresh, value));
    } else if (fresh) {
      assigns.addAll(ArgExtreme.of(target, index, accum(symbol.substring(3)), value));
    } else {
      throw new IllegalArgumentException(
          symbol + " begins anew, but " + target + " has values; use a node of its own");
    }
  }

  /** The number of an element in row-major order, the place of its random number. */
  private static Affine counter(@Nullable Node declared, List<Affine> index) {
    Affine counter = Affine.of(0);
    boolean data = index.stream().anyMatch(Affine::isData);
    for (int axis = 0; axis < index.size(); axis++) {
      Affine at = index.get(axis);
      long extent = declared != null && data ? declared.shape().extent(axis) : at.max() + 1;
      counter = counter.times(extent).plus(at);
    }
    return counter;
  }

  private Node infer(String name, DType type, List<Affine> index) {
    for (Affine affine : index) {
      if (affine.isData()) {
        throw new IllegalArgumentException(
            "nothing says how long the axis of %s is that %s indexes; declare it, such as 'node %s %s[10]'"
                .formatted(name, affine, name, type.name().toLowerCase(Locale.ROOT)));
      }
    }
    long[] extents = index.stream().mapToLong(affine -> affine.max() + 1).toArray();
    Node node = new Node(name, type, Shape.of(extents));
    nodes.put(name, node);
    return node;
  }

  private static Accum accum(String symbol) {
    for (Accum accum : Accum.values()) {
      if (accum.symbol().equals(symbol)) {
        return accum;
      }
    }
    throw new IllegalArgumentException("there is no assignment " + symbol);
  }
}
