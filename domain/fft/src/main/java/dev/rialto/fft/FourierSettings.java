package dev.rialto.fft;

import dev.rialto.exchange.Scheme;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The settings that tuning chooses for a plan and that a file keeps.
 *
 * {@snippet :
 * plan.settings().save(file);
 * FourierPlan.complex(DType.F64, 6, 5, 4).on(comm).settings(FourierSettings.load(file)).build();
 * }
 *
 * @param grid how many ranks each axis of the input is divided among; empty for the usual grid
 * @param slabs whether one move may make several axes local, instead of one move for each
 * @param fusion whether ranks pull what they transform from one another's memory, where they can
 * @param scheme how other moves are carried out; empty for the usual way
 * @param engine what transforms lines
 * @param seconds how long forward and inverse together were measured to take; 0 if they were not
 */
public record FourierSettings(
    List<Integer> grid,
    boolean slabs,
    boolean fusion,
    String scheme,
    String engine,
    double seconds) {
  /** More than any file of settings has. */
  private static final long MOST_BYTES = 1 << 16;

  private static final Pattern GRID = Pattern.compile("[1-9]\\d{0,8}(x[1-9]\\d{0,8})*");

  /** Copies the grid. */
  public FourierSettings {
    grid = List.copyOf(grid);
  }

  /** Returns the grid as text, such as {@code 2x2x1}; {@code -} for the usual one. */
  public String gridText() {
    return grid.isEmpty()
        ? "-"
        : grid.stream().map(Object::toString).collect(Collectors.joining("x"));
  }

  /** Returns how the array is moved, as text: {@code fused} or a scheme. */
  public String schemeText() {
    return fusion ? "fused" : scheme.isEmpty() ? "standard" : scheme;
  }

  /** Returns what distinguishes it among those that are tried. */
  @Override
  public String toString() {
    return "%s on grid %s by %s, %s"
        .formatted(schemeText(), gridText(), engine, slabs ? "few moves" : "one move per axis");
  }

  FourierSettings measured(double time) {
    return new FourierSettings(grid, slabs, fusion, scheme, engine, time);
  }

  FourierSettings moving(boolean fused, String by) {
    return new FourierSettings(grid, slabs, fused, by, engine, 0);
  }

  /**
   * Writes a file that {@link #load} reads.
   *
   * @throws UncheckedIOException if it cannot be written, with the reason
   */
  public void save(Path file) {
    Properties lines = new Properties();
    lines.setProperty("grid", gridText());
    lines.setProperty("slabs", Boolean.toString(slabs));
    lines.setProperty("fusion", Boolean.toString(fusion));
    lines.setProperty("scheme", scheme);
    lines.setProperty("engine", engine);
    lines.setProperty("seconds", Double.toString(seconds));
    StringWriter text = new StringWriter();
    try {
      lines.store(text, "Settings of a Fourier plan of Rialto");
      WholeFile.write(file, text.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
  }

  /**
   * Reads what {@link #save} wrote.
   *
   * @throws IllegalArgumentException if the file lacks a line or has a wrong one, with its name
   * @throws UncheckedIOException if it cannot be read
   */
  public static FourierSettings load(Path file) {
    Properties lines = new Properties();
    try {
      lines.load(new StringReader(text(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read", e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + " is not a file of settings: " + e.getMessage(), e);
    }
    return new FourierSettings(
        parsed(lines, "grid", file, FourierSettings::parseGrid),
        parsed(lines, "slabs", file, FourierSettings::parseBoolean),
        parsed(lines, "fusion", file, FourierSettings::parseBoolean),
        parsed(lines, "scheme", file, FourierSettings::checkScheme),
        line(lines, "engine", file),
        parsed(lines, "seconds", file, FourierSettings::parseSeconds));
  }

  private static String text(Path file) throws IOException {
    if (Files.size(file) > MOST_BYTES) {
      throw new IllegalArgumentException("it has " + Files.size(file) + " bytes");
    }
    try {
      return Files.readString(file);
    } catch (MalformedInputException e) {
      throw new IllegalArgumentException("it is no text", e);
    }
  }

  private static <T> T parsed(Properties lines, String key, Path file, Function<String, T> parser) {
    String value = line(lines, key, file);
    try {
      return parser.apply(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s has a line '%s=%s': %s".formatted(file, key, value, e.getMessage()), e);
    }
  }

  private static List<Integer> parseGrid(String text) {
    if (text.equals("-")) {
      return List.of();
    }
    if (!GRID.matcher(text).matches()) {
      throw new IllegalArgumentException("a grid is written 2x2x1, or - for the usual one");
    }
    return Arrays.stream(text.split("x", -1)).map(Integer::valueOf).toList();
  }

  private static boolean parseBoolean(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("it is true or false");
    };
  }

  private static String checkScheme(String text) {
    if (!text.isEmpty()) {
      var _ = Scheme.parse(text);
    }
    return text;
  }

  private static double parseSeconds(String text) {
    try {
      double seconds = Double.parseDouble(text);
      if (seconds >= 0 && seconds < Double.POSITIVE_INFINITY) {
        return seconds;
      }
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("it is a number of seconds", e);
    }
    throw new IllegalArgumentException("it is a number of seconds");
  }

  private static String line(Properties lines, String key, Path file) {
    String value = lines.getProperty(key);
    if (value == null) {
      throw new IllegalArgumentException(
          file + " has no line '" + key + "'; it is not a file of settings");
    }
    return value;
  }
}
