package dev.rialto.io;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.runtime.ranks.JointFile;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.files.WholeFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.TreeMap;

/**
 * Values on a regular grid in a VTK file ({@code .vti}) that ParaView and VisIt open: one or more
 * named fields of the same shape, at the points.
 *
 * {@snippet :
 * VtkImage.save(path, Map.of("temperature", temperature), new double[] {h, h, h});
 * }
 *
 * <p>The file has the fields raw, one after another, so ranks write their parts in place. Arrays
 * are row-major, and VTK's x is the axis that is contiguous: the last one. Arrays of one or two
 * axes are flat images. A complex field has two components.
 */
public final class VtkImage {
  /**
   * A field.
   *
   * @param name what ParaView calls it
   * @param type the type of its elements
   */
  public record Field(String name, DType type) {}

  private static final Map<DType, String> TYPES =
      Map.of(
          DType.F32, "Float32",
          DType.F64, "Float64",
          DType.C64, "Float32",
          DType.C128, "Float64",
          DType.I8, "Int8",
          DType.I32, "Int32",
          DType.I64, "Int64");

  private final Shape shape;
  private final List<Field> fields;
  private final byte[] header;

  /**
   * Describes an image of one to three axes.
   *
   * @param spacing the distance of points along each axis of the array
   * @throws IllegalArgumentException if there are more axes, more or fewer distances, or one that
   *     is not positive
   * @throws UnsupportedOperationException if VTK has no type for a field
   */
  public VtkImage(Shape shape, List<Field> fields, double... spacing) {
    if (shape.rank() < 1 || shape.rank() > 3 || spacing.length != shape.rank()) {
      throw new IllegalArgumentException(
          "an image of shape %s with %d distances; give one to three axes and one distance each"
              .formatted(shape, spacing.length));
    }
    for (double distance : spacing) {
      if (!(distance > 0 && distance < Double.POSITIVE_INFINITY)) {
        throw new IllegalArgumentException(
            "a distance of %s between points; give positive numbers".formatted(distance));
      }
    }
    this.shape = shape;
    this.fields = List.copyOf(fields);
    this.header = header(spacing);
  }

  private byte[] header(double[] spacing) {
    StringBuilder extent = new StringBuilder();
    StringBuilder distance = new StringBuilder();
    for (int i = 0; i < 3; i++) {
      int axis = shape.rank() - 1 - i;
      extent.append(i == 0 ? "" : " ").append("0 ");
      extent.append(axis < 0 ? 0 : Math.max(shape.extent(axis) - 1, 0));
      distance.append(i == 0 ? "" : " ").append(axis < 0 ? 1.0 : spacing[axis]);
    }
    boolean little = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
    StringBuilder text = new StringBuilder("<?xml version=\"1.0\"?>\n");
    text.append(
        """
        <VTKFile type="ImageData" version="1.0" byte_order="%s" header_type="UInt64">
        <ImageData WholeExtent="%s" Origin="0 0 0" Spacing="%s">
        <Piece Extent="%s">
        <PointData>
        """
            .formatted(little ? "LittleEndian" : "BigEndian", extent, distance, extent));
    long offset = 0;
    for (Field field : fields) {
      String type = TYPES.get(field.type);
      if (type == null) {
        throw new UnsupportedOperationException(
            "VTK has no type for " + field.type + "; convert to F32");
      }
      text.append(
          String.format(
              Locale.ROOT,
              "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\""
                  + " offset=\"%d\"/>%n",
              type,
              escaped(field.name),
              field.type.kind() == DType.Kind.COMPLEX ? 2 : 1,
              offset));
      offset += 8 + bytes(field);
    }
    text.append(
        """
        </PointData>
        </Piece>
        </ImageData>
        <AppendedData encoding="raw">
        _\
        """);
    ByteArrayOutputStream start = new ByteArrayOutputStream();
    start.writeBytes(text.toString().getBytes(US_ASCII));
    return start.toByteArray();
  }

  private static String escaped(String name) {
    return name.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  private long bytes(Field field) {
    return field.type.bytes(shape.count());
  }

  /** Makes a file of zeros of one that is empty. */
  private void create(Path path) throws IOException {
    byte[] end = "\n</AppendedData>\n</VTKFile>\n".getBytes(US_ASCII);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      PartWriter.write(channel, ByteBuffer.wrap(header), 0);
      long at = header.length;
      for (Field field : fields) {
        // Each field begins with its length.
        ByteBuffer length = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());
        PartWriter.write(channel, length.putLong(bytes(field)).flip(), at);
        at += 8 + bytes(field);
      }
      PartWriter.write(channel, ByteBuffer.wrap(end), at);
    }
  }

  /** Writes a rank's part of a field, which are counted from 0. */
  private void write(Path path, int number, PartWriter.Writing writing) throws IOException {
    long at = header.length + 8L;
    for (Field field : fields.subList(0, number)) {
      at += bytes(field) + 8;
    }
    PartWriter.write(path, at, fields.get(number).type, shape, writing);
  }

  /** Writes one field in row-major order. */
  public static void save(
      Path path, String name, DType type, Shape shape, MemorySegment elements, double... spacing)
      throws IOException {
    VtkImage image = new VtkImage(shape, List.of(new Field(name, type)), spacing);
    Part all = Part.of(Distribution.onOne(shape, 1, 0), 0);
    WholeFile.make(
        path,
        temporary -> {
          image.create(temporary);
          image.write(temporary, 0, writer -> writer.write(all, elements, _ -> {}));
        });
  }

  /**
   * Writes distributed arrays of one shape, each rank its parts, in the order of the map; by their
   * names if it has none. Collective; all ranks give the same fields.
   */
  public static void save(Path path, Map<String, Array> arrays, double... spacing)
      throws IOException {
    // Maps without an order have another one in each process.
    Map<String, Array> ordered =
        arrays instanceof SequencedMap<String, Array> ? arrays : new TreeMap<>(arrays);
    Array first =
        ordered.values().stream()
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("an image without fields; give one"));
    VtkImage image =
        new VtkImage(
            first.shape(),
            ordered.entrySet().stream()
                .map(each -> new Field(each.getKey(), each.getValue().type()))
                .toList(),
            spacing);
    Communicator comm = first.team().communicator();
    JointFile.write(
        comm,
        path,
        "fields " + ordered,
        temporary -> {
          if (comm.rank() == 0) {
            image.create(temporary);
          }
        },
        temporary -> {
          int number = 0;
          for (Array each : ordered.values()) {
            image.write(temporary, number++, writer -> writer.write(each));
          }
        });
  }
}
