package dev.rialto.jit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Assignments in order.
 *
 * @param name letters, digits and underscores; names what is compiled from it
 * @param assigns the assignments
 * @param lines the line of each in the text that it was read from; empty if there is none
 */
public record Program(String name, List<Assign> assigns, List<Integer> lines) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** A program that was not read from text. */
  public Program(String name, List<Assign> assigns) {
    this(name, assigns, List.of());
  }

  /** Checks that names are unique. */
  public Program {
    assigns = List.copyOf(assigns);
    lines = List.copyOf(lines);
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'" + name + "' is no name for a program; use letters, digits and underscores");
    }
    Map<String, Node> seen = new LinkedHashMap<>();
    for (Node node : nodes(assigns)) {
      Node other = seen.putIfAbsent(node.name(), node);
      if (other != null) {
        throw new IllegalArgumentException(
            "two nodes of program %s are called %s, of shapes %s and %s; rename one"
                .formatted(name, node.name(), other.shape(), node.shape()));
      }
    }
  }

  /**
   * Reads a program from text; see {@code docs/compiler.md} for the notation.
   *
   * @throws IllegalArgumentException if the text is wrong, with the line
   */
  public static Program parse(String name, String text) {
    return new ProgramParser(name, text).program();
  }

  /** Returns the program name that suits a file. */
  public static String nameOf(Path file) {
    String base = String.valueOf(file.getFileName()).replaceFirst("\\.[^.]*$", "");
    return base.replaceAll("[^A-Za-z0-9_]", "_").replaceFirst("^([0-9])", "_$1");
  }

  /** Returns this program followed by another. */
  public Program then(Program next) {
    List<Assign> all = new ArrayList<>(assigns);
    all.addAll(next.assigns);
    List<Integer> places = new ArrayList<>(lines);
    places.addAll(next.lines);
    return new Program(name, all, places.size() == all.size() ? places : List.of());
  }

  /**
   * Returns the words for where a node is assigned, such as {@code , line 3: c[i] = a[i]}.
   *
   * @param time which of its assignments, from 1
   */
  public String statement(Node node, int time) {
    int left = time;
    String found = "";
    for (int i = 0; i < assigns.size() && left > 0; i++) {
      if (assigns.get(i).target() == node) {
        left--;
        found = (lines.isEmpty() ? ", in " : ", line " + lines.get(i) + ": ") + assigns.get(i);
      }
    }
    return found;
  }

  /** Returns all nodes, in the order of their first use; those read as merged are among them. */
  public Set<Node> nodes() {
    return nodes(assigns);
  }

  private static Set<Node> nodes(List<Assign> assigns) {
    Set<Node> nodes = new LinkedHashSet<>();
    for (Assign assign : assigns) {
      assign.reads().forEach(read -> nodes.add(read.node()));
      nodes.add(assign.target());
    }
    return nodes;
  }

  /** Returns the node called {@code name}. */
  public Node node(String name) {
    return nodes().stream()
        .filter(node -> node.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "program " + this.name + " has no node " + name + "; it has " + nodes()));
  }

  /** Returns the nodes that are assigned. */
  public Set<Node> assigned() {
    return assigns.stream()
        .map(Assign::target)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Returns the nodes whose contents from before the program matter. */
  public Set<Node> inputs() {
    Set<Node> inputs = new LinkedHashSet<>();
    Set<Node> written = new LinkedHashSet<>();
    for (Assign assign : assigns) {
      for (ScalarExpression.Read read : assign.reads()) {
        if (!read.merged() && !written.contains(read.node())) {
          inputs.add(read.node());
        }
      }
      if (!assign.fresh() && !written.contains(assign.target())) {
        inputs.add(assign.target());
      }
      written.add(assign.target());
    }
    return inputs;
  }

  /** Returns the nodes that are read from merge buffers. */
  public Set<Node> merged() {
    return assigns.stream()
        .flatMap(assign -> assign.reads().stream())
        .filter(ScalarExpression.Read::merged)
        .map(ScalarExpression.Read::node)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  /** Returns the static indices. */
  public Set<Symbol.StaticIndex> statics() {
    Set<Symbol.StaticIndex> statics = new LinkedHashSet<>();
    for (Assign assign : assigns) {
      assign.index().forEach(affine -> add(affine, statics));
      assign.body().indices(affine -> add(affine, statics));
      assign.placeReads().forEach(read -> read.index().forEach(affine -> add(affine, statics)));
    }
    return statics;
  }

  private static void add(Affine affine, Set<Symbol.StaticIndex> statics) {
    for (Symbol symbol : affine.terms().keySet()) {
      if (symbol instanceof Symbol.StaticIndex index) {
        statics.add(index);
      }
    }
  }

  @Override
  public String toString() {
    return assigns.stream().map(Assign::toString).collect(Collectors.joining("\n", "", "\n"));
  }
}
