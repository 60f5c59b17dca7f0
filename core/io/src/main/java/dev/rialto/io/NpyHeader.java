package dev.rialto.io;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The header of a NumPy file.
 *
 * @param fortran whether the first axis is the contiguous one
 * @param foreign whether bytes are in the other order than this machine's
 * @param length the bytes before the elements
 */
record NpyHeader(DType type, Shape shape, boolean fortran, boolean foreign, long length) {
  private static final String MAGIC = "\u0093NUMPY";

  /** The types of NumPy, after the letter for the byte order. */
  private static final Map<String, DType> TYPES =
      Map.of(
          "f2", DType.F16,
          "f4", DType.F32,
          "f8", DType.F64,
          "c8", DType.C64,
          "c16", DType.C128,
          "i1", DType.I8,
          "i4", DType.I32,
          "i8", DType.I64);

  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
  private static final int LONGEST = 1 << 20;

  private static final Pattern DESCR = Pattern.compile("'descr': *'([<>|=])([a-zA-Z]\\d+)'");
  private static final Pattern ORDER = Pattern.compile("'fortran_order': *(True|False)");
  private static final Pattern EXTENTS = Pattern.compile("'shape': *\\(([0-9L, ]*)\\)");

  static NpyHeader read(Path path, FileChannel channel) throws IOException {
    ByteBuffer start = read(channel, 0, 12);
    if (start.position() < 10 || !start(start, 6, StandardCharsets.ISO_8859_1).equals(MAGIC)) {
      throw new FileFormatException(
          path, "is not a NumPy file", "Write one with numpy.save(name, array).");
    }
    int version = start.get(6);
    if (version < 1 || version > 3) {
      throw new FileFormatException(
          path, "is of version " + version + " of NumPy's format", "Versions 1 to 3 are read.");
    }
    // Version 1 has two bytes for the length of the text, later ones four; 3 has UTF-8.
    int from = version == 1 ? 10 : 12;
    long length = version == 1 ? start.getShort(8) & 0xFFFF : start.getInt(8) & 0xFFFFFFFFL;
    ByteBuffer text = read(channel, from, (int) Math.min(length, LONGEST));
    if (text.position() < length) {
      throw new FileFormatException(
          path,
          "has a header of " + length + " bytes and ends before it does",
          "Copy or save it again.");
    }
    return parse(path, start(text, (int) length, StandardCharsets.UTF_8), from + length);
  }

  private static String start(ByteBuffer buffer, int bytes, Charset charset) {
    byte[] copy = new byte[bytes];
    buffer.get(0, copy);
    return new String(copy, charset);
  }

  /** Reads what is there, up to a number of bytes; the buffer's position is how many. */
  private static ByteBuffer read(FileChannel channel, long from, int bytes) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int count = 0;
    while (into.hasRemaining() && count >= 0) {
      count = channel.read(into, from + into.position());
    }
    return into;
  }

  private static NpyHeader parse(Path path, String text, long length) throws IOException {
    Matcher order = ORDER.matcher(text);
    Matcher extents = EXTENTS.matcher(text);
    if (!order.find() || !extents.find()) {
      throw new FileFormatException(
          path, "has a header that makes no sense: " + text.strip(), "Save it again.");
    }
    Matcher descr = DESCR.matcher(text);
    DType type = descr.find() ? TYPES.get(descr.group(2)) : null;
    if (type == null) {
      throw new FileFormatException(
          path,
          "has elements of a type that is not read: " + text.strip(),
          "Convert it, as with array.astype('f8'); float16, float32, float64, complex64,"
              + " complex128, int8, int32 and int64 are read.");
    }
    String bytes = descr.group(1);
    boolean foreign = bytes.equals(LITTLE ? ">" : "<");
    return new NpyHeader(
        type, shape(path, extents.group(1)), order.group(1).equals("True"), foreign, length);
  }

  private static Shape shape(Path path, String text) throws FileFormatException {
    try {
      return Shape.of(
          Arrays.stream(text.split(",", -1))
              .map(word -> word.strip().replace("L", ""))
              .filter(word -> !word.isEmpty())
              .mapToLong(Long::parseLong)
              .toArray());
    } catch (IllegalArgumentException e) {
      throw new FileFormatException(
          path, "has the shape (" + text + "): " + e.getMessage(), "Save it again.");
    }
  }

  /** Returns the start of a file, as NumPy writes it. */
  static byte[] bytes(DType type, Shape shape) {
    String name =
        TYPES.entrySet().stream()
            .filter(entry -> entry.getValue() == type)
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow(
                () ->
                    new UnsupportedOperationException(
                        "NumPy has no type for " + type + "; convert to F32"));
    String order = type.size() == 1 ? "|" : LITTLE ? "<" : ">";
    String extents =
        Arrays.stream(shape.extents()).mapToObj(Long::toString).collect(Collectors.joining(", "));
    String text =
        "{'descr': '%s%s', 'fortran_order': False, 'shape': (%s%s), }"
            .formatted(order, name, extents, shape.rank() == 1 ? "," : "");
    // The first extent may grow to 21 digits in place, and elements begin at a multiple of 64.
    if (shape.rank() > 0) {
      text += " ".repeat(21 - Long.toString(shape.extent(0)).length());
    }
    text += " ".repeat(64 - (11 + text.length()) % 64) + "\n";
    ByteBuffer start = ByteBuffer.allocate(10 + text.length()).order(ByteOrder.LITTLE_ENDIAN);
    start.put(MAGIC.getBytes(StandardCharsets.ISO_8859_1)).put((byte) 1).put((byte) 0);
    start.putShort((short) text.length());
    start.put(text.getBytes(StandardCharsets.ISO_8859_1));
    return start.array();
  }
}
