package dev.rialto.tck.run;

import dev.rialto.spi.Capability;
import dev.rialto.tck.Outcome;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.RequirementResult;
import dev.rialto.tck.Tck;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** All requirements, in the order in which they are run and reported. */
public final class Catalogue {
  /**
   * A requirement and the method that tests it.
   *
   * @param declared what the requirement says
   * @param tests a class bound to the backend under test
   * @param method the method of it
   */
  public record Entry(Requirement declared, Class<? extends Tck> tests, Method method) {
    public String id() {
      return declared.id();
    }

    /** Returns whether it runs on ranks. */
    public boolean onRanks() {
      return Stream.of(declared.capability()).anyMatch(Refusals::ofCommunicators);
    }

    RequirementResult result(
        Outcome outcome, List<Integer> ranks, String message, String detail, long millis) {
      List<Capability> capabilities = List.of(declared.capability());
      return new RequirementResult(
          id(), declared.text(), capabilities, outcome, ranks, message, detail, millis);
    }
  }

  private Catalogue() {}

  public static List<Entry> all() {
    return Bound.CLASSES.stream().flatMap(Catalogue::of).toList();
  }

  /** Returns the requirements of one class, which inherits them, by number. */
  static Stream<Entry> of(Class<? extends Tck> tests) {
    return Stream.<Class<?>>iterate(tests, Tck.class::isAssignableFrom, Class::getSuperclass)
        .flatMap(type -> Stream.of(type.getDeclaredMethods()))
        .filter(method -> method.isAnnotationPresent(Requirement.class))
        .map(method -> new Entry(method.getAnnotation(Requirement.class), tests, method))
        .sorted(Comparator.comparing(Entry::id));
  }
}
