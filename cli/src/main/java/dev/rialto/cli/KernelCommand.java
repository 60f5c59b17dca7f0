package dev.rialto.cli;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.Symbol.StaticIndex;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.run.Compiled;
import dev.rialto.jit.run.Context;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.jit.run.Routine;
import dev.rialto.jit.run.Settings;
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
import java.util.SplittableRandom;
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
    Program program = read();
    Map<String, Object> result;
    try (JitBackend machine = JitBackend.open(target(), Settings.fromProperties().withFast(fast));
        Compiled compiled = machine.compile(program)) {
      result =
          switch (action) {
            case EXPLAIN -> explain(compiled);
            case RUN -> run(machine, compiled);
            case BENCH -> bench(machine, compiled);
          };
    }
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writeIndented(result));
    } else {
      print(out, result);
    }
    return ExitCode.DONE;
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

  private static Map<String, Object> explain(Compiled compiled) {
    Map<String, Object> stages = new LinkedHashMap<>();
    for (Lowered.Stage stage : compiled.lowered().stages()) {
      stages.put(stage.name(), stage.text());
    }
    if (!compiled.source().isEmpty()) {
      stages.put("source", compiled.source());
    }
    stages.putAll(roofline(compiled));
    return stages;
  }

  /** How much is computed for each byte that must move at least. */
  private static Map<String, Object> roofline(Compiled compiled) {
    Map<String, Object> roofline = new LinkedHashMap<>();
    long operations = compiled.program().operations();
    roofline.put("operations", operations);
    roofline.put("bytes", bytes(compiled));
    roofline.put("operationsPerByte", rounded((double) operations / Math.max(1, bytes(compiled))));
    return roofline;
  }

  private static long bytes(Compiled compiled) {
    return compiled.lowered().context().stream().mapToLong(Node::bytes).sum();
  }

  private static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.4g", value));
  }

  private interface Use {
    Map<String, Object> of(Routine routine);
  }

  private Map<String, Object> link(JitBackend machine, Compiled compiled, Use use) {
    try (Context root = machine.newDevice(0).context();
        Routine routine = machine.link(root, compiled);
        Context context = routine.context()) {
      SplittableRandom random = new SplittableRandom(seed);
      for (Node node : compiled.program().inputs()) {
        int parts = node.type().kind() == dev.rialto.spi.data.DType.Kind.COMPLEX ? 2 : 1;
        double[] values = new double[Math.toIntExact(node.shape().count() * parts)];
        Arrays.setAll(values, _ -> random.nextDouble());
        context.write(node, values);
      }
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
          while (System.nanoTime() < enough) {
            time(routine);
          }
          Arrays.setAll(millis, _ -> time(routine));
          Arrays.sort(millis);
          double median = millis[millis.length / 2];
          Map<String, Object> result = roofline(compiled);
          result.put("milliseconds", rounded(median));
          result.put(
              "gigaOperationsPerSecond", rounded(compiled.program().operations() / median / 1e6));
          result.put("gigabytesPerSecond", rounded(bytes(compiled) / median / 1e6));
          return result;
        });
  }

  private static double time(Routine routine) {
    long start = System.nanoTime();
    routine.run();
    routine.context().device().await();
    return (System.nanoTime() - start) / 1e6;
  }
}
