package dev.rialto.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class HeatPictureTest {
  @Test
  void anotherReaderSeesTheSamePixels() throws IOException {
    byte[] rgb = new byte[3 * 5 * 2];
    for (int i = 0; i < rgb.length; i++) {
      rgb[i] = (byte) (37 * i);
    }
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(Png.encode(5, 2, rgb)));
    assertThat(image.getWidth()).isEqualTo(5);
    assertThat(image.getHeight()).isEqualTo(2);
    for (int i = 0; i < 10; i++) {
      int expected =
          (rgb[3 * i] & 255) << 16 | (rgb[3 * i + 1] & 255) << 8 | (rgb[3 * i + 2] & 255);
      assertThat(image.getRGB(i % 5, i / 5) & 0xffffff).isEqualTo(expected);
    }
  }

  @Test
  void hotIsYellowColdIsBlueAndBothPlanesShareTheScale() throws IOException {
    Plane before = new Plane(2, new double[] {0, 1, 0, 0});
    Plane after = new Plane(2, new double[] {0.5, 0, 0, 0});
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(HeatPicture.draw(before, after)));
    assertThat(image.getWidth()).isEqualTo(2 * image.getHeight() + 8);
    int bottom = image.getHeight() - 1;
    assertThat(image.getRGB(bottom, bottom) & 0xffffff).isEqualTo(0xf0f921);
    assertThat(image.getRGB(0, bottom) & 0xffffff).isEqualTo(0x0d0850);
    assertThat(image.getRGB(image.getHeight() + 8, bottom) & 0xffffff).isEqualTo(0xcc4778);
  }
}
