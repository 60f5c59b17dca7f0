package dev.rialto.tck.host;

import java.lang.reflect.Proxy;

/** Makes objects of no backend, to be refused by the one under test. */
final class Foreign {
  private Foreign() {}

  static <T> T of(Class<T> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) ->
                switch (method.getName()) {
                  case "name", "toString" -> "foreign";
                  case "hashCode" -> 0;
                  case "equals" -> false;
                  default ->
                      throw new AssertionError(
                          "the backend uses a foreign " + type.getSimpleName() + ": " + method);
                }));
  }
}
