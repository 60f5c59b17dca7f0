package dev.rialto.jit.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The steps of a random kernel that writes an array at indices of every kind: sums, products,
 * remainders, clamped ones, ones behind conditions and in loops, and ones that wrap around. What
 * they are depends on nothing that the kernel writes.
 */
final class RandomIndices {
  private final Random random;
  private final List<String> lines = new ArrayList<>();
  private final List<String> scope = new ArrayList<>();
  private int names;
  private int budget = 14;

  private RandomIndices(long seed) {
    this.random = new Random(seed);
  }

  /**
   * Returns the steps, at most one access in each line. {@code ME}, {@code ITEMS}, {@code LENGTH}
   * and {@code DATA} stand for numbers that are known, {@code n} is an int; {@code SET(index);} is
   * an access.
   */
  static List<String> lines(long seed) {
    RandomIndices method = new RandomIndices(seed);
    method.lines.add("int fuel = 200;");
    method.lines.add("int me = (int) ME;");
    method.lines.add("int data = DATA;");
    method.scope.addAll(List.of("me", "data", "n"));
    while (method.budget > 0) {
      method.step();
    }
    return method.lines;
  }

  private String pick(String... texts) {
    return texts[random.nextInt(texts.length)];
  }

  private String variable() {
    return scope.get(random.nextInt(scope.size()));
  }

  private String number() {
    return switch (random.nextInt(10)) {
      case 0 -> String.valueOf(random.nextInt());
      case 1 -> pick("2147483647", "-2147483648", "65536", "46341");
      default -> String.valueOf(random.nextInt(-2, 20));
    };
  }

  private String value(int depth) {
    String x = depth == 0 ? variable() : value(depth - 1);
    String y = random.nextInt(3) > 0 ? number() : variable();
    int some = 1 << random.nextInt(6);
    return switch (random.nextInt(14)) {
      case 0, 1 -> "(" + x + " + " + y + ")";
      case 2 -> "(" + x + " - " + y + ")";
      case 3 -> "(" + x + " * " + y + ")";
      case 4 -> "(" + x + " / " + random.nextInt(1, 9) + ")";
      case 5 -> "(" + x + " % " + random.nextInt(1, 40) + ")";
      case 6 -> "(" + x + " & " + (random.nextBoolean() ? some - 1 : -some) + ")";
      case 7 -> "(" + x + pick(" << ", " >> ", " >>> ") + random.nextInt(4) + ")";
      case 8 -> "Math.min(" + x + ", " + y + ")";
      case 9 -> "Math.max(" + x + ", " + y + ")";
      case 10 -> "(" + condition() + " ? " + x + " : " + y + ")";
      case 11 -> "Math.clamp((long) " + x + ", 0, " + random.nextInt(1, 60) + ")";
      default -> x;
    };
  }

  private String condition() {
    String compares = pick(" < ", " <= ", " > ", " >= ", " == ", " != ");
    String simple = variable() + compares + (random.nextBoolean() ? number() : variable());
    return random.nextInt(4) == 0
        ? "(" + simple + pick(" && ", " || ") + condition() + ")"
        : simple;
  }

  private void step() {
    budget--;
    switch (random.nextInt(11)) {
      case 0, 1 -> declare();
      case 2 -> lines.add(variable() + pick(" = ", " += ", " -= ") + value(1) + ";");
      case 3 -> inside("if (" + condition() + ") {", "", false);
      case 4 -> {
        String at = variable();
        inside("if (" + at + " >= 0 && " + at + " < LENGTH) {", "SET(" + at + ");", false);
      }
      case 5 -> {
        String less = variable();
        String more = variable();
        inside(
            "if (" + less + pick(" < ", " <= ") + more + ") {",
            "SET(" + more + " - " + less + " + " + random.nextInt(-1, 2) + ");",
            false);
      }
      case 6, 7 -> {
        String i = "v" + names++;
        String from = random.nextBoolean() ? variable() : number();
        String to = random.nextInt(3) == 0 ? "LENGTH" : random.nextBoolean() ? variable() : "n";
        String by = " += " + (1 << random.nextInt(5));
        scope.add(i);
        inside(
            "for (int "
                + i
                + " = "
                + from
                + "; "
                + i
                + pick(" < ", " <= ")
                + to
                + "; "
                + i
                + by
                + ") {",
            "SET(" + i + " + " + random.nextInt(-1, 4) + ");",
            true);
        scope.remove(i);
      }
      case 8 -> inside("while (" + condition() + ") {", variable() + " = " + value(1) + ";", true);
      default -> lines.add("SET(" + value(1 + random.nextInt(2)) + ");");
    }
  }

  private void declare() {
    String name = "v" + names++;
    lines.add("int " + name + " = (int) " + value(1) + ";");
    scope.add(name);
  }

  private void inside(String head, String first, boolean isLoop) {
    int outside = scope.size();
    lines.add(head);
    if (isLoop) {
      lines.add("if (--fuel < 0) return;");
    }
    if (!first.isEmpty()) {
      lines.add(first);
    }
    for (int i = random.nextInt(1, 4); i > 0 && budget > 0; i--) {
      step();
    }
    if (isLoop && random.nextInt(4) == 0) {
      lines.add("if (" + condition() + ") " + pick("break;", "continue;"));
      lines.add("SET(" + variable() + ");");
    }
    scope.subList(outside, scope.size()).clear();
    lines.add("}");
  }
}
