package dev.rialto.jit;

import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the right-hand side of an assignment. Constants take the type of what they meet. */
final class ScalarParser {
  /** A value whose index symbols and constants' types are not known yet. */
  interface Term {
    /** The type, unless there are only constants. */
    Optional<DType> type();

    /** How many operators are inside one another. */
    int depth();

    /** Makes the value once the lengths of all axes are known. */
    Scalar build(DType type, Affine counter);
  }

  private record Made(
      Optional<DType> type, int depth, java.util.function.BiFunction<DType, Affine, Scalar> f)
      implements Term {
    Made {
      if (depth > DEEPEST) {
        throw new IllegalArgumentException(
            "more than "
                + DEEPEST
                + " operators are inside one another; assign a part of it to a node of its own");
      }
    }

    @Override
    public Scalar build(DType wanted, Affine counter) {
      return f.apply(type.orElse(wanted), counter);
    }
  }

  private static final Pattern TOKEN =
      Pattern.compile(
          "\\s*(\\d+\\.?\\d*(?:[eE][+-]?\\d+)?|[A-Za-z_][\\w.]*|[-+*/(),<]|\\[[^\\]]*\\])");
  private static final Map<String, Op> FUNCTIONS = new HashMap<>();

  static {
    for (Op op : Op.values()) {
      FUNCTIONS.put(op.word(), op);
    }
  }

  /** The deepest tree of operators; what walks through it needs a stack of that depth. */
  static final int DEEPEST = 400;

  private final String text;
  private final Map<String, Node> nodes;
  private final Indices indices;
  private final List<String> tokens = new ArrayList<>();
  private int at;
  private int open;

  ScalarParser(String text, Map<String, Node> nodes, Indices indices) {
    this.text = text;
    this.nodes = nodes;
    this.indices = indices;
    Matcher matcher = TOKEN.matcher(text.stripTrailing());
    int end = 0;
    while (end < text.stripTrailing().length()) {
      if (!matcher.find(end) || matcher.start() != end) {
        throw new IllegalArgumentException("cannot read '" + text.substring(end).strip() + "'");
      }
      tokens.add(matcher.group(1));
      end = matcher.end();
    }
  }

  Term parse() {
    Term term = sum(false);
    if (at < tokens.size()) {
      throw new IllegalArgumentException("'" + tokens.get(at) + "' is not expected");
    }
    return term;
  }

  private Term sum(boolean pad) {
    Term left = product(pad);
    while (at < tokens.size() && (peek("+") || peek("-"))) {
      Op op = tokens.get(at++).equals("+") ? Op.ADD : Op.SUB;
      left = apply(op, List.of(left, product(pad)));
    }
    return left;
  }

  private Term product(boolean pad) {
    Term left = factor(pad);
    while (at < tokens.size() && (peek("*") || peek("/"))) {
      Op op = tokens.get(at++).equals("*") ? Op.MUL : Op.DIV;
      left = apply(op, List.of(left, factor(pad)));
    }
    return left;
  }

  private Term factor(boolean pad) {
    int negations = 0;
    while (peek("-")) {
      at++;
      negations++;
    }
    if (negations > 0 && at < tokens.size() && Character.isDigit(tokens.get(at).charAt(0))) {
      // The least integer has no positive counterpart.
      tokens.set(at, "-" + tokens.get(at));
      negations--;
    }
    Term term = operand(pad);
    for (int i = 0; i < negations; i++) {
      term = apply(Op.NEG, List.of(term));
    }
    return term;
  }

  private Term operand(boolean pad) {
    String token = next();
    if (token.equals("(")) {
      return enclosed(() -> sum(pad));
    }
    if (Character.isDigit(token.charAt(token.length() > 1 && token.charAt(0) == '-' ? 1 : 0))) {
      return new Made(Optional.empty(), 0, (type, _) -> Scalar.Const.parse(type, token));
    }
    if (peek("(")) {
      at++;
      return enclosed(() -> call(token, pad));
    }
    return read(token, pad);
  }

  /** Reads what is in parentheses, up to the one that closes. */
  private Term enclosed(Supplier<Term> inside) {
    if (++open > DEEPEST) {
      throw new IllegalArgumentException(
          "parentheses are nested more than " + DEEPEST + " deep; use nodes for parts of it");
    }
    Term term = inside.get();
    expect(")");
    open--;
    return term;
  }

  static long whole(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no whole number from 0 to " + Long.MAX_VALUE, e);
    }
  }

  private Term call(String function, boolean pad) {
    return switch (function) {
      case "index" -> {
        StringBuilder written = new StringBuilder();
        while (!peek(")")) {
          written.append(next());
        }
        Indices.Written index = Indices.parse(written.toString());
        yield new Made(
            Optional.empty(), 0, (type, _) -> new Scalar.Position(type, indices.affine(index)));
      }
      case "random" -> {
        long seed = whole(next());
        yield new Made(
            Optional.empty(), 0, (type, counter) -> new Scalar.Random(type, seed, counter));
      }
      case "cast" -> {
        DType type = ProgramParser.type(next());
        expect(",");
        Term value = sum(pad);
        DType from = value.type().orElse(type);
        yield new Made(
            Optional.of(type),
            value.depth() + 1,
            (_, counter) -> new Scalar.Cast(type, value.build(from, counter)));
      }
      case "pad" -> sum(true);
      default -> {
        Op op = FUNCTIONS.get(function);
        if (op == null) {
          throw new IllegalArgumentException("there is no function " + function);
        }
        List<Term> operands = new ArrayList<>(List.of(sum(pad)));
        while (peek(",")) {
          at++;
          operands.add(sum(pad));
        }
        yield apply(op, operands);
      }
    };
  }

  private static Term apply(Op op, List<Term> operands) {
    Optional<DType> type = operands.stream().flatMap(o -> o.type().stream()).findFirst();
    int depth = 0;
    for (Term operand : operands) {
      depth = Math.max(depth, operand.depth());
    }
    return new Made(
        type,
        depth + 1,
        (wanted, counter) -> {
          List<Scalar> built = new ArrayList<>();
          for (Term operand : operands) {
            built.add(operand.build(wanted, counter));
          }
          return new Scalar.Apply(op, built);
        });
  }

  private Term read(String token, boolean pad) {
    boolean merged = token.endsWith(".merge");
    String name = merged ? token.substring(0, token.length() - ".merge".length()) : token;
    Node node = nodes.get(name);
    if (node == null) {
      throw new IllegalArgumentException(
          "there is no node " + name + " yet; declare it, such as 'input " + name + " f32[4]'");
    }
    List<Indices.Written> index = new ArrayList<>();
    if (at < tokens.size() && tokens.get(at).startsWith("[")) {
      String inner = tokens.get(at++);
      inner = inner.substring(1, inner.length() - 1);
      if (!inner.isBlank()) {
        for (String part : inner.split(",", -1)) {
          index.add(Indices.parse(part));
        }
      }
    }
    if (index.size() != node.shape().rank()) {
      throw new IllegalArgumentException(
          node + " has shape " + node.shape() + ", but " + index.size() + " indices are given");
    }
    for (int axis = 0; axis < index.size(); axis++) {
      indices.use(name, node.shape(), axis, index.get(axis), pad);
    }
    return new Made(Optional.of(node.type()), 0, (_, _) -> element(node, index, merged, pad));
  }

  private Scalar element(Node node, List<Indices.Written> index, boolean merged, boolean pad) {
    List<Affine> affine = index.stream().map(indices::affine).toList();
    Scalar read = new Scalar.Read(node, affine, merged);
    for (int axis = 0; pad && axis < affine.size(); axis++) {
      long extent = node.shape().extent(axis);
      if (affine.get(axis).min() < 0 || affine.get(axis).max() >= extent) {
        read = new Scalar.Within(affine.get(axis), extent, read, new Scalar.Const(node.type(), 0));
      }
    }
    return read;
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
