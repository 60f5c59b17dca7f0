package dev.rialto.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  record Row(String name, double seconds, List<Integer> shape, Optional<String> peer) {}

  @Test
  void scalarsAreWrittenAsJsonHasThem() {
    assertThat(Json.write(null)).isEqualTo("null");
    assertThat(Json.write(true)).isEqualTo("true");
    assertThat(Json.write(42)).isEqualTo("42");
    assertThat(Json.write(Long.MIN_VALUE)).isEqualTo("-9223372036854775808");
    assertThat(Json.write(0.1)).isEqualTo("0.1");
    assertThat(Json.write(1.0E-300)).isEqualTo("1.0E-300");
    assertThat(Json.write(BigInteger.TWO.pow(70))).isEqualTo("1180591620717411303424");
    assertThat(Json.write(new BigDecimal("1.50"))).isEqualTo("1.50");
    assertThat(Json.write(new AtomicLong(7))).isEqualTo("7");
    assertThat(Json.write('x')).isEqualTo("\"x\"");
    assertThat(Json.write(TimeUnit.SECONDS)).isEqualTo("\"SECONDS\"");
  }

  @ParameterizedTest
  @ValueSource(doubles = {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
  void numbersThatJsonLacksAreNull(double value) {
    assertThat(Json.write(value)).isEqualTo("null");
    assertThat(Json.write((float) value)).isEqualTo("null");
    assertThat(Json.write(new double[] {1, value})).isEqualTo("[1.0,null]");
  }

  @Test
  void textIsEscaped() {
    assertThat(Json.write("a\"b\\c/d\n\r\t\b\f\u0001\u2028"))
        .isEqualTo("\"a\\\"b\\\\c/d\\n\\r\\t\\b\\f\\u0001\\u2028\"");
    assertThat(Json.write("é€😀")).isEqualTo("\"é€😀\"");
  }

  @Test
  void halfASurrogatePairIsEscaped() {
    assertThat(Json.write("\ud83d!")).isEqualTo("\"\\ud83d!\"");
    assertThat(Json.write("!\ude00")).isEqualTo("\"!\\ude00\"");
  }

  @Test
  void recordsMapsArraysAndOptionalsNest() {
    Row row = new Row("a", 0.5, List.of(2, 3), Optional.empty());

    assertThat(Json.write(List.of(row)))
        .isEqualTo("[{\"name\":\"a\",\"seconds\":0.5,\"shape\":[2,3],\"peer\":null}]");
    assertThat(Json.write(Map.of(TimeUnit.DAYS, Optional.of(1)))).isEqualTo("{\"DAYS\":1}");
    assertThat(Json.write(List.of(List.of(), Map.of()))).isEqualTo("[[],{}]");
    assertThat(Json.write(new int[][] {{1, 2}, {}})).isEqualTo("[[1,2],[]]");
  }

  @Test
  void indentedFormKeepsShortLeavesOnTheirLine() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("suite", "comm");
    document.put("shape", List.of(1, 2));
    document.put("empty", List.of());
    document.put("long", "x".repeat(90).chars().boxed().toList().subList(0, 25));

    String text = Json.writeIndented(document);

    assertThat(text)
        .startsWith("{\n  \"suite\": \"comm\",\n  \"shape\": [1, 2],\n  \"empty\": [],\n")
        .contains("  \"long\": [\n    120,\n    120,")
        .endsWith("    120\n  ]\n}");
    assertThat(Json.read(text)).isEqualTo(Json.read(Json.write(document)));
  }

  @Test
  void whatHasNoJsonFormIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.write(List.of(new Object())))
        .withMessageContaining("java.lang.Object");
    assertThatIllegalArgumentException().isThrownBy(() -> Json.write(Map.of(1, 2)));
  }

  @Test
  void aValueThatContainsItselfIsRefused() {
    List<Object> list = new ArrayList<>();
    list.add(Collections.unmodifiableList(list));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.write(list))
        .withMessageContaining("contain itself");
  }

  @Test
  void documentsAreRead() {
    Object value =
        Json.read(
            " {\"a\": [1, -2.5e3, true, false, null, \"\\u00e9\\n\\ud83d\\ude00\"], \"b\":{}} ");

    Map<String, Object> expected = new HashMap<>();
    List<Object> list = new ArrayList<>(List.of(1L, -2500.0, true, false));
    list.add(null);
    list.add("é\n😀");
    expected.put("a", list);
    expected.put("b", Map.of());
    assertThat(value).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "0,0",
    "-7,-7",
    "9223372036854775807,9223372036854775807",
  })
  void wholeNumbersThatFitAreLongs(String text, long value) {
    assertThat(Json.read(text)).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({"1e2,100", "1E-2,0.01", "0.5,0.5", "9223372036854775808,9.223372036854775808E18"})
  void otherNumbersAreDoubles(String text, double value) {
    assertThat(Json.read(text)).isEqualTo(value);
  }

  @Test
  void negativeZeroKeepsItsSign() {
    assertThat(Json.read("-0")).isEqualTo(-0.0);
    assertThat(Json.write(-0.0)).isEqualTo("-0.0");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[",
        "[1,]",
        "[1 2]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\"}",
        "{\"a\":}",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "tru",
        "nul",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u00",
        "\"\t\"",
        "1 2",
        "[1]]",
        "'a'",
        "NaN",
        "Infinity",
        "// x\n1",
        "{\"a\":1,\"a\":2}",
        "\ufeff1",
        "1_000",
        "\u0661"
      })
  void whatIsNotJsonIsRefused(String text) {
    assertThatExceptionOfType(JsonException.class).isThrownBy(() -> Json.read(text));
  }

  @Test
  void errorsSayWhere() {
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> Json.read("{\n  \"a\": 1,\n  \"b\": ?\n}"))
        .withMessage("line 3, column 8: expected a value, found '?'")
        .satisfies(e -> assertThat(e.line()).isEqualTo(3))
        .satisfies(e -> assertThat(e.column()).isEqualTo(8));
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> Json.read("[1, 2"))
        .withMessage(
            "line 1, column 6: expected ']' or ',' after an element, found the end of the text");
  }

  @Test
  void endlessNestingIsRefusedInsteadOfOverflowingTheStack() {
    assertThatExceptionOfType(JsonException.class)
        .isThrownBy(() -> Json.read("[".repeat(1_000_000)))
        .withMessageContaining("nested deeper");
  }

  @Test
  void whatWasReadCannotBeChanged() {
    List<?> list = (List<?>) Json.read("[1]");

    assertThat(list).isUnmodifiable();
  }

  @Test
  void randomDocumentsSurviveARoundTrip() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 500; i++) {
      Object document = randomValue(random, 4);

      assertThat(Json.read(Json.write(document))).as("seed %d", seed).isEqualTo(document);
      assertThat(Json.read(Json.writeIndented(document))).as("seed %d", seed).isEqualTo(document);
    }
  }

  private static Object randomValue(Random random, int depth) {
    return switch (random.nextInt(depth > 0 ? 6 : 4)) {
      case 0 -> random.nextLong() >> random.nextInt(64);
      case 1 -> random.nextGaussian() * Math.pow(10, random.nextInt(-300, 300));
      case 2 -> randomText(random);
      case 3 -> random.nextBoolean();
      case 4 -> {
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
          list.add(randomValue(random, depth - 1));
        }
        yield list;
      }
      default -> {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
          map.put(randomText(random), randomValue(random, depth - 1));
        }
        yield map;
      }
    };
  }

  /** Any code units, half surrogate pairs included. */
  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(12); i > 0; i--) {
      text.append((char) random.nextInt(random.nextBoolean() ? 128 : 0x10000));
    }
    return text.toString();
  }

  @Test
  void membersAreFoundByNameAndType() {
    Map<?, ?> object = Json.readObject("{\"name\": \"x\", \"count\": 3, \"none\": null}");
    assertThat(Json.member(object, "name", String.class)).isEqualTo("x");
    assertThat(Json.member(object, "count", Long.class)).isEqualTo(3);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.member(object, "size", Long.class))
        .withMessageContaining("\"size\"")
        .withMessageContaining("count");
    assertThatIllegalArgumentException().isThrownBy(() -> Json.member(object, "none", Long.class));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.member(object, "name", Long.class))
        .withMessage("\"name\" is x, not a Long");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Json.readObject("[1]"))
        .withMessageContaining("not an object");
  }

  @Test
  void manyNeighboursAreNotDeep() {
    String many = "[" + "[],{},".repeat(2_000) + "[]]";
    assertThat((List<?>) Json.read(many)).hasSize(4_001);
  }

  @Test
  void spaceIsTakenBetweenAllParts() {
    assertThat(Json.read(" [ { \"a\" : [ ] , \"b\" : 1 } , { } ] "))
        .isEqualTo(List.of(Map.of("a", List.of(), "b", 1L), Map.of()));
  }

  @Test
  void whatIsNoListButHasElementsIsAnArray() {
    Iterable<Integer> counted = () -> List.of(1, 2).iterator();
    assertThat(Json.write(counted)).isEqualTo("[1,2]");
    assertThat(Json.write(new float[] {1.5f, Float.NaN})).isEqualTo("[1.5,null]");
    assertThat(Json.write(List.of((short) 3, (byte) -4))).isEqualTo("[3,-4]");
  }
}
