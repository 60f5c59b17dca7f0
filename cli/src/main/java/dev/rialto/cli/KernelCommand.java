package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.DeviceOption;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.jit.lower.LoopCost;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.jit.run.ScheduleSearch;
import dev.rialto.jit.run.Settings;
import dev.rialto.runtime.limits.MachineLimits;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.system.files.WholeFile;
import dev.rialto.text.Json;
import dev.rialto.text.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto kernel}: what becomes of an array program, what it gives, how fast it is. */
@Command(
    name = "kernel",
    description = {
      "Compile an array program from a text file, and show, run or time it.",
      "Inputs are random numbers between 0 and 1; docs/compiler.md describes the text."
    })
final class KernelCommand implements Callable<Integer> {
  private static final int SHOWN = 8;

  enum Action {
    EXPLAIN,
    RUN,
    BENCH
  }

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "ACTION", description = "explain, run or bench.")
  private Action action;

  @Parameters(index = "1", paramLabel = "FILE", description = "The program.")
  private Path file;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "The target, with sync_ before it for one thread (default: the device's).")
  private @Nullable String backend;

  @Mixin private DeviceOption device;

  @Option(names = "--fast", description = "Let floating-point operations be reordered.")
  private boolean fast;

  @Option(
      names = "--schedule",
      paramLabel = "FILE",
      description = "Use the schedules of a file instead of the automatic ones.")
  private @Nullable Path schedule;

  @Option(names = "--search", description = "bench: first find the fastest schedules by timing.")
  private boolean search;

  @Option(
      names = "--effort",
      paramLabel = "EFFORT",
      defaultValue = "measure",
      description = "How long to search: ${COMPLETION-CANDIDATES} (default: measure).")
  private ScheduleSearch.Effort effort;

  @Option(
      names = "--schedule-out",
      paramLabel = "FILE",
      description = "bench: write the schedules that were found or given to a file.")
  private @Nullable Path scheduleOut;

  @Option(
      names = "--static",
      paramLabel = "NAME=VALUE",
      description = "The value of a static index (default: 0).")
  private Map<String, Long> statics = new LinkedHashMap<>();

  @Option(names = "--seed", defaultValue = "1", description = "The inputs' seed (default: 1).")
  private long seed;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    if (action != Action.BENCH && (search || scheduleOut != null)) {
      throw CommandFailure.usage(
          "--search and --schedule-out are for kernel bench, not " + name(action),
          "Search with 'kernel bench', then use --schedule.");
    }
    FileChecks.readable("FILE", file);
    FileChecks.readable("--schedule", schedule);
    FileChecks.writable("--schedule-out", scheduleOut);
    FileChecks.apart("--schedule-out", scheduleOut, "FILE", file);
    Program program = read();
    Map<String, Schedule> schedules = schedules(program);
    Map<String, Object> result = new LinkedHashMap<>();
    try {
      if (search) {
        Main.of(spec.commandLine()).reached("while searching for schedules");
        result.put("search", search(program, schedules));
      }
      Main.of(spec.commandLine()).reached("while compiling " + file);
      result.putAll(act(program, schedules));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(
          String.valueOf(e.getMessage()),
          "See docs/compiler.md, and kernel --help for the options.");
    }
    if (scheduleOut != null) {
      write(scheduleOut, "# " + program.name() + " on " + target() + "\n", schedules);
    }
    record(result);
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writeIndented(result));
    } else {
      print(out, result);
    }
    return ExitCode.DONE;
  }

  private Map<String, Object> act(Program program, Map<String, Schedule> schedules) {
    try (JitBackend machine = JitBackend.open(target(), settings(schedules));
        Compiled compiled = machine.compile(program)) {
      return switch (action) {
        case EXPLAIN -> explain(machine, compiled);
        case RUN -> run(machine, compiled);
        case BENCH -> bench(machine, compiled);
      };
    }
  }

  /** Adds what a search finds to the schedules, and returns what to show of it. */
  private Object search(Program program, Map<String, Schedule> schedules) {
    try (JitBackend machine = JitBackend.open(target(), settings(schedules))) {
      ScheduleSearch.Found found = ScheduleSearch.search(machine, program, effort, ordinal());
      schedules.putAll(found.schedules());
      return json ? document(found) : table(found);
    }
  }

  /** Returns the target that was asked for, or the one of the device. */
  private String target() {
    if (device.isHost()) {
      return backend == null ? "jvm" : backend;
    }
    if (backend != null && !backend.equals(device.backend())) {
      throw CommandFailure.usage(
          "--backend " + backend + " does not compile for --device " + device.name() + ".",
          "Leave one of them out.");
    }
    return device.backend();
  }

  /** Returns which of the target's devices is meant; the host's cores are one another's like. */
  private int ordinal() {
    return device.isHost() ? 0 : device.number();
  }

  private Program read() {
    try {
      return Program.parse(Program.nameOf(file), Files.readString(file));
    } catch (IOException e) {
      throw CommandFailure.usage(
          "The program " + file + " cannot be read: " + e.getMessage(), "Name a text file.");
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(
          String.valueOf(e.getMessage()), "See docs/compiler.md for the notation.");
    }
  }

  private Settings settings(Map<String, Schedule> schedules) {
    return Settings.fromProperties().withFast(fast).withSchedules(schedules);
  }

  private Map<String, Schedule> schedules(Program program) {
    Map<String, Schedule> schedules = new LinkedHashMap<>();
    if (schedule != null) {
      try {
        schedules.putAll(Schedule.parseAll(Files.readString(schedule)));
      } catch (IOException | IllegalArgumentException e) {
        throw CommandFailure.usage(
            "The schedules " + schedule + " cannot be read: " + e.getMessage(),
            "'kernel bench FILE --search --schedule-out " + schedule + "' writes such a file.");
      }
    }
    List<String> assigned = program.assigned().stream().map(Node::name).toList();
    for (String node : schedules.keySet()) {
      if (!assigned.contains(node)) {
        throw CommandFailure.usage(
            "%s has a schedule for %s, but %s assigns %s"
                .formatted(schedule, node, file, String.join(", ", assigned)),
            "Give the schedules of this program.");
      }
    }
    return schedules;
  }

  private static void write(Path out, String header, Map<String, Schedule> schedules) {
    try {
      WholeFile.write(out, header + Schedule.print(schedules));
    } catch (IOException e) {
      throw CommandFailure.failed(e.getMessage() + ".", "Name another file with --schedule-out.");
    }
  }

  private static Map<String, Object> document(ScheduleSearch.Found found) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("automaticMilliseconds", found.automaticMillis());
    document.put("milliseconds", found.millis());
    Map<String, String> kept = new TreeMap<>();
    found.schedules().forEach((node, steps) -> kept.put(node, steps.toString()));
    document.put("schedules", kept);
    document.put(
        "candidates",
        found.timed().stream()
            .map(
                timed ->
                    Map.of(
                        "node", timed.node(),
                        "schedule", timed.schedule().toString(),
                        "milliseconds", timed.millis()))
            .toList());
    return document;
  }

  private static String table(ScheduleSearch.Found found) {
    Table table = Table.of("node", "ms", "schedule").alignRight(1);
    for (ScheduleSearch.Timed timed : found.timed()) {
      boolean kept = timed.schedule().equals(found.schedules().get(timed.node()));
      table.row(
          timed.node(),
          String.format(Locale.ROOT, "%.3f", timed.millis()),
          timed.schedule() + (kept ? "  <- kept" : ""));
    }
    return table
        + String.format(
            Locale.ROOT,
            "%.3f ms with the automatic schedules, %.3f ms with those kept%n",
            found.automaticMillis(),
            found.millis());
  }

  private static String name(Action action) {
    return action.name().toLowerCase(Locale.ROOT);
  }

  /** Says how fast the program was, for the trace of a run that timed it. */
  private void record(Map<String, Object> result) {
    if (RunRecord.isOn()
        && result.get("milliseconds") instanceof Double millis
        && result.get("operations") instanceof Number operations
        && result.get("bytes") instanceof Number bytes) {
      RunRecord.measured(
          Program.nameOf(file) + " by " + target(),
          operations.doubleValue(),
          bytes.doubleValue(),
          millis * 1e-3);
      RunRecord.limits(MachineLimits.current());
    }
  }

  private static void print(PrintWriter out, Map<String, Object> result) {
    Table table = Table.withoutHeader(2);
    result.forEach(
        (key, value) -> {
          if (value instanceof String text && text.contains("\n")) {
            out.println("--- " + key + " ---");
            out.println(text);
          } else {
            table.row(key, value);
          }
        });
    out.print(table);
  }

  private static Map<String, Object> explain(JitBackend machine, Compiled compiled) {
    Map<String, Object> stages = new LinkedHashMap<>();
    for (Lowered.Stage stage : compiled.lowered().stages()) {
      stages.put(stage.name(), stage.text());
    }
    if (!compiled.source().isEmpty()) {
      stages.put("source", compiled.source());
    }
    stages.putAll(roofline(machine, compiled).position());
    return stages;
  }

  private static Roofline roofline(JitBackend machine, Compiled compiled) {
    return new Roofline(
        LoopCost.of(compiled.lowered().procedures()), MachineLimits.of(machine.physicalDevices()));
  }

  private interface Use {
    Map<String, Object> of(Routine routine);
  }

  private Map<String, Object> link(JitBackend machine, Compiled compiled, Use use) {
    try (Context root = machine.newDevice(ordinal()).context();
        Routine routine = machine.link(root, compiled);
        Context _ = routine.context()) {
      routine.randomInputs(seed);
      for (StaticIndex index : compiled.program().statics()) {
        routine.bind(index, statics.getOrDefault(index.name(), 0L));
      }
      return use.of(routine);
    }
  }

  private Map<String, Object> run(JitBackend machine, Compiled compiled) {
    return link(
        machine,
        compiled,
        routine -> {
          routine.run();
          Map<String, Object> results = new LinkedHashMap<>();
          for (Node node : routine.outputs()) {
            double[] values = routine.context().read(node);
            List<Double> shown = Arrays.stream(values).limit(SHOWN).boxed().toList();
            results.put(node.name(), shown);
            results.put(node.name() + ".sum", Arrays.stream(values).sum());
          }
          return results;
        });
  }

  private Map<String, Object> bench(JitBackend machine, Compiled compiled) {
    return link(
        machine,
        compiled,
        routine -> {
          double[] millis = new double[21];
          long enough = System.nanoTime() + 500_000_000;
          try (ProgressLine progress =
              ProgressLine.of(spec, "kernel bench", "repetitions", millis.length, true)) {
            while (System.nanoTime() < enough) {
              progress.update(0, millis.length, "warming up");
              time(routine);
            }
            for (int i = 0; i < millis.length; i++) {
              progress.update(i, millis.length, "");
              millis[i] = time(routine);
            }
          }
          Arrays.sort(millis);
          return roofline(machine, compiled).attained(millis[millis.length / 2]);
        });
  }

  private static double time(Routine routine) {
    long start = System.nanoTime();
    routine.run();
    routine.context().device().await();
    return (System.nanoTime() - start) / 1e6;
  }
}
