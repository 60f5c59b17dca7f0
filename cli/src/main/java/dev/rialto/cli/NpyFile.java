package dev.rialto.cli;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An array in a NumPy file, mapped into memory: parts of it are read and written without the rest.
 *
 * @param type the elements' type
 * @param shape the array's shape, row-major
 * @param data the elements
 */
record NpyFile(DType type, Shape shape, MemorySegment data) {
  private static final String MAGIC = "\u0093NUMPY";
  private static final Map<String, DType> TYPES =
      Map.of("<f4", DType.F32, "<f8", DType.F64, "<c8", DType.C64, "<c16", DType.C128);
  private static final Pattern HEADER =
      Pattern.compile(
          "'descr': *'([^']*)'.*'fortran_order': *(\\w+).*'shape': *\\(([0-9, ]*)\\)",
          Pattern.DOTALL);

  /** Maps an existing file for reading. */
  static NpyFile open(Path path, Arena arena) {
    return map(path, arena, FileChannel.MapMode.READ_ONLY, StandardOpenOption.READ);
  }

  /** Maps an existing file for writing. */
  static NpyFile reopen(Path path, Arena arena) {
    return map(
        path,
        arena,
        FileChannel.MapMode.READ_WRITE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  /** Reads what is there, up to what the buffer holds. */
  private static void read(FileChannel channel, ByteBuffer into, long from) throws IOException {
    int count = 0;
    while (into.hasRemaining() && count >= 0) {
      count = channel.read(into, from + into.position());
    }
  }

  private static NpyFile map(
      Path path, Arena arena, FileChannel.MapMode mode, StandardOpenOption... options) {
    try (FileChannel channel = FileChannel.open(path, options)) {
      ByteBuffer start = ByteBuffer.allocate(12).order(ByteOrder.LITTLE_ENDIAN);
      read(channel, start, 0);
      String magic = new String(start.array(), 0, 6, StandardCharsets.ISO_8859_1);
      if (!magic.equals(MAGIC)) {
        throw CommandFailure.usage(
            path + " is not a NumPy file.", "Write one with numpy.save(name, array).");
      }
      boolean first = start.get(6) == 1;
      int offset = first ? 10 : 12;
      int length = first ? start.getShort(8) & 0xFFFF : start.getInt(8);
      ByteBuffer header = ByteBuffer.allocate(length);
      read(channel, header, offset);
      return parse(
          path,
          new String(header.array(), StandardCharsets.ISO_8859_1),
          channel,
          offset + length,
          mode,
          arena);
    } catch (IOException e) {
      throw CommandFailure.usage("Reading " + path + " failed: " + e.getMessage(), "");
    }
  }

  private static NpyFile parse(
      Path path,
      String header,
      FileChannel channel,
      long offset,
      FileChannel.MapMode mode,
      Arena arena)
      throws IOException {
    Matcher matcher = HEADER.matcher(header);
    DType type = matcher.find() ? TYPES.get(matcher.group(1)) : null;
    if (type == null || matcher.group(2).equals("True") || matcher.group(3).isBlank()) {
      throw CommandFailure.usage(
          path + " has " + header.strip() + ", which cannot be transformed.",
          "Save float32, float64, complex64 or complex128 with at least one axis, in C order:"
              + " numpy.save(name, numpy.ascontiguousarray(a, dtype=complex)).");
    }
    long[] extents =
        Arrays.stream(matcher.group(3).split(","))
            .map(String::strip)
            .filter(word -> !word.isEmpty())
            .mapToLong(Long::parseLong)
            .toArray();
    Shape shape = Shape.of(extents);
    long bytes = type.bytes(shape.count());
    if (channel.size() < offset + bytes) {
      throw CommandFailure.usage(
          path + " ends after " + channel.size() + " bytes of " + (offset + bytes) + ".",
          "Copy it again.");
    }
    return new NpyFile(type, shape, channel.map(mode, offset, bytes, arena));
  }

  /** Makes a file of the right size and maps it for writing. */
  static NpyFile create(Path path, DType type, Shape shape, Arena arena) {
    String description =
        TYPES.entrySet().stream()
            .filter(entry -> entry.getValue() == type)
            .map(Map.Entry::getKey)
            .findFirst()
            .orElseThrow();
    String extents =
        Arrays.stream(shape.extents()).mapToObj(n -> n + ",").collect(Collectors.joining(" "));
    String header =
        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }".formatted(description, extents);
    // Elements begin at a multiple of 64.
    header += " ".repeat(Math.floorMod(-(10 + header.length() + 1), 64)) + "\n";
    ByteBuffer start = ByteBuffer.allocate(10 + header.length()).order(ByteOrder.LITTLE_ENDIAN);
    start.put(MAGIC.getBytes(StandardCharsets.ISO_8859_1)).put((byte) 1).put((byte) 0);
    start.putShort((short) header.length());
    start.put(header.getBytes(StandardCharsets.ISO_8859_1)).flip();
    try (FileChannel channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      long offset = start.remaining();
      while (start.hasRemaining()) {
        int _ = channel.write(start);
      }
      MemorySegment data =
          channel.map(FileChannel.MapMode.READ_WRITE, offset, type.bytes(shape.count()), arena);
      return new NpyFile(type, shape, data);
    } catch (IOException e) {
      throw CommandFailure.failed("Writing " + path + " failed: " + e.getMessage(), "");
    }
  }

  /** Copies elements from here, real ones to complex ones with an imaginary part of 0. */
  void read(long element, long count, DType as, MemorySegment target, long at) {
    if (as == type) {
      MemorySegment.copy(data, type.bytes(element), target, as.bytes(at), type.bytes(count));
      return;
    }
    for (long i = 0; i < count; i++) {
      if (type == DType.F64) {
        double value = data.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, element + i);
        target.setAtIndex(ValueLayout.JAVA_DOUBLE, 2 * (at + i), value);
      } else {
        float value = data.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, element + i);
        target.setAtIndex(ValueLayout.JAVA_FLOAT, 2 * (at + i), value);
      }
    }
  }

  /** Copies elements to here. */
  void write(MemorySegment source, long at, long element, long count) {
    MemorySegment.copy(source, type.bytes(at), data, type.bytes(element), type.bytes(count));
  }
}
