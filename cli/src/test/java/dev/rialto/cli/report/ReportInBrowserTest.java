package dev.rialto.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.text.Json;
import java.io.File;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page in a real browser, Chromium, without a screen.
 *
 * <p>A probe that is added to the page uses it as a reader would and writes what came of it into
 * the page, which the browser prints.
 */
class ReportInBrowserTest {
  /**
   * Draws by timers. The browser's frames come in the machine's time, whereas the probe waits in
   * the browser's, of which a budget passes at once when nothing but a frame is due.
   */
  private static final String FRAMES =
      "<head><script>requestAnimationFrame = draw => setTimeout(draw, 16);</script>";

  private static final String PROBE =
      """
      <script>
      const when = (ready, then, left = 100) => left > 0 && !ready()
          ? setTimeout(() => when(ready, then, left - 1), 100) : then();
      const colors = canvas => {
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        const found = new Set();
        for (let i = 0; i < pixels.length; i += 4) {
          found.add(pixels[i] + ' ' + pixels[i + 1] + ' ' + pixels[i + 2]);
        }
        return found.size;
      };
      const probe = canvas => {
        const text = name => document.querySelector('#timeline-view ' + name).textContent;
        const seen = {all: text('.window'), colors: colors(canvas)};
        seen.background = getComputedStyle(document.body).backgroundColor;
        seen.pageWidth = document.documentElement.scrollWidth;
        seen.windowWidth = window.innerWidth;
        canvas.focus();
        for (const key of ['ArrowDown', '.', ',', '+', '+', 'ArrowRight']) {
          canvas.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
        }
        seen.chosen = text('.chosen');
        document.querySelector('button[data-theme=dark]').click();
        seen.dark = getComputedStyle(document.body).backgroundColor;
        document.querySelector('button[data-theme=light]').click();
        seen.light = getComputedStyle(document.body).backgroundColor;
        when(() => text('.window') !== seen.all, () => {
          seen.zoomed = text('.window');
          seen.errors = document.documentElement.dataset.errors || '';
          parent.postMessage(encodeURIComponent(JSON.stringify(seen)), '*');
        });
      };
      // A frame hears only after its first style what the window around it prefers.
      const dark = matchMedia('(prefers-color-scheme: dark)');
      addEventListener('load', () => {
        const canvas = document.querySelector('canvas');
        when(() => dark.matches === DARK && colors(canvas) > 1, () => probe(canvas));
      });
      </script>
      """;

  private static final Pattern ANSWER = Pattern.compile("data-probe=\"([^\"]*)\"");

  @TempDir private Path folder;

  private static String chromium() {
    List<String> names = List.of("chromium", "chromium-browser", "google-chrome");
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .flatMap(place -> names.stream().map(name -> Path.of(place, name)))
        .filter(Files::isExecutable)
        .map(Path::toString)
        .findFirst()
        .orElse("");
  }

  /** Runs the browser and returns what it printed; what it complained about is added after that. */
  private String browse(Path page, String... options) throws IOException, InterruptedException {
    String browser = chromium();
    assumeTrue(!browser.isEmpty(), "Chromium is not installed (apt install chromium)");
    List<String> command =
        new ArrayList<>(
            List.of(
                browser,
                "--headless=new",
                // Containers run tests as root, whom the sandbox refuses.
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--virtual-time-budget=30000",
                "--enable-logging=stderr",
                "--user-data-dir=" + folder.resolve("profile")));
    command.addAll(List.of(options));
    command.add(page.toUri().toString());
    Path output = folder.resolve("output");
    Path complaints = folder.resolve("complaints");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(complaints.toFile())
            .start();
    boolean ended = process.waitFor(280, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as("the browser ends").isTrue();
    // The probe looks at the canvas often, on which the browser has advice.
    assertThat(Files.readAllLines(complaints))
        .filteredOn(line -> !line.contains("willReadFrequently"))
        .noneMatch(line -> line.contains("CONSOLE"));
    return Files.readString(output);
  }

  /** Shows the page in a frame: the browser's own window is never as narrow as a phone. */
  private Path framed(TraceText trace, int width, boolean isDark)
      throws IOException, TraceException {
    page(trace, FRAMES, PROBE.replace("DARK", "" + isDark));
    String frame =
        """
        <!DOCTYPE html><meta name="color-scheme" content="light dark"><body>
        <script>addEventListener('message', e => { document.body.dataset.probe = e.data; });</script>
        <iframe src="page.html" style="width:%dpx;height:900px;border:0"></iframe>
        """
            .formatted(width);
    return Files.writeString(folder.resolve("frame.html"), frame);
  }

  private Path page(TraceText trace, String head, String added) throws IOException, TraceException {
    TraceFile file = TraceFile.read(trace.write(folder.resolve("trace.json")));
    String html =
        ReportPage.of(List.of(file)).replace("<head>", head).replace("</body>", added + "</body>");
    return Files.writeString(folder.resolve("page.html"), html);
  }

  private static Map<?, ?> answer(String dom) {
    Matcher found = ANSWER.matcher(dom);
    assertThat(found.find())
        .as("the probe's answer in %s", dom.replaceAll("(?s)<style>.*</style>", ""))
        .isTrue();
    return (Map<?, ?>) Json.read(URLDecoder.decode(found.group(1), UTF_8));
  }

  @ParameterizedTest
  @CsvSource({"1280,light", "360,dark"})
  void thePageWorksInLightAndDarkOnScreensAndPhones(int width, String scheme)
      throws IOException, InterruptedException, TraceException {
    boolean isDark = scheme.equals("dark");
    Path page = framed(TraceText.full("poisson3d:40 <b>"), width, isDark);
    String dom =
        browse(
            page,
            "--window-size=1400,1000",
            "--blink-settings=preferredColorScheme=" + (isDark ? 0 : 1),
            "--dump-dom");
    Map<?, ?> seen = answer(dom);
    assertThat(seen.get("errors")).isEqualTo("");
    assertThat(seen.get("windowWidth")).isEqualTo((long) width);
    assertThat((Long) seen.get("pageWidth"))
        .as("no scrolling to the side")
        .isLessThanOrEqualTo(width);
    assertThat(seen.get("background")).isEqualTo(seen.get(scheme));
    assertThat(seen.get("dark")).isNotEqualTo(seen.get("light"));
    assertThat((Long) seen.get("colors")).as("colours of the timeline").isGreaterThan(5);
    assertThat(seen.get("chosen")).asString().contains("solve poisson3d:40 <b>", "rank 0", "long");
    assertThat(seen.get("zoomed")).isNotEqualTo(seen.get("all"));
  }

  @Test
  void aHundredThousandSlicesAreDrawn() throws IOException, InterruptedException, TraceException {
    TraceText trace = new TraceText();
    for (int i = 0; i < 100_000; i++) {
      trace.slice(i % 8, "step " + i % 5, "Exchange", i * 10.0, 5 + i % 60, Map.of("bytes", i));
    }
    Map<?, ?> seen =
        answer(browse(framed(trace, 1280, false), "--window-size=1400,1000", "--dump-dom"));
    assertThat(seen.get("errors")).isEqualTo("");
    assertThat((Long) seen.get("colors")).isGreaterThan(2);
  }

  @Test
  void aScreenshotHasMoreThanABackground()
      throws IOException, InterruptedException, TraceException {
    Path picture = folder.resolve("page.png");
    browse(
        page(TraceText.full("poisson"), "<head>", ""),
        "--window-size=1280,2400",
        "--screenshot=" + picture);
    assertThat(Files.size(picture)).isGreaterThan(30_000);
  }
}
