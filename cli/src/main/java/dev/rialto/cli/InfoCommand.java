package dev.rialto.cli;

import dev.rialto.cli.option.DeviceOption;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.output.CommandName;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties.Use;
import dev.rialto.text.Json;
import dev.rialto.text.Machine;
import dev.rialto.text.Table;
import dev.rialto.text.Version;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rialto info}: what this machine offers to Rialto. */
@Command(
    name = "info",
    description = "Show the machine, the backends, and why one of them cannot be used.")
final class InfoCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Mixin private DeviceOption device;

  @Override
  public Integer call() {
    Machine machine = Machine.current();
    PrintWriter out = spec.commandLine().getOut();
    Device shown = device.find();
    if (json) {
      Map<String, Object> document = document(machine);
      document.put(
          "device",
          Map.of("name", shown.name(), "properties", shown.properties(), "types", types(shown)));
      out.println(Json.writeIndented(document));
    } else {
      Table table = machineTable(machine).row(shown.name(), shown.properties().description());
      types(shown).forEach((use, types) -> table.row("  " + use, String.join(" ", types)));
      out.println(table);
      out.print(backendTable());
      Backends.broken().forEach(problem -> out.println("A backend cannot be loaded: " + problem));
    }
    return ExitCode.DONE;
  }

  /**
   * The types of numbers by what kernels of a device do with them; uses that there are none for are
   * left out.
   */
  private static Map<String, List<String>> types(Device device) {
    Map<String, List<String>> types = new LinkedHashMap<>();
    for (Use use : Use.values()) {
      List<DType> found = device.properties().types(use);
      if (!found.isEmpty()) {
        types.put(use.name().toLowerCase(Locale.ROOT), found.stream().map(DType::name).toList());
      }
    }
    return types;
  }

  private static Map<String, Object> document(Machine machine) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("rialto", Version.current());
    document.put("machine", machine);
    document.put("backends", Backends.all().stream().map(InfoCommand::backend).toList());
    document.put("broken", Backends.broken());
    return document;
  }

  private static Map<String, Object> backend(BackendProvider backend) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("name", backend.name());
    entry.put("description", backend.description());
    switch (backend.probe()) {
      case Probe.Available(List<String> devices, List<Probe.Library> libraries) -> {
        entry.put("available", true);
        entry.put("reason", "");
        entry.put("devices", devices);
        entry.put("libraries", libraries);
      }
      case Probe.Unavailable(String reason, String remedy) -> {
        entry.put("available", false);
        entry.put("reason", reason);
        entry.put("remedy", remedy);
      }
    }
    entry.put("capabilities", backend.capabilities().stream().map(Enum::name).sorted().toList());
    return entry;
  }

  private static Table machineTable(Machine machine) {
    return Table.withoutHeader(2)
        .row("Rialto", Version.current())
        .row("Java", machine.jdk())
        .row("System", machine.os())
        .row("Processor", machine.cpu())
        .row("Cores", machine.cores())
        .row("Memory", memory(machine));
  }

  private static Table backendTable() {
    Table table = Table.of("backend", "usable", "what it is", "devices and libraries, or why not");
    for (BackendProvider backend : Backends.all()) {
      Probe probe = backend.probe();
      table.row(
          backend.name(),
          probe instanceof Probe.Available ? "yes" : "no",
          backend.description(),
          found(probe));
    }
    return table;
  }

  private static String found(Probe probe) {
    return switch (probe) {
      case Probe.Available(List<String> devices, List<Probe.Library> libraries) ->
          Stream.concat(
                  devices.stream(),
                  libraries.stream().map(l -> l.name() + " " + l.version() + " (" + l.path() + ")"))
              .collect(Collectors.joining("; "));
      case Probe.Unavailable(String reason, String remedy) ->
          CommandName.in(remedy.isEmpty() ? reason : reason + "; " + remedy);
    };
  }

  private static String memory(Machine machine) {
    String heap = "Java heap up to " + Machine.bytes(Runtime.getRuntime().maxMemory());
    return machine.memoryBytes() == 0 ? heap : Machine.bytes(machine.memoryBytes()) + ", " + heap;
  }
}
