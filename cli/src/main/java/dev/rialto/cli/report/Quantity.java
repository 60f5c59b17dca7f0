package dev.rialto.cli.report;

import dev.rialto.text.Machine;
import java.util.Locale;

/** Numbers as people read them: three digits and a unit that fits. */
final class Quantity {
  private static final String[] LARGE = {"", "k", "M", "G", "T", "P"};

  private static final String RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  private Quantity() {}

  static String seconds(double seconds) {
    double size = Math.abs(seconds);
    if (size == 0) {
      return "0 s";
    }
    return size >= 1
        ? digits(seconds) + " s"
        : size >= 1e-3
            ? digits(seconds * 1e3) + " ms"
            : size >= 1e-6 ? digits(seconds * 1e6) + " µs" : digits(seconds * 1e9) + " ns";
  }

  static String bytes(double bytes) {
    return Machine.bytes(Math.max(0, Math.round(bytes)));
  }

  /** Returns a number with a prefix before its unit, such as {@code 12.3 GB/s}. */
  static String of(double value, String unit) {
    int power = 0;
    double scaled = value;
    while (Math.abs(scaled) >= 1000 && power < LARGE.length - 1) {
      scaled /= 1000;
      power++;
    }
    return digits(scaled) + " " + LARGE[power] + unit;
  }

  static String percent(double part) {
    return String.format(Locale.ROOT, part >= 0.0995 ? "%.0f %%" : "%.1f %%", part * 100);
  }

  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count).replace(',', '\u202f');
  }

  static String power(double value) {
    String exponent = Long.toString(Math.round(Math.log10(value)));
    StringBuilder text = new StringBuilder("10");
    exponent.chars().forEach(c -> text.append(c == '-' ? '⁻' : RAISED.charAt(c - '0')));
    return text.toString();
  }

  static String digits(double value) {
    double size = Math.abs(value);
    String text =
        size == 0 || (size >= 1e-3 && size < 1e5)
            ? String.format(
                Locale.ROOT, size >= 99.95 ? "%.0f" : size >= 9.995 ? "%.1f" : "%.3g", value)
            : String.format(Locale.ROOT, "%.2e", value);
    return text.contains("e") || !text.contains(".")
        ? text
        : text.replaceFirst("(\\.\\d*?)0+$", "$1").replaceFirst("\\.$", "");
  }
}
