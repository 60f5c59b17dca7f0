package dev.rialto.tck;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.DisplayNameGenerator;

/** Shows a requirement under its number and text wherever JUnit shows tests. */
final class RequirementNames extends DisplayNameGenerator.Standard {
  @Override
  public String generateDisplayNameForMethod(
      List<Class<?>> enclosing, Class<?> testClass, Method method) {
    Requirement requirement = method.getAnnotation(Requirement.class);
    return requirement == null
        ? super.generateDisplayNameForMethod(enclosing, testClass, method)
        : requirement.id() + " " + requirement.text();
  }
}
