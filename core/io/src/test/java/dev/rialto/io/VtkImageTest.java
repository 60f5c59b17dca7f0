package dev.rialto.io;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.array.Array;
import dev.rialto.array.Decomposition;
import dev.rialto.array.F64Array;
import dev.rialto.array.I32Array;
import dev.rialto.array.Team;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files read back as VTK's own description of its format says. */
class VtkImageTest {
  @TempDir private Path folder;

  /** Returns a field's bytes, found by its offset as a reader would. */
  private static ByteBuffer field(Path file, String name) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    String text = new String(bytes, ISO_8859_1);
    Matcher offset = Pattern.compile("Name=\"" + name + "\"[^/]*offset=\"(\\d+)\"").matcher(text);
    assertThat(offset.find()).isTrue();
    int start = text.indexOf("<AppendedData encoding=\"raw\">\n_") + 31;
    int at = start + Integer.parseInt(offset.group(1));
    ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    int length = (int) buffer.getLong(at);
    return buffer.slice(at + 8, length).order(ByteOrder.nativeOrder());
  }

  @Test
  void fieldsOfAllRanksAreInOneFile() throws IOException {
    Path file = folder.resolve("two.vti");
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array heat = team.f64(5, 4, 3);
                I32Array mark = team.space(5, 4, 3).divided(Decomposition.cyclic(1, 3)).i32()) {
              heat.generate(i -> 0.5 * i);
              mark.generate(i -> 7 - i);
              Map<String, Array> fields = new LinkedHashMap<>();
              fields.put("heat", heat);
              fields.put("mark", mark);
              VtkImage.save(file, fields, 0.1, 0.2, 0.3);
            }
          });
    }
    ByteBuffer heat = field(file, "heat");
    ByteBuffer mark = field(file, "mark");
    assertThat(heat.remaining()).isEqualTo(480);
    assertThat(mark.remaining()).isEqualTo(240);
    for (int i = 0; i < 60; i++) {
      assertThat(heat.getDouble(8 * i)).isEqualTo(0.5 * i);
      assertThat(mark.getInt(4 * i)).isEqualTo(7 - i);
    }
    // The last axis is VTK's first.
    assertThat(Files.readString(file, ISO_8859_1))
        .contains("WholeExtent=\"0 2 0 3 0 4\"", "Spacing=\"0.3 0.2 0.1\"")
        .contains("type=\"Float64\" Name=\"heat\"", "type=\"Int32\" Name=\"mark\"")
        .endsWith("</VTKFile>\n");
  }

  @Test
  void flatAndComplexImagesAreWritten() throws IOException {
    Path file = folder.resolve("flat.vti");
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1, 2, 3, 4, 5, 6, 7, 8);
      VtkImage.save(file, "a<b>", DType.C64, Shape.of(2, 2), memory, 1, 1);
    }
    assertThat(Files.readString(file, ISO_8859_1))
        .contains("WholeExtent=\"0 1 0 1 0 0\"", "Name=\"a&lt;b>\" NumberOfComponents=\"2\"");
    assertThat(field(file, "a&lt;b>").getFloat(28)).isEqualTo(8);
  }

  @Test
  void whatCannotBeAnImageIsRefused() {
    List<VtkImage.Field> fields = List.of(new VtkImage.Field("a", DType.F64));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new VtkImage(Shape.of(2, 2, 2, 2), fields, 1, 1, 1, 1))
        .withMessageContaining("2x2x2x2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new VtkImage(Shape.of(2, 2), fields, 1))
        .withMessageContaining("1 distances");
    for (double distance : new double[] {Double.NaN, 0, -1, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new VtkImage(Shape.of(2), fields, distance))
          .withMessageContaining("a distance of " + distance + " between points");
    }
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> new VtkImage(Shape.of(2), List.of(new VtkImage.Field("a", DType.F16)), 1))
        .withMessageContaining("F16");
  }
}
