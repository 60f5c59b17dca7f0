package dev.rialto.jit.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The source of a random kernel: all primitive types, loops of every form, switches, early returns,
 * calls, records and local arrays. It divides by odd numbers only and each item writes only what is
 * its own, so that it has one result.
 */
final class RandomMethod {
  /** The elements of each array that belong to an item. */
  static final int OWN = 4;

  private record Variable(String type, String name) {}

  private final Random random;
  private final StringBuilder text = new StringBuilder();
  private final List<Variable> scope = new ArrayList<>();
  private final List<String> loops = new ArrayList<>();
  private int count;
  private int budget;
  private boolean inHelper;
  private String result = "";

  private RandomMethod(long seed) {
    this.random = new Random(seed);
  }

  /** Returns a class {@code Generated} with a method {@code run} and a method {@code body}. */
  static String source(long seed) {
    return new RandomMethod(seed).generate();
  }

  private String generate() {
    text.append(
        """
        import dev.rialto.jit.kernel.*;
        public class Generated {
          record Pair(double x, double y) {
            Pair plus(Pair o) { return new Pair(x + o.x, y + o.y); }
            Pair turned() { return new Pair(-y, x); }
            Pair scaled(double k) { return k < 0 ? turned() : new Pair(k * x, k * y); }
          }
          record Box(int n, Pair p) {}
          public static KernelBody.Of6<F64, F32, I64, I32, I8, Integer> body() {
            return Generated::run;
          }
        """);
    for (int i = 0; i < 3; i++) {
      helper(i);
    }
    inHelper = false;
    budget = 25;
    scope.clear();
    text.append("  static void run(Item it, F64 a, F32 b, I64 c, I32 d, I8 e, int n) {\n");
    text.append("    int me = (int) it.global() * ").append(OWN).append(";\n");
    text.append("    Pair p = new Pair(a.get(me), b.get(me));\n");
    text.append("    double[] w = new double[8];\n    int[] u = new int[32];\n");
    scope.add(new Variable("int", "n"));
    for (String type : new String[] {"int", "long", "float", "double", "boolean", "char"}) {
      declare(type, 2);
    }
    statements(2, 6);
    text.append("    Box box = new Box(u[3], p.plus(new Pair(w[1], w[7])));\n");
    text.append("    a.set(me + 1, box.p().x()); a.set(me + 2, box.p().y() + box.n());\n");
    for (Variable v : List.copyOf(scope)) {
      output(v);
    }
    text.append("  }\n}\n");
    return text.toString();
  }

  private void output(Variable v) {
    String at = "me + " + random.nextInt(OWN);
    String line =
        switch (v.type()) {
          case "double" -> "a.set(" + at + ", " + v.name() + ");";
          case "float" -> "b.set(" + at + ", " + v.name() + ");";
          case "long" -> "c.set(" + at + ", c.get(" + at + ") * 31 + " + v.name() + ");";
          case "boolean" -> "if (" + v.name() + ") d.set(" + at + ", d.get(" + at + ") + 77);";
          default -> "d.set(" + at + ", d.get(" + at + ") * 31 + " + v.name() + ");";
        };
    text.append("    ").append(line).append('\n');
  }

  private void helper(int number) {
    String[] types = {"int", "double", "long"};
    result = types[number];
    inHelper = true;
    scope.clear();
    loops.clear();
    budget = 6;
    text.append("  static " + result + " help" + number + "(int p, double q, long r) {\n");
    scope.add(new Variable("int", "p"));
    scope.add(new Variable("double", "q"));
    scope.add(new Variable("long", "r"));
    statements(2, 2);
    text.append("    return " + expression(result, 2) + ";\n  }\n");
  }

  // --- Statements -------------------------------------------------------------------------------

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private void line(int depth, String line) {
    text.append("  ".repeat(depth)).append(line).append('\n');
  }

  private String declare(String type, int depth) {
    String name = "v" + count++;
    line(depth, type + " " + name + " = " + expression(type, 2) + ";");
    scope.add(new Variable(type, name));
    return name;
  }

  private void statements(int depth, int many) {
    int visible = scope.size();
    for (int i = 0; i < many; i++) {
      statement(depth);
    }
    if (depth > 2) {
      while (scope.size() > visible) {
        scope.removeLast();
      }
    }
  }

  private void nested(int depth, int many) {
    int visible = scope.size();
    statements(depth + 1, many);
    while (scope.size() > visible) {
      scope.removeLast();
    }
  }

  private void statement(int depth) {
    if (budget-- <= 0 || depth > 6) {
      assign(depth);
      return;
    }
    switch (random.nextInt(inHelper ? 9 : 14)) {
      case 0 -> {
        line(depth, "if (" + expression("boolean", 2) + ") {");
        nested(depth, 2);
        line(depth, "}");
      }
      case 1 -> {
        line(depth, "if (" + expression("boolean", 2) + ") {");
        nested(depth, 1);
        line(depth, "} else {");
        nested(depth, 1);
        line(depth, "}");
      }
      case 2 -> loop(depth);
      case 3 -> {
        String i = "k" + count++;
        line(depth, "int " + i + " = 0;");
        line(depth, "while (" + i + "++ < " + (1 + random.nextInt(4)) + ") {");
        loops.add("");
        nested(depth, 2);
        loops.removeLast();
        line(depth, "}");
      }
      case 4 -> {
        String i = "k" + count++;
        line(depth, "int " + i + " = " + random.nextInt(3) + ";");
        line(depth, "do {");
        loops.add("");
        nested(depth, 1);
        loops.removeLast();
        line(depth, "} while (--" + i + " > 0);");
      }
      case 5 -> change(depth);
      case 6 -> jump(depth);
      case 7 -> {
        line(depth, "switch (" + expression("int", 1) + " & 3) {");
        for (int c = 0; c < 3; c++) {
          line(depth, "  case " + c + ":");
          nested(depth + 1, 1);
          if (random.nextBoolean()) {
            line(depth + 1, "  break;");
          }
        }
        line(depth, "  default:");
        nested(depth + 1, 1);
        line(depth, "}");
      }
      case 8 -> declare(pick("int", "long", "float", "double", "byte", "short"), depth);
      case 9 ->
          line(
              depth,
              "w[" + index(8) + "] " + pick("=", "+=", "-=") + " " + expression("double", 2) + ";");
      case 10 ->
          line(
              depth,
              "u["
                  + index(32)
                  + "] "
                  + pick("=", "+=", "^=", "<<=")
                  + " "
                  + expression("int", 2)
                  + ";");
      case 11 -> line(depth, "p = " + pair(2) + ";");
      case 12 ->
          line(
              depth,
              "it.atomic"
                  + pick("Add", "Min", "Max", "And", "Or", "Xor", "Exchange")
                  + "(e, me + "
                  + random.nextInt(OWN)
                  + ", (byte) "
                  + expression("int", 2)
                  + ");");
      default ->
          line(
              depth,
              "e.set(me + " + random.nextInt(OWN) + ", (byte) " + expression("int", 2) + ");");
    }
  }

  private void loop(int depth) {
    String i = "i" + count++;
    String label = "l" + count++;
    line(
        depth,
        label
            + ": for (int "
            + i
            + " = 0; "
            + i
            + " < "
            + (1 + random.nextInt(5))
            + "; "
            + i
            + (random.nextBoolean() ? "++" : " += 2")
            + ") {");
    loops.add(label);
    scope.add(new Variable("final", i));
    nested(depth, 2);
    scope.removeLast();
    loops.removeLast();
    line(depth, "}");
  }

  /** Jumps behind a condition, so that what follows can be reached. */
  private void jump(int depth) {
    String condition = "if (" + expression("boolean", 2) + ") ";
    if (loops.isEmpty() || random.nextInt(4) == 0) {
      line(depth, condition + (inHelper ? "return " + expression(result, 1) + ";" : "return;"));
      return;
    }
    String label = loops.get(random.nextInt(loops.size()));
    line(depth, condition + pick("break", "continue") + (label.isEmpty() ? "" : " " + label) + ";");
  }

  private void assign(int depth) {
    change(depth);
  }

  private void change(int depth) {
    List<Variable> free = scope.stream().filter(v -> !v.type().equals("final")).toList();
    Variable v = free.get(random.nextInt(free.size()));
    switch (v.type()) {
      case "int", "long" -> {
        if (random.nextInt(3) == 0) {
          line(depth, v.name() + pick("++", "--") + ";");
        } else {
          line(
              depth,
              v.name()
                  + " "
                  + pick("=", "+=", "*=", "^=", "|=", "-=")
                  + " "
                  + expression(v.type(), 2)
                  + ";");
        }
      }
      case "boolean" -> line(depth, v.name() + " = " + expression("boolean", 2) + ";");
      case "byte", "short", "char" ->
          line(
              depth,
              v.name()
                  + " "
                  + pick("=", "+=")
                  + " ("
                  + v.type()
                  + ") "
                  + expression("int", 2)
                  + ";");
      default ->
          line(
              depth,
              v.name() + " " + pick("=", "+=", "*=", "-=") + " " + expression(v.type(), 2) + ";");
    }
  }

  // --- Expressions ------------------------------------------------------------------------------

  private String index(int size) {
    return "(" + expression("int", 1) + ") & " + (size - 1);
  }

  private String pair(int depth) {
    return switch (random.nextInt(5)) {
      case 0 -> "p.turned()";
      case 1 -> "p.plus(new Pair(" + expression("double", 1) + ", w[" + random.nextInt(8) + "]))";
      case 2 -> "p.scaled(" + expression("double", 1) + ")";
      case 3 -> "(" + expression("boolean", 1) + " ? p : new Pair(p.y(), p.x()))";
      default -> depth > 0 ? "p.plus(p.turned())" : "p";
    };
  }

  private String variable(String type) {
    List<String> names = new ArrayList<>();
    for (Variable v : scope) {
      boolean fits =
          v.type().equals(type)
              || (type.equals("int")
                  && List.of("final", "byte", "short", "char").contains(v.type()));
      if (fits) {
        names.add(v.name());
      }
    }
    return names.isEmpty() ? "(" + constant(type) + ")" : names.get(random.nextInt(names.size()));
  }

  private String constant(String type) {
    return switch (type) {
      case "int" ->
          pick(
              "0",
              "1",
              "-1",
              "7",
              "255",
              "65535",
              "Integer.MAX_VALUE",
              "Integer.MIN_VALUE",
              "-123456");
      case "long" -> pick("0L", "1L", "-1L", "0x123456789abcdefL", "Long.MIN_VALUE", "1L << 40");
      case "float" -> pick("0f", "-0f", "1.5f", "-3.25e10f", "Float.NaN", "1e-40f", "0.1f");
      case "double" ->
          pick(
              "0.0",
              "-0.0",
              "0.5",
              "1e18",
              "-2.75",
              "Double.NaN",
              "1e300",
              "Double.POSITIVE_INFINITY",
              "0.1");
      case "boolean" -> pick("true", "false");
      case "char" -> pick("'x'", "'\\uffff'", "'0'");
      default -> "(" + type + ") " + constant("int");
    };
  }

  private String expression(String type, int depth) {
    if (depth == 0) {
      return random.nextInt(3) == 0 ? "(" + constant(type) + ")" : variable(type);
    }
    return switch (type) {
      case "int" -> integer(depth - 1);
      case "long" -> wide(depth - 1);
      case "float", "double" -> real(type, depth - 1);
      case "boolean" -> condition(depth - 1);
      default -> "(" + type + ") (" + integer(depth - 1) + ")";
    };
  }

  private String integer(int d) {
    return switch (random.nextInt(inHelper ? 11 : 15)) {
      case 0, 1 ->
          "("
              + expression("int", d)
              + " "
              + pick("+", "-", "*", "&", "|", "^")
              + " "
              + expression("int", d)
              + ")";
      case 2 ->
          "("
              + expression("int", d)
              + " "
              + pick("<<", ">>", ">>>")
              + " "
              + expression("int", d)
              + ")";
      case 3 ->
          "("
              + expression("int", d)
              + " "
              + pick("/", "%")
              + " ("
              + expression("int", d)
              + " | 1))";
      case 4 -> "(int) (" + expression(pick("long", "float", "double"), d) + ")";
      case 5 -> "(" + pick("byte", "short", "char") + ") (" + expression("int", d) + ")";
      case 6 ->
          pick(
                  "Integer.bitCount",
                  "Integer.numberOfLeadingZeros",
                  "Integer.numberOfTrailingZeros",
                  "Math.abs",
                  "Integer.reverse",
                  "Integer.highestOneBit")
              + "("
              + expression("int", d)
              + ")";
      case 7 ->
          pick("Math.min", "Math.max", "Integer.compareUnsigned", "Integer.rotateLeft")
              + "("
              + expression("int", d)
              + ", "
              + expression("int", d)
              + ")";
      case 8 ->
          "("
              + expression("boolean", d)
              + " ? "
              + expression("int", d)
              + " : "
              + expression("int", d)
              + ")";
      case 9 -> "Float.floatToIntBits(" + expression("float", d) + ")";
      case 10 -> "Double.compare(" + expression("double", d) + ", " + expression("double", d) + ")";
      case 11 -> "d.get(me + ((" + expression("int", d) + ") & 3))";
      case 12 ->
          "help0("
              + expression("int", d)
              + ", "
              + expression("double", d)
              + ", "
              + expression("long", d)
              + ")";
      case 13 ->
          pick("Integer.divideUnsigned", "Integer.remainderUnsigned")
              + "("
              + expression("int", d)
              + ", "
              + expression("int", d)
              + " | 1)";
      default -> "u[" + index(32) + "]";
    };
  }

  private String wide(int d) {
    return switch (random.nextInt(inHelper ? 7 : 9)) {
      case 0, 1 ->
          "("
              + expression("long", d)
              + " "
              + pick("+", "-", "*", "&", "|", "^")
              + " "
              + expression("long", d)
              + ")";
      case 2 ->
          "("
              + expression("long", d)
              + " "
              + pick("<<", ">>", ">>>")
              + " "
              + expression("int", d)
              + ")";
      case 3 ->
          "("
              + expression("long", d)
              + " "
              + pick("/", "%")
              + " ("
              + expression("long", d)
              + " | 1))";
      case 4 -> "(long) (" + expression(pick("int", "float", "double"), d) + ")";
      case 5 ->
          pick("Long.bitCount", "Long.numberOfLeadingZeros", "Long.reverse", "Math.abs")
              + "("
              + expression("long", d)
              + ")";
      case 6 -> "Math.floorMod(" + expression("long", d) + ", (" + expression("long", d) + " | 1))";
      case 7 -> "c.get(me + ((" + expression("int", d) + ") & 3))";
      default ->
          "help2("
              + expression("int", d)
              + ", "
              + expression("double", d)
              + ", "
              + expression("long", d)
              + ")";
    };
  }

  private String real(String type, int d) {
    boolean single = type.equals("float");
    return switch (random.nextInt(inHelper ? 8 : 11)) {
      case 0, 1, 2 ->
          "("
              + expression(type, d)
              + " "
              + pick("+", "-", "*", "/", "%")
              + " "
              + expression(type, d)
              + ")";
      case 3 ->
          "("
              + type
              + ") ("
              + expression(pick("int", "long", single ? "double" : "float"), d)
              + ")";
      case 4 ->
          "("
              + type
              + ") "
              + pick(
                  "Math.sqrt",
                  "Math.floor",
                  "Math.ceil",
                  "Math.rint",
                  "StrictMath.cbrt",
                  "StrictMath.log1p")
              + "("
              + expression(type, d)
              + ")";
      case 5 ->
          pick("Math.min", "Math.max")
              + "("
              + expression(type, d)
              + ", "
              + expression(type, d)
              + ")";
      case 6 ->
          "Math.fma("
              + expression(type, d)
              + ", "
              + expression(type, d)
              + ", "
              + expression(type, d)
              + ")";
      case 7 ->
          "("
              + expression("boolean", d)
              + " ? "
              + expression(type, d)
              + " : -"
              + expression(type, d)
              + ")";
      case 8 ->
          single
              ? "b.get(me + ((" + expression("int", d) + ") & 3))"
              : "help1("
                  + expression("int", d)
                  + ", "
                  + expression("double", d)
                  + ", "
                  + expression("long", d)
                  + ")";
      case 9 ->
          single
              ? "Philox.uniformFloat(" + expression("long", d) + ", " + expression("long", d) + ")"
              : "w[" + index(8) + "]";
      default ->
          single
              ? "(float) p.x()"
              : pick("p.x()", "p.y()", "a.get(me)", "a.get(me + " + random.nextInt(OWN) + ")");
    };
  }

  private String condition(int d) {
    return switch (random.nextInt(6)) {
      case 0, 1 -> {
        String type = pick("int", "long", "float", "double");
        yield "("
            + expression(type, d)
            + " "
            + pick("<", "<=", ">", ">=", "==", "!=")
            + " "
            + expression(type, d)
            + ")";
      }
      case 2 ->
          "("
              + expression("boolean", d)
              + pick(" && ", " || ", " ^ ", " & ")
              + expression("boolean", d)
              + ")";
      case 3 -> "!" + expression("boolean", d);
      case 4 -> pick("Double.isNaN", "Double.isInfinite") + "(" + expression("double", d) + ")";
      default -> expression("boolean", 0);
    };
  }
}
