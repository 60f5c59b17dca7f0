package dev.rialto.jit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Values of assignments as text, of any depth. */
final class ScalarText {
  private ScalarText() {}

  static String of(ScalarExpression root) {
    StringBuilder text = new StringBuilder();
    Deque<Object> open = new ArrayDeque<>();
    open.push(root);
    while (!open.isEmpty()) {
      Object next = open.pop();
      switch (next) {
        case ScalarExpression.Apply apply ->
            open(text, open, apply.op().word() + "(", apply.operands());
        case ScalarExpression.Cast cast ->
            open(text, open, "cast(" + cast.type() + ", ", cast.parts());
        case ScalarExpression.Within w ->
            open(text, open, "within(" + w.index() + " < " + w.size() + ", ", w.parts());
        default -> text.append(next);
      }
    }
    return text.toString();
  }

  private static void open(
      StringBuilder text, Deque<Object> open, String head, List<ScalarExpression> parts) {
    text.append(head);
    open.push(")");
    for (int i = parts.size() - 1; i >= 0; i--) {
      open.push(parts.get(i));
      if (i > 0) {
        open.push(", ");
      }
    }
  }
}
