package dev.rialto.system;

import java.util.Locale;

/** An operating system, as far as Rialto has to tell them apart. */
public enum OperatingSystem {
  /** Linux, and systems that lay out their files like it. */
  LINUX("/", ":", "LD_LIBRARY_PATH"),
  /** macOS. */
  MACOS("/", ":", "DYLD_LIBRARY_PATH"),
  /** Windows. */
  WINDOWS("\\", ";", "PATH");

  private static final OperatingSystem CURRENT = named(System.getProperty("os.name", ""));

  private final String separator;
  private final String listSeparator;
  private final String loaderVariable;

  OperatingSystem(String separator, String listSeparator, String loaderVariable) {
    this.separator = separator;
    this.listSeparator = listSeparator;
    this.loaderVariable = loaderVariable;
  }

  /** Returns the system that this JVM runs on. */
  public static OperatingSystem current() {
    return CURRENT;
  }

  /** Returns the system that the JVM calls by a name, the value of {@code os.name}. */
  static OperatingSystem named(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return lower.startsWith("windows") ? WINDOWS : lower.startsWith("mac") ? MACOS : LINUX;
  }

  /** Returns what stands between the names of a path. */
  String separator() {
    return separator;
  }

  /** Returns what stands between the folders of a list. */
  String listSeparator() {
    return listSeparator;
  }

  /** Returns the variable with the folders in which the system's loader looks first. */
  String loaderVariable() {
    return loaderVariable;
  }
}
