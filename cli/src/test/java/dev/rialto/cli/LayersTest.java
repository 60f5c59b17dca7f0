package dev.rialto.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Holds the layers of the architecture: arrows point down only.
 *
 * <p>It lives here because the command line is the one module that sees every other.
 */
class LayersTest {

  private static final String ROOT = "dev.rialto";

  /** Each layer, and those of ours that it may use besides itself. */
  private static final Map<String, Set<String>> ALLOWED = new LinkedHashMap<>();

  static {
    ALLOWED.put("system", Set.of());
    ALLOWED.put("spi", Set.of("system"));
    ALLOWED.put("text", Set.of());

    ALLOWED.put("cpu", Set.of("spi", "system"));
    ALLOWED.put("local", Set.of("spi", "system", "cpu"));
    ALLOWED.put("mpi", Set.of("spi", "system"));
    ALLOWED.put("fftw", Set.of("spi", "system"));
    ALLOWED.put("cuda", Set.of("spi", "system"));
    ALLOWED.put("natives", Set.of("spi", "system"));
    ALLOWED.put("opencl", Set.of("spi", "system"));

    ALLOWED.put("runtime", Set.of("spi", "system", "text"));
    ALLOWED.put("jit", Set.of("runtime", "spi", "system"));
    ALLOWED.put("exchange", Set.of("runtime", "spi", "system"));
    ALLOWED.put("array", Set.of("exchange", "jit", "runtime", "spi", "system"));
    ALLOWED.put("io", Set.of("array", "exchange", "runtime", "spi", "system"));
    ALLOWED.put("fft", Set.of("array", "exchange", "jit", "runtime", "spi", "system"));
    ALLOWED.put("sparse", Set.of("array", "exchange", "jit", "runtime", "spi", "system"));

    ALLOWED.put("tck", Set.of("spi", "system", "text"));
    ALLOWED.put("example", Set.of("spi", "system"));
    ALLOWED.put("bench", everythingBut("cli", "bench", "tck", "example"));
    ALLOWED.put("cli", everythingBut("cli"));
  }

  /** The layers that each layer must use: one that goes round them builds a second one. */
  private static final Map<String, Set<String>> REQUIRED =
      Map.of(
          "array", Set.of("exchange", "jit", "runtime"),
          "exchange", Set.of("runtime"),
          "io", Set.of("array"),
          "fft", Set.of("array", "exchange", "jit", "runtime"),
          "sparse", Set.of("array", "exchange", "jit", "runtime"),
          "jit", Set.of("runtime"));

  /** Layers that must have classes; a new module joins this list with its first class. */
  private static final Set<String> PRESENT =
      Set.of(
          "system",
          "spi",
          "text",
          "cpu",
          "cuda",
          "local",
          "mpi",
          "fftw",
          "runtime",
          "exchange",
          "array",
          "io",
          "jit",
          "fft",
          "sparse",
          "tck",
          "bench",
          "cli",
          "natives",
          "opencl");

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(ROOT);

  @TestFactory
  List<DynamicTest> eachLayerUsesOnlyWhatIsBelowIt() {
    List<DynamicTest> tests = new ArrayList<>();
    ALLOWED.forEach(
        (layer, below) ->
            tests.add(DynamicTest.dynamicTest(layer, () -> rule(layer, below).check(CLASSES))));
    return tests;
  }

  @Test
  void eachLayerUsesWhatItMust() {
    REQUIRED.forEach((layer, below) -> assertThat(used(layer)).as(layer).containsAll(below));
  }

  @Test
  void anArrowThatIsMissingIsNoticed() {
    // Every demanded arrow goes down, so turned round it is missing.
    REQUIRED.forEach(
        (layer, below) ->
            below.forEach(lower -> assertThat(used(lower)).as(lower).doesNotContain(layer)));
    assertThat(used("text")).containsOnly("text");
  }

  /** Returns the layers that the classes of a layer use. */
  private static Set<String> used(String layer) {
    return CLASSES.stream()
        .filter(c -> layerOf(c).equals(layer))
        .flatMap(c -> c.getDirectDependenciesFromSelf().stream())
        .map(each -> each.getTargetClass().getBaseComponentType())
        .filter(c -> c.getPackageName().startsWith(ROOT))
        .map(c -> layerOf(c))
        .collect(Collectors.toSet());
  }

  @Test
  void theLayersThatExistWereImported() {
    // Without this the rules above would hold for an import that found nothing.
    assertThat(CLASSES.stream().map(c -> layerOf(c)).collect(Collectors.toSet()))
        .containsAll(PRESENT);
    assertThat(CLASSES.contain("dev.rialto.cli.Main")).isTrue();
  }

  @Test
  void everyClassBelongsToAKnownLayer() {
    assertThat(CLASSES)
        .isNotEmpty()
        .allSatisfy(c -> assertThat(ALLOWED).as(c.getName()).containsKey(layerOf(c)));
  }

  @Test
  void theLayersHaveNoCycle() {
    // In the order of the table each layer is allowed only what came before it.
    List<String> order = List.copyOf(ALLOWED.keySet());
    ALLOWED.forEach(
        (layer, below) ->
            assertThat(below)
                .as(layer)
                .allSatisfy(
                    lower ->
                        assertThat(order.indexOf(lower)).isBetween(0, order.indexOf(layer) - 1)));
  }

  @Test
  void aRuleThatIsBrokenIsNoticed() {
    // The command line uses the text layer; forbidding that must fail, or no rule means anything.
    ArchRule forbidden = rule("cli", Set.of("spi"));

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> forbidden.check(CLASSES))
        .withMessageContaining("dev.rialto.text");
  }

  private static ArchRule rule(String layer, Set<String> below) {
    DescribedPredicate<JavaClass> allowed =
        DescribedPredicate.describe(
            "is outside Rialto or in " + layer + " or one of " + below,
            c -> {
              JavaClass type = c.getBaseComponentType();
              String name = type.getPackageName();
              if (!name.equals(ROOT) && !name.startsWith(ROOT + ".")) {
                return true;
              }
              String target = layerOf(type);
              return target.equals(layer) || below.contains(target);
            });
    return classes()
        .that(resideInAPackage(ROOT + "." + layer + ".."))
        .should()
        .onlyDependOnClassesThat(allowed)
        .because("layers depend on lower layers only")
        .allowEmptyShould(!PRESENT.contains(layer));
  }

  /** The first part of the package below the root: {@code spi} of {@code dev.rialto.spi.comm}. */
  private static String layerOf(JavaClass type) {
    String name = type.getPackageName();
    if (!name.startsWith(ROOT + ".")) {
      return name;
    }
    String rest = name.substring(ROOT.length() + 1);
    int dot = rest.indexOf('.');
    return dot < 0 ? rest : rest.substring(0, dot);
  }

  private static Set<String> everythingBut(String... excluded) {
    return ALLOWED.keySet().stream()
        .filter(layer -> !List.of(excluded).contains(layer))
        .collect(Collectors.toUnmodifiableSet());
  }
}
