package dev.rialto.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of Rialto that is running, as the build wrote it down. */
public final class Version {

  private static final String CURRENT = read();

  private Version() {}

  /**
   * Returns the version, such as {@code 0.1.0}.
   *
   * @return the version
   */
  public static String current() {
    return CURRENT;
  }

  private static String read() {
    Properties properties = new Properties();
    try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
      if (in == null) {
        return "unknown";
      }
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version", "unknown");
  }
}
