package dev.rialto.bench;

import dev.rialto.text.Json;
import dev.rialto.text.Machine;
import dev.rialto.text.Table;
import dev.rialto.text.Version;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The measurements of a suite.
 *
 * @param suite the suite's name
 * @param date when
 * @param libraries the peers' libraries and compilers, by name
 * @param rows the cases
 * @param notes what a reader should know, such as a peer that is not installed
 * @param interrupted whether measuring was stopped, so that rows are missing or of fewer rounds
 */
public record BenchReport(
    String suite,
    Instant date,
    Map<String, String> libraries,
    List<BenchRow> rows,
    List<String> notes,
    boolean interrupted) {

  /** Copies the notes, and the rows that were measured. */
  public BenchReport {
    rows = rows.stream().filter(row -> !Double.isNaN(row.rialto())).toList();
    notes = List.copyOf(notes);
  }

  /** Returns whether no row that can be judged fell short. */
  public boolean met() {
    return rows.stream().allMatch(row -> !row.judged() || row.met());
  }

  /** Returns a table for people. */
  public String toText() {
    Table table =
        Table.of(
                "case", "unit", "Rialto", "peer", "ratio", "goal", "met", "floor", "B/op",
                "against")
            .alignRight(2, 3, 4, 5, 7, 8);
    for (BenchRow row : rows) {
      table.row(
          row.name(),
          row.unit(),
          number(OptionalDouble.of(row.rialto())),
          number(row.peer()),
          ratio(row.ratio()),
          row.limit().isPresent() ? "< " + number(row.limit()) : ratio(row.goal()),
          row.judged() ? (row.met() ? "yes" : "NO") : "",
          number(row.floor()),
          number(row.allocated()),
          row.peerName());
    }
    StringBuilder text = new StringBuilder(table.toString());
    if (interrupted) {
      text.append("\nInterrupted: this is what was measured.");
    }
    notes.forEach(note -> text.append('\n').append(note));
    return text.append('\n').toString();
  }

  /** Returns the JSON of the command line's contract. */
  public String toJson() {
    Machine machine = Machine.current();
    Map<String, Object> on = new LinkedHashMap<>();
    on.put("cpu", machine.cpu());
    on.put("cores", machine.cores());
    on.put("jdk", machine.jdk());
    on.put("libraries", libraries);
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("suite", suite);
    json.put("rialto", Version.current());
    json.put("machine", on);
    json.put("date", date.truncatedTo(ChronoUnit.SECONDS).toString());
    if (interrupted) {
      json.put("interrupted", true);
    }
    json.put("rows", rows.stream().map(BenchRow::json).toList());
    json.put("notes", notes);
    return Json.writeIndented(json);
  }

  private static String number(OptionalDouble value) {
    return value.isEmpty() ? "" : String.format(Locale.ROOT, "%.3f", value.getAsDouble());
  }

  private static String ratio(OptionalDouble value) {
    return value.isEmpty() ? "" : String.format(Locale.ROOT, "%.2f", value.getAsDouble());
  }
}
