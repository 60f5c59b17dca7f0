package dev.rialto.tck.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.tck.Tck;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties of all requirements. */
class CatalogueTest {
  private static List<Class<? extends Tck>> classes() {
    return Catalogue.CLASSES;
  }

  @ParameterizedTest
  @MethodSource("classes")
  void numbersOfAClassCountUp(Class<? extends Tck> tests) {
    List<String> ids = ids(tests);
    String prefix = ids.getFirst().replaceAll("-.*", "");
    assertThat(ids).isSorted().allMatch(id -> id.matches(prefix + "-\\d{3}"));
  }

  @Test
  void everyNumberIsGivenOnce() {
    assertThat(classes().stream().flatMap(tests -> ids(tests).stream())).doesNotHaveDuplicates();
  }

  private static List<String> ids(Class<? extends Tck> tests) {
    return Catalogue.of(tests).map(Catalogue.Entry::id).toList();
  }

  @ParameterizedTest
  @MethodSource("classes")
  void textsAreSentences(Class<? extends Tck> tests) {
    assertThat(Catalogue.of(tests))
        .allSatisfy(entry -> assertThat(entry.declared().text()).matches("[A-Z].*\\."));
  }
}
