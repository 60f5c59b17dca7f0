package dev.rialto.cli;

import dev.rialto.text.Json;
import dev.rialto.text.Machine;
import dev.rialto.text.Table;
import dev.rialto.text.Version;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rialto info}: what this machine offers to Rialto. */
@Command(name = "info", description = "Show what this machine offers to Rialto.")
final class InfoCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    Machine machine = Machine.current();
    OptionalInt vectorBits = VectorWidth.bits();
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writeIndented(document(machine, vectorBits)));
    } else {
      out.print(table(machine, vectorBits));
    }
    return ExitCode.DONE;
  }

  private static Map<String, Object> document(Machine machine, OptionalInt vectorBits) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("rialto", Version.current());
    document.put("machine", machine);
    vectorBits.ifPresent(bits -> document.put("vectorBits", bits));
    return document;
  }

  private static Table table(Machine machine, OptionalInt vectorBits) {
    String vectors =
        vectorBits.isPresent()
            ? vectorBits.getAsInt() + " bits"
            : "off: start Java with --add-modules jdk.incubator.vector";
    return Table.withoutHeader(2)
        .row("Rialto", Version.current())
        .row("Java", machine.jdk())
        .row("System", machine.os())
        .row("Processor", machine.cpu())
        .row("Cores", machine.cores())
        .row("Memory", memory(machine))
        .row("Vectors", vectors);
  }

  private static String memory(Machine machine) {
    String heap = "Java heap up to " + Machine.bytes(Runtime.getRuntime().maxMemory());
    return machine.memoryBytes() == 0 ? heap : Machine.bytes(machine.memoryBytes()) + ", " + heap;
  }
}
