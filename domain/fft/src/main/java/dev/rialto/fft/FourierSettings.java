package dev.rialto.fft;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * What tuning chooses for a plan, and what a file keeps of it.
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

  FourierSettings measured(double time) {
    return new FourierSettings(grid, slabs, fusion, scheme, engine, time);
  }

  FourierSettings moving(boolean fused, String by) {
    return new FourierSettings(grid, slabs, fused, by, engine, 0);
  }

  /** Writes a file that {@link #load} reads. */
  public void save(Path file) {
    Properties lines = new Properties();
    lines.setProperty("grid", gridText());
    lines.setProperty("slabs", Boolean.toString(slabs));
    lines.setProperty("fusion", Boolean.toString(fusion));
    lines.setProperty("scheme", scheme);
    lines.setProperty("engine", engine);
    lines.setProperty("seconds", Double.toString(seconds));
    try (Writer writer = Files.newBufferedWriter(file)) {
      lines.store(writer, "Settings of a Fourier plan of Rialto");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads what {@link #save} wrote.
   *
   * @throws IllegalArgumentException if the file lacks a line, with its name
   */
  public static FourierSettings load(Path file) {
    Properties lines = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      lines.load(reader);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String grid = line(lines, "grid", file);
    return new FourierSettings(
        grid.equals("-")
            ? List.of()
            : Arrays.stream(grid.split("x", -1)).map(Integer::valueOf).toList(),
        Boolean.parseBoolean(line(lines, "slabs", file)),
        Boolean.parseBoolean(line(lines, "fusion", file)),
        line(lines, "scheme", file),
        line(lines, "engine", file),
        Double.parseDouble(line(lines, "seconds", file)));
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
