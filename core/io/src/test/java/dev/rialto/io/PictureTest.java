package dev.rialto.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/** Pictures, read back by the JDK's own reader. */
class PictureTest {
  private static BufferedImage read(byte[] png) throws IOException {
    return ImageIO.read(new ByteArrayInputStream(png));
  }

  @Test
  void aPngHasThePixelsThatWereDrawn() throws IOException {
    Canvas canvas = new Canvas(17, 9);
    canvas.fill(3, 2, 4, 5, 0x102030);
    canvas.set(16, 8, 0xff0000);
    canvas.set(17, 9, 0x00ff00);
    BufferedImage image = read(canvas.png());
    assertThat(image.getWidth()).isEqualTo(17);
    assertThat(image.getHeight()).isEqualTo(9);
    for (int y = 0; y < 9; y++) {
      for (int x = 0; x < 17; x++) {
        assertThat(image.getRGB(x, y) & 0xffffff).isEqualTo(canvas.get(x, y));
      }
    }
    assertThat(canvas.get(3, 2)).isEqualTo(0x102030);
    assertThat(canvas.get(6, 6)).isEqualTo(0x102030);
    assertThat(canvas.get(7, 6)).isEqualTo(0xffffff);
    assertThat(canvas.get(16, 8)).isEqualTo(0xff0000);
  }

  @Test
  void pixelsAndSizeHaveToAgree() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Png.encode(2, 2, new byte[11]))
        .withMessageContaining("11 bytes");
  }

  @Test
  void everyCharacterHasADifferentFace() {
    Set<String> faces = new HashSet<>();
    for (char c = ' '; c <= '~'; c++) {
      StringBuilder face = new StringBuilder();
      for (boolean[] row : Glyphs.of(c)) {
        for (boolean dot : row) {
          face.append(dot ? '#' : '.');
        }
      }
      assertThat(faces.add(face.toString())).as("'%s'", c).isTrue();
      assertThat(face.indexOf("#") >= 0).as("'%s'", c).isEqualTo(c != ' ');
    }
    assertThat(Glyphs.of('é')).isEqualTo(Glyphs.of('?'));
  }

  @Test
  void textIsAsWideAsItSays() {
    Canvas canvas = new Canvas(40, 12);
    canvas.text(1, 1, "Rialto", 1, 0);
    int last = -1;
    for (int x = 0; x < 40; x++) {
      for (int y = 0; y < 12; y++) {
        last = canvas.get(x, y) == 0 ? x : last;
      }
    }
    assertThat(last).isEqualTo(Canvas.textWidth("Rialto", 1));
  }

  @Test
  void coloursGoFromEndToEndAndNanIsGrey() {
    assertThat(Colors.SIGNED.of(0.5)).isEqualTo(0xf7f7f5);
    assertThat(Colors.SIGNED.of(-3)).isEqualTo(Colors.SIGNED.of(0)).isEqualTo(0x123a7a);
    assertThat(Colors.HEAT.of(7)).isEqualTo(0xf0f921);
    assertThat(Colors.HEAT.of(Double.NaN)).isEqualTo(0x808080);
  }

  @Test
  void aMapShowsItsRowsFromTheTop() {
    Canvas canvas = new Canvas(4, 4);
    canvas.map(0, 0, 4, 4, new double[] {0, 0, 1, 1}, 2, 0, 1, Colors.HEAT);
    assertThat(canvas.get(3, 1)).isEqualTo(Colors.HEAT.of(0));
    assertThat(canvas.get(0, 2)).isEqualTo(Colors.HEAT.of(1));
  }

  @Test
  void curvesFallFromLeftToRight() throws IOException {
    double[] falling = new double[100];
    for (int i = 0; i < falling.length; i++) {
      falling[i] = Math.pow(10, -0.1 * i);
    }
    BufferedImage image =
        read(new Plot("t", "x", "y").logarithmic().curve("", falling).png(400, 300));
    int before = -1;
    for (int x = 80; x < 380; x += 20) {
      int row = -1;
      for (int y = 0; y < 300 && row < 0; y++) {
        row = (image.getRGB(x, y) & 0xffffff) == 0x1f4e9e ? y : -1;
      }
      assertThat(row).as("column %d", x).isGreaterThan(before);
      before = row;
    }
  }

  @Test
  void whatCannotBeDrawnIsLeftOut() throws IOException {
    Plot plot = new Plot("", "", "").logarithmic().level("none", 0);
    plot.curve("a", 1, Double.NaN, 0, Double.POSITIVE_INFINITY, 0.1).curve("empty");
    assertThat(read(plot.png(200, 150)).getWidth()).isEqualTo(200);
    assertThat(read(new Plot("", "", "").curve("flat", 3, 3).png(200, 150)).getWidth())
        .isEqualTo(200);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> plot.curve("b", new double[2], new double[3]))
        .withMessageContaining("2 places and 3 values");
  }
}
