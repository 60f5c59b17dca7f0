package dev.rialto.cli;

import dev.rialto.cli.doctor.Checkup;
import dev.rialto.cli.doctor.Finding;
import dev.rialto.cli.doctor.Observed;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.output.CommandName;
import dev.rialto.text.Json;
import dev.rialto.text.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code rialto doctor}: what on this machine is missing, wrong or slow, and what to do. */
@Command(
    name = "doctor",
    description = "Look for what is missing, wrong or slow on this machine, and say what to do.")
final class DoctorCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Override
  public Integer call() {
    List<Finding> findings = Checkup.of(Observed.machine());
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(Json.writeIndented(Map.of("findings", findings)));
    } else {
      out.print(table(findings));
    }
    boolean wrong = findings.stream().anyMatch(f -> f.state() == Finding.State.WRONG);
    return wrong ? ExitCode.FAILED : ExitCode.DONE;
  }

  private static Table table(List<Finding> findings) {
    Table table = Table.withoutHeader(3);
    for (Finding finding : findings) {
      String state = finding.state().name().toLowerCase(Locale.ROOT);
      table.row(state, finding.subject(), finding.observation());
      if (!finding.remedy().isEmpty()) {
        table.row("", "", CommandName.in(finding.remedy()));
      }
    }
    return table;
  }
}
