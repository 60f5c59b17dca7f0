package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The listings of the page on kernels are whole programs, and print what it says on any device. */
@Tag("gpu")
class GuideTest {
  private static final Pattern LISTING =
      Pattern.compile("```java\n(.*?)```\n\nIt prints `([^`]*)`", Pattern.DOTALL);

  /** A listing, for a device, and what it prints. */
  record Listing(int number, String device, String source, String prints) {
    @Override
    public String toString() {
      return "listing " + number + " on " + device;
    }
  }

  static List<Listing> listings() throws IOException {
    String page = Files.readString(Path.of("../../docs/kernels.md"));
    List<Listing> listings = new ArrayList<>();
    Matcher matcher = LISTING.matcher(page);
    for (int number = 1; matcher.find(); number++) {
      String source = matcher.group(1);
      listings.add(new Listing(number, "cpu:0", source, matcher.group(2)));
      if (source.contains("\"cpu:0\"")) {
        for (String device : KernelTargets.devices()) {
          String other = source.replace("cpu:0", device);
          listings.add(new Listing(number, device, other, matcher.group(2)));
        }
      }
    }
    return listings;
  }

  @ParameterizedTest
  @MethodSource("listings")
  void aListingPrintsWhatThePageSays(Listing listing) throws ReflectiveOperationException {
    String name = "Listing" + listing.number();
    Class<?> type = CompiledSource.load(name, listing.source());
    Constructor<?> constructor = type.getDeclaredConstructor();
    constructor.setAccessible(true);
    Method main = type.getDeclaredMethod("main");
    main.setAccessible(true);
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream out = System.out;
    System.setOut(new PrintStream(said, true, StandardCharsets.UTF_8));
    try {
      main.invoke(constructor.newInstance());
    } finally {
      System.setOut(out);
    }
    String text = said.toString(StandardCharsets.UTF_8).strip();
    assertThat(text).isEqualTo(listing.prints());
  }
}
