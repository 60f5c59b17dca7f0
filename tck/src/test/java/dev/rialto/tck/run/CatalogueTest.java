package dev.rialto.tck.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.tck.Tck;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for all requirements. */
class CatalogueTest {
  private static List<Class<? extends Tck>> classes() {
    return Bound.CLASSES;
  }

  @ParameterizedTest
  @MethodSource("classes")
  void numbersCountUpWithoutGaps(Class<? extends Tck> tests) {
    List<String> ids = Catalogue.of(tests).map(Catalogue.Entry::id).toList();
    assertThat(ids).isNotEmpty();
    String prefix = ids.getFirst().replaceAll("-.*", "");
    assertThat(ids)
        .containsExactlyElementsOf(
            IntStream.rangeClosed(1, ids.size())
                .mapToObj(i -> String.format("%s-%03d", prefix, i))
                .toList());
  }

  @Test
  void eachClassHasAPrefixOfItsOwn() {
    assertThat(classes())
        .extracting(tests -> Catalogue.of(tests).findFirst().orElseThrow().id())
        .doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @MethodSource("classes")
  void textsAreSentences(Class<? extends Tck> tests) {
    assertThat(Catalogue.of(tests))
        .allSatisfy(entry -> assertThat(entry.declared().text()).matches("[A-Z].*\\."));
  }

  @ParameterizedTest
  @MethodSource("classes")
  void backendsCannotOverrideRequirements(Class<? extends Tck> tests) {
    int visible = Modifier.PUBLIC | Modifier.PROTECTED;
    assertThat(Catalogue.of(tests)).allMatch(e -> (e.method().getModifiers() & visible) == 0);
  }
}
