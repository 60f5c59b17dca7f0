package dev.rialto.jit;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.data.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the right-hand side of an assignment. Constants take the type of what they meet. What is
 * open, in parentheses or as a function's operands, waits on a stack of its own, so expressions may
 * be of any depth.
 */
final class ScalarParser {
  /** Makes a value of a type from those of its operands; the counter is where it stands. */
  private interface Maker {
    ScalarExpression make(DType type, Affine counter, List<ScalarExpression> operands);
  }

  /**
   * A value whose index symbols and constants' types are not known yet.
   *
   * @param type the type, unless there are only constants
   * @param operands what it is made of
   * @param inner the type that operands take which have none, if it is not this one's
   * @param maker makes it once the lengths of all axes are known
   */
  record Term(Optional<DType> type, List<Term> operands, Optional<DType> inner, Maker maker) {
    /** A value without operands. */
    private static Term leaf(Optional<DType> type, Maker maker) {
      return new Term(type, List.of(), Optional.empty(), maker);
    }

    /** Makes the value once the lengths of all axes are known. */
    ScalarExpression build(DType wanted, Affine counter) {
      record Building(Term term, DType type, List<ScalarExpression> operands) {
        Building(Term term, DType wanted) {
          this(term, term.type.orElse(wanted), new ArrayList<>());
        }
      }
      Deque<Building> open = new ArrayDeque<>();
      open.push(new Building(this, wanted));
      while (true) {
        Building top = open.getFirst();
        if (top.operands.size() < top.term.operands.size()) {
          Term next = top.term.operands.get(top.operands.size());
          open.push(new Building(next, top.term.inner.orElse(top.type)));
          continue;
        }
        open.pop();
        ScalarExpression made = top.term.maker.make(top.type, counter, top.operands);
        if (open.isEmpty()) {
          return made;
        }
        open.getFirst().operands.add(made);
      }
    }
  }

  /** A sum that is being read, in the parentheses that it stands in. */
  private static final class Open {
    final String function;
    final boolean pad;
    final Optional<DType> cast;
    final List<Term> operands = new ArrayList<>();
    @Nullable Term sum;
    @Nullable Op added;
    @Nullable Term product;
    @Nullable Op multiplied;
    int negations;

    /** Opens parentheses of a function, whose name is empty if there is none. */
    Open(String function, boolean pad, Optional<DType> cast) {
      this.function = function;
      this.pad = pad;
      this.cast = cast;
    }

    void factor(Term term) {
      Term signed = term;
      for (; negations > 0; negations--) {
        signed = apply(Op.NEG, List.of(signed));
      }
      product = multiplied == null ? signed : apply(multiplied, List.of(whole(product), signed));
      multiplied = null;
    }

    void endProduct() {
      sum = added == null ? whole(product) : apply(added, List.of(whole(sum), whole(product)));
      added = null;
      product = null;
    }

    void endOperand() {
      operands.add(whole(sum));
      sum = null;
    }

    private static Term whole(@Nullable Term term) {
      return requireNonNull(term);
    }
  }

  private static final Pattern TOKEN =
      Pattern.compile("\\s*(\\d+\\.?\\d*(?:[eE][+-]?\\d+)?|[A-Za-z_][\\w.]*|[-+*/(),<]|\\[)");
  private static final Map<String, Op> FUNCTIONS = new HashMap<>();

  static {
    for (Op op : Op.values()) {
      FUNCTIONS.put(op.word(), op);
    }
  }

  private final String text;
  private final Map<String, Node> nodes;
  private final Indices indices;
  private final List<String> tokens = new ArrayList<>();
  private int at;

  ScalarParser(String text, Map<String, Node> nodes, Indices indices) {
    this.text = text;
    this.nodes = nodes;
    this.indices = indices;
    String stripped = text.stripTrailing();
    Matcher matcher = TOKEN.matcher(stripped);
    int end = 0;
    while (end < stripped.length()) {
      if (!matcher.find(end) || matcher.start() != end) {
        throw new IllegalArgumentException("cannot read '" + text.substring(end).strip() + "'");
      }
      boolean bracket = matcher.group(1).equals("[");
      end = bracket ? Indices.close(stripped, matcher.start(1)) + 1 : matcher.end();
      tokens.add(stripped.substring(matcher.start(1), end));
    }
  }

  Term parse() {
    Deque<Open> stack = new ArrayDeque<>();
    stack.push(new Open("", false, Optional.empty()));
    while (true) {
      Term term = operand(stack);
      while (term != null) {
        Open open = stack.getFirst();
        open.factor(term);
        term = null;
        if (peek("*") || peek("/")) {
          open.multiplied = next().equals("*") ? Op.MUL : Op.DIV;
          continue;
        }
        open.endProduct();
        if (peek("+") || peek("-")) {
          open.added = next().equals("+") ? Op.ADD : Op.SUB;
          continue;
        }
        open.endOperand();
        if (stack.size() == 1) {
          if (at < tokens.size()) {
            throw new IllegalArgumentException("'" + tokens.get(at) + "' is not expected");
          }
          return open.operands.getFirst();
        }
        if (peek(",") && FUNCTIONS.containsKey(open.function)) {
          at++;
          continue;
        }
        expect(")");
        stack.pop();
        term = closed(open);
      }
    }
  }

  /** Reads what stands in front of the next operator; null if that opens parentheses. */
  private @Nullable Term operand(Deque<Open> stack) {
    Open open = stack.getFirst();
    while (peek("-")) {
      at++;
      open.negations++;
    }
    String token = next();
    if (Character.isDigit(token.charAt(0))) {
      // The least integer has no positive counterpart.
      String number = open.negations > 0 ? "-" + token : token;
      open.negations = Math.max(0, open.negations - 1);
      return Term.leaf(
          Optional.empty(), (type, _, _) -> ScalarExpression.Const.parse(type, number));
    }
    if (token.equals("(")) {
      stack.push(new Open("", open.pad, Optional.empty()));
      return null;
    }
    if (!peek("(")) {
      return read(token, open.pad);
    }
    at++;
    return call(token, open.pad, stack);
  }

  /** The value of parentheses that were closed. */
  private static Term closed(Open open) {
    Op op = FUNCTIONS.get(open.function);
    Term first = open.operands.getFirst();
    if (op != null) {
      return apply(op, open.operands);
    }
    return open.cast
        .map(
            type ->
                new Term(
                    open.cast,
                    open.operands,
                    Optional.of(first.type().orElse(type)),
                    (_, _, operands) -> new ScalarExpression.Cast(type, operands.getFirst())))
        .orElse(first);
  }

  static long whole(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no whole number from 0 to " + Long.MAX_VALUE, e);
    }
  }

  /** A function without values in its parentheses; null if it has them and waits for those. */
  private @Nullable Term call(String function, boolean pad, Deque<Open> stack) {
    switch (function) {
      case "index" -> {
        StringBuilder written = new StringBuilder();
        while (!peek(")")) {
          written.append(next());
        }
        at++;
        Indices.Written index = Indices.parse(written.toString());
        return Term.leaf(
            Optional.empty(),
            (type, _, _) -> new ScalarExpression.Position(type, indices.affine(index)));
      }
      case "random" -> {
        long seed = whole(next());
        expect(")");
        return Term.leaf(
            Optional.empty(),
            (type, counter, _) -> new ScalarExpression.Random(type, seed, counter));
      }
      case "cast" -> {
        DType type = ProgramParser.type(next());
        expect(",");
        stack.push(new Open(function, pad, Optional.of(type)));
      }
      case "pad" -> stack.push(new Open(function, true, Optional.empty()));
      default -> {
        if (!FUNCTIONS.containsKey(function)) {
          throw new IllegalArgumentException("there is no function " + function);
        }
        stack.push(new Open(function, pad, Optional.empty()));
      }
    }
    return null;
  }

  private static Term apply(Op op, List<Term> operands) {
    Optional<DType> type = operands.stream().flatMap(o -> o.type().stream()).findFirst();
    return new Term(
        type, operands, Optional.empty(), (_, _, built) -> new ScalarExpression.Apply(op, built));
  }

  private Term read(String token, boolean pad) {
    boolean merged = token.endsWith(".merge");
    String name = merged ? token.substring(0, token.length() - ".merge".length()) : token;
    Node node = nodes.get(name);
    if (node == null) {
      throw new IllegalArgumentException(
          "there is no node " + name + " yet; declare it, such as 'input " + name + " f32[4]'");
    }
    List<Indices.Written> index = List.of();
    if (at < tokens.size() && tokens.get(at).startsWith("[")) {
      String inner = tokens.get(at++);
      index = Indices.parseAll(inner.substring(1, inner.length() - 1));
    }
    if (index.size() != node.shape().rank()) {
      throw new IllegalArgumentException(
          node + " has shape " + node.shape() + ", but " + index.size() + " indices are given");
    }
    for (int axis = 0; axis < index.size(); axis++) {
      indices.use(name, node.shape(), axis, index.get(axis), pad);
    }
    List<Indices.Written> places = index;
    return Term.leaf(Optional.of(node.type()), (_, _, _) -> element(node, places, merged, pad));
  }

  private ScalarExpression element(
      Node node, List<Indices.Written> index, boolean merged, boolean pad) {
    List<Affine> affine = index.stream().map(indices::affine).toList();
    return new ScalarExpression.Read(node, affine, merged).orZero(i -> pad || i.isData());
  }

  private boolean peek(String token) {
    return at < tokens.size() && tokens.get(at).equals(token);
  }

  private String next() {
    if (at == tokens.size()) {
      throw new IllegalArgumentException("'" + text.strip() + "' ends too early");
    }
    return tokens.get(at++);
  }

  private void expect(String token) {
    String found = next();
    if (!found.equals(token)) {
      throw new IllegalArgumentException("'" + token + "' is expected instead of '" + found + "'");
    }
  }
}
