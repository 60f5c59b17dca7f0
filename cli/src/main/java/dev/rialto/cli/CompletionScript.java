package dev.rialto.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Writes completion scripts from the very commands that will run.
 *
 * <p>Picocli writes one for bash too, but keeps the values of options by their label, so that of
 * several options with the label {@code NAME} all get the values of the last.
 */
final class CompletionScript {
  private final Map<String, CommandSpec> commands = new TreeMap<>();

  CompletionScript(CommandLine root) {
    root.getSubcommands().forEach((name, command) -> commands.put(name, command.getCommandSpec()));
  }

  /**
   * For bash, and for zsh with bash's completion. What is neither an option nor a value is a file.
   */
  String bash() {
    StringBuilder values = new StringBuilder();
    StringBuilder options = new StringBuilder();
    StringBuilder positions = new StringBuilder();
    commands.forEach(
        (name, command) -> {
          for (OptionSpec option : command.options()) {
            if (!values(option).isEmpty()) {
              String pattern =
                  Arrays.stream(option.names())
                      .map(each -> "'" + name + " " + each + "'")
                      .collect(Collectors.joining(" | "));
              values.append(choice(pattern, values(option)));
            }
          }
          options.append(choice(name, names(command)));
          List<String> first =
              command.positionalParameters().stream().flatMap(p -> values(p).stream()).toList();
          if (!first.isEmpty()) {
            positions.append(choice(name, first));
          }
        });
    return """
        # Completes rialto in bash and zsh: source <(rialto completion bash)
        [ -z "${ZSH_VERSION:-}" ] || { autoload -U +X bashcompinit && bashcompinit; }
        _rialto() {
          local words='' cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
          # --option=value comes as three words.
          [ "$cur" != = ] || { prev== cur=''; }
          [ "$prev" != = ] || prev=${COMP_WORDS[COMP_CWORD-2]}
          COMPREPLY=()
          if [ "$COMP_CWORD" -eq 1 ]; then
            words='%s'
          else
            case "${COMP_WORDS[1]} $prev" in
        %s    *)
              case $cur in
                -*)
                  case ${COMP_WORDS[1]} in
        %s          esac
                  ;;
                *)
                  case ${COMP_WORDS[1]} in
        %s          esac
                  ;;
              esac
              ;;
            esac
          fi
          COMPREPLY=($(compgen -W "$words" -- "$cur"))
        }
        complete -o default -F _rialto rialto
        """
        .formatted(String.join(" ", commands.keySet()), values, options, positions);
  }

  private static String choice(String pattern, List<String> words) {
    return "    %s) words='%s' ;;%n".formatted(pattern, String.join(" ", words));
  }

  /** For fish, with what each option does. */
  String fish() {
    StringBuilder script = new StringBuilder("# Completes rialto in fish.\n");
    commands.forEach(
        (name, command) -> {
          script.append(
              "complete -c rialto -f -n __fish_use_subcommand -a %s -d %s%n"
                  .formatted(name, quoted(command.usageMessage().description())));
          String here = "complete -c rialto -n '__fish_seen_subcommand_from " + name + "'";
          for (OptionSpec option : command.options()) {
            script.append(here);
            for (String each : option.names()) {
              script.append(each.startsWith("--") ? " -l " : " -s ");
              script.append(each.substring(each.lastIndexOf("--") < 0 ? 1 : 2));
            }
            List<String> values = values(option);
            if (!values.isEmpty()) {
              script.append(" -x -a '").append(String.join(" ", values)).append('\'');
            } else if (option.arity().max() > 0) {
              script.append(" -r");
            }
            script.append(" -d ").append(quoted(option.description())).append('\n');
          }
        });
    return script.toString();
  }

  private static List<String> names(CommandSpec command) {
    return command.options().stream().flatMap(option -> Stream.of(option.names())).toList();
  }

  /** The words that an argument may be, if they are few. */
  private static List<String> values(ArgSpec argument) {
    Object[] constants = argument.type().getEnumConstants();
    return constants == null
        ? List.of()
        : Arrays.stream(constants).map(c -> c.toString().toLowerCase(Locale.ROOT)).toList();
  }

  private static String quoted(String[] description) {
    String first = description.length == 0 ? "" : description[0];
    return "'" + first.replace("\\", "\\\\").replace("'", "\\'") + "'";
  }
}
