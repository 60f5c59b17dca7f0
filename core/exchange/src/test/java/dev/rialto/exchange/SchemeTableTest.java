package dev.rialto.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Writes the table of schemes and plans in the documentation: a cell says "yes" after an exchange
 * of its kind, by its scheme, gave what plain loops say; or why the scheme is refused.
 *
 * <p>The test fails if the page is out of date; with {@code -Drialto.docs=write} it writes it.
 */
class SchemeTableTest {
  private static final Path PAGE = Path.of("../../docs/exchange-schemes.md");
  private static final int RANKS = 4;

  @Test
  void thePageOfSchemesIsWhatTheExchangesDo() throws IOException {
    String page = page();
    if ("write".equals(System.getProperty("rialto.docs"))) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(page);
  }

  private static String page() {
    Map<String, PlanCase> families = new LinkedHashMap<>();
    PlanCases.all(RANKS).forEach(each -> families.putIfAbsent(each.family(), each));
    List<String> rows = new ArrayList<>();
    Set<String> reasons = new LinkedHashSet<>();
    rows.add("| scheme | " + String.join(" | ", families.keySet()) + " |");
    rows.add("|---" + "|---".repeat(families.size()) + "|");
    List<Scheme> schemes =
        Matrix.schemes().stream().filter(scheme -> isOurs(scheme.transport())).toList();
    List<String> cells = cells(schemes, List.copyOf(families.values()));
    for (int i = 0; i < schemes.size(); i++) {
      Scheme scheme = schemes.get(i);
      StringBuilder row =
          new StringBuilder("| `" + scheme.transport() + "/" + scheme.staging().label() + "` |");
      for (int j = 0; j < families.size(); j++) {
        String refusal = cells.get(i * families.size() + j);
        row.append(' ').append(cell(refusal, scheme, reasons)).append(" |");
      }
      rows.add(row.toString());
    }
    StringBuilder page =
        new StringBuilder(
            """
            # Which scheme does which exchange

            This page is written by the tests of `core/exchange`. A cell says *yes* after an exchange of
            that kind on four local ranks gave, by that scheme, what plain loops say; otherwise it says
            why the scheme is refused.

            """);
    rows.forEach(row -> page.append(row).append('\n'));
    page.append('\n');
    int number = 1;
    for (String reason : reasons) {
      page.append(number++).append(". ").append(reason).append(".\n");
    }
    return page.toString();
  }

  private static boolean isOurs(String transport) {
    return Transports.get(transport)
        .getClass()
        .getPackageName()
        .equals(Transport.class.getPackageName());
  }

  private static String cell(String refusal, Scheme scheme, Set<String> reasons) {
    if (refusal.isEmpty()) {
      return "yes";
    }
    String general = refusal.replace(scheme.transport(), "this transport");
    reasons.add(general);
    return "no (" + (List.copyOf(reasons).indexOf(general) + 1) + ")";
  }

  /** Runs every kind of plan by every scheme; returns why it was refused, or nothing. */
  private static List<String> cells(List<Scheme> schemes, List<PlanCase> kinds) {
    try (World world = World.local(RANKS)) {
      List<List<String>> answers =
          world.call(
              comm -> {
                List<String> cells = new ArrayList<>();
                for (Scheme scheme : schemes) {
                  for (PlanCase each : kinds) {
                    cells.add(run(comm, each, scheme));
                  }
                }
                return cells;
              });
      assertThat(answers).as("one answer on all ranks").containsOnly(answers.getFirst());
      return answers.getFirst();
    }
  }

  private static String run(Communicator comm, PlanCase each, Scheme scheme) {
    try (Exchanger exchanger = Exchanger.on(comm)) {
      ExchangePlan plan = each.maker().plan(exchanger.communicator());
      Optional<String> refusal = scheme.refusal(plan, DType.F64, comm);
      if (refusal.isEmpty()) {
        Matrix.run(exchanger, plan, each, scheme, DType.F64);
      }
      return refusal.orElse("");
    }
  }
}
