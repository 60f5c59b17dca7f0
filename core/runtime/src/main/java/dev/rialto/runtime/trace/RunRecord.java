package dev.rialto.runtime.trace;

import dev.rialto.runtime.limits.MachineLimits;
import dev.rialto.spi.World.RankScope;
import dev.rialto.text.Json;
import dev.rialto.text.Table;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Says what a run was about, for readers of its trace: what it ran on, what came out, how a solver
 * converged, how near to the machine's limits it came.
 *
 * <p>Each call is one JFR event, as all of a {@link Trace} is. Without a recording, a call costs a
 * look at a flag, so that programs make them without asking; {@link #isOn} is for those that would
 * compute something for it. One rank records what is of all of them.
 *
 * {@snippet :
 * try (Phase _ = RunRecord.phase("solve")) {
 *   result = solver.solve(b, x);
 * }
 * RunRecord.curve("cg", result.history(), tolerance);
 * RunRecord.measured("matrix product", flops, bytes, seconds);
 * RunRecord.result("Residual", "3.2e-7");
 * }
 */
public final class RunRecord {
  private static final EventType TYPE = EventType.getEventType(Entry.class);

  private RunRecord() {}

  /** Returns whether a recording is on. */
  public static boolean isOn() {
    return TYPE.isEnabled();
  }

  /** Begins a part of the run, a slice of the calling thread's time, which ends as it is closed. */
  public static Phase phase(String name) {
    return new Phase(name);
  }

  /** Says what the run ran on or was asked for, such as the processor or the command line. */
  public static void environment(String name, String value) {
    if (isOn()) {
      record("environment", Map.of("name", name, "value", value));
    }
  }

  /** Says what came out, as people should read it. */
  public static void result(String name, String value) {
    if (isOn()) {
      record("result", Map.of("name", name, "value", value));
    }
  }

  /** Says what came out, as a table of names and values has it. */
  public static void results(Table table) {
    if (isOn()) {
      table
          .rows()
          .forEach(row -> result(row.getFirst(), String.join(", ", row.subList(1, row.size()))));
    }
  }

  /**
   * Shows a picture.
   *
   * @param name what it shows, for those who cannot see it too
   * @param png a PNG file
   */
  public static void picture(String name, byte[] png) {
    if (isOn()) {
      record("picture", Map.of("name", name, "png", Base64.getEncoder().encodeToString(png)));
    }
  }

  /**
   * Says how a solver converged.
   *
   * @param residuals the relative residual before the first iteration and after each
   * @param tolerance what it was to reach; 0 if nothing
   */
  public static void curve(String name, double[] residuals, double tolerance) {
    if (isOn()) {
      record("curve", Map.of("name", name, "values", residuals, "tolerance", tolerance));
    }
  }

  /**
   * Says how fast something was: a point of a roofline.
   *
   * @param operations floating-point operations; 0 if it only moves data
   * @param bytes what it must at least read and write
   * @param seconds how long that took
   */
  public static void measured(String name, double operations, double bytes, double seconds) {
    if (isOn()) {
      Map<String, Object> point = new LinkedHashMap<>();
      point.put("name", name);
      point.put("operations", operations);
      point.put("bytes", bytes);
      point.put("seconds", seconds);
      record("measured", point);
    }
  }

  /**
   * Says what the machine can do at most: a roof.
   *
   * @param bytesPerSecond what it moves
   * @param operationsPerSecond what it computes; 0 if unknown
   */
  public static void limits(String name, double bytesPerSecond, double operationsPerSecond) {
    if (isOn()) {
      Map<String, Object> roof = new LinkedHashMap<>();
      roof.put("name", name);
      roof.put("bytesPerSecond", bytesPerSecond);
      roof.put("operationsPerSecond", operationsPerSecond);
      record("limits", roof);
    }
  }

  /** Says what the machine can do at most, for each size of numbers. */
  public static void limits(MachineLimits machine) {
    String threads = machine.threads() + (machine.threads() == 1 ? " thread" : " threads");
    limits("limit of " + threads + ", F64", machine.bandwidth(), machine.flopsF64());
    limits("limit of " + threads + ", F32", machine.bandwidth(), machine.flopsF32());
  }

  private static void record(String section, Map<String, Object> content) {
    Entry entry = new Entry();
    entry.section = section;
    entry.content = Json.write(content);
    entry.rank = currentRank();
    entry.commit();
  }

  /** Returns the rank that the thread works for, or -1 if ranks do not share the process. */
  static int currentRank() {
    return RankScope.current().orElse(-1);
  }

  @Name(Entry.NAME)
  @Label("Record")
  @Category("Rialto")
  @Description("What a run was about")
  @StackTrace(false)
  static final class Entry extends Event {
    static final String NAME = "dev.rialto.Record";

    @Label("Section")
    String section = "";

    @Label("Content")
    @Description("A JSON object")
    String content = "";

    @Label("Rank")
    int rank;
  }
}
