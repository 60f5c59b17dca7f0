package dev.rialto.cli.output;

import java.util.regex.Pattern;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi.Text;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Help texts in which words such as {@code cpu:0} stay whole.
 *
 * <p>Lines are broken by the JDK's rules, which allow that after a colon. Until lines are broken, a
 * letter stands for each colon inside of a word.
 */
public final class WholeWords extends Help {
  private static final Pattern INNER_COLON = Pattern.compile("(?<=\\w):(?=\\w)");
  private static final String LETTER = "\u00fe";

  public WholeWords(CommandSpec command, ColorScheme colors) {
    super(command, colors);
  }

  private static String hidden(String text) {
    return INNER_COLON.matcher(text).replaceAll(LETTER);
  }

  private static String shown(String text) {
    return text.replace(LETTER, ":");
  }

  private static Text[][] hidden(Text[][] rows, ColorScheme colors) {
    for (Text[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        row[i] = colors.text(hidden(row[i].plainString()));
      }
    }
    return rows;
  }

  @Override
  public IOptionRenderer createDefaultOptionRenderer() {
    IOptionRenderer usual = super.createDefaultOptionRenderer();
    return (option, label, colors) -> hidden(usual.render(option, label, colors), colors);
  }

  @Override
  public IParameterRenderer createDefaultParameterRenderer() {
    IParameterRenderer usual = super.createDefaultParameterRenderer();
    return (parameter, label, colors) -> hidden(usual.render(parameter, label, colors), colors);
  }

  @Override
  public String description(Object... parameters) {
    UsageMessageSpec message = commandSpec().usageMessage();
    String[] lines = message.description();
    String[] words = new String[lines.length];
    for (int i = 0; i < lines.length; i++) {
      words[i] = hidden(lines[i]);
    }
    message.description(words);
    try {
      return shown(super.description(parameters));
    } finally {
      message.description(lines);
    }
  }

  @Override
  public String optionList() {
    return shown(super.optionList());
  }

  @Override
  public String parameterList() {
    return shown(super.parameterList());
  }
}
