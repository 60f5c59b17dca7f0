package dev.rialto.exchange.codec;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.OpenLibrary;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/** The functions of the system's libzfp; numbers are one line of 32 or 64 bits each. */
final class ZfpLibrary {
  private static final int FLOAT = 3;
  private static final int DOUBLE = 4;

  private static @Nullable ZfpLibrary loaded;

  private final MethodHandle streamOpen;
  private final MethodHandle streamClose;
  private final MethodHandle setAccuracy;
  private final MethodHandle setRate;
  private final MethodHandle bitStreamOpen;
  private final MethodHandle bitStreamClose;
  private final MethodHandle setBitStream;
  private final MethodHandle rewind;
  private final MethodHandle field1d;
  private final MethodHandle fieldFree;
  private final MethodHandle compress;
  private final MethodHandle decompress;

  private ZfpLibrary(SymbolLookup library) {
    streamOpen = bind(library, "zfp_stream_open", ADDRESS, ADDRESS);
    streamClose = bind(library, "zfp_stream_close", null, ADDRESS);
    setAccuracy = bind(library, "zfp_stream_set_accuracy", JAVA_DOUBLE, ADDRESS, JAVA_DOUBLE);
    setRate =
        bind(
            library,
            "zfp_stream_set_rate",
            JAVA_DOUBLE,
            ADDRESS,
            JAVA_DOUBLE,
            JAVA_INT,
            JAVA_INT,
            JAVA_INT);
    bitStreamOpen = bind(library, "stream_open", ADDRESS, ADDRESS, JAVA_LONG);
    bitStreamClose = bind(library, "stream_close", null, ADDRESS);
    setBitStream = bind(library, "zfp_stream_set_bit_stream", null, ADDRESS, ADDRESS);
    rewind = bind(library, "zfp_stream_rewind", null, ADDRESS);
    field1d = bind(library, "zfp_field_1d", ADDRESS, ADDRESS, JAVA_INT, JAVA_LONG);
    fieldFree = bind(library, "zfp_field_free", null, ADDRESS);
    compress = bind(library, "zfp_compress", JAVA_LONG, ADDRESS, ADDRESS);
    decompress = bind(library, "zfp_decompress", JAVA_LONG, ADDRESS, ADDRESS);
  }

  /**
   * Returns the library.
   *
   * @throws UnsupportedOperationException if there is none, with how to get it
   */
  static synchronized ZfpLibrary get() {
    ZfpLibrary known = loaded;
    if (known != null) {
      return known;
    }
    OpenLibrary found =
        LibrarySearch.open(InstalledLibrary.ZFP)
            .orElseThrow(
                () ->
                    new UnsupportedOperationException(
                        ("codec zfp needs the library %s, which was not found; install it "
                                + "(apt install libzfp1, brew install zfp), set RIALTO_ZFP to its "
                                + "folder, or choose another codec")
                            .formatted(LibrarySearch.here().name(InstalledLibrary.ZFP))));
    known = new ZfpLibrary(found.symbols());
    loaded = known;
    return known;
  }

  @SuppressWarnings("restricted")
  private static MethodHandle bind(
      SymbolLookup library, String name, @Nullable MemoryLayout result, MemoryLayout... arguments) {
    FunctionDescriptor type =
        result == null
            ? FunctionDescriptor.ofVoid(arguments)
            : FunctionDescriptor.of(result, arguments);
    return Linker.nativeLinker().downcallHandle(library.findOrThrow(name), type);
  }

  /** Returns a bound on the encoded bytes of so many bytes of numbers. */
  static long mostBytes(long bytes) {
    return 2 * bytes + 1024;
  }

  /** Encodes at least one number and returns the bytes they became; 0 if that failed. */
  long encode(
      MemorySegment numbers,
      boolean wide,
      long count,
      double tolerance,
      double rate,
      MemorySegment to) {
    return run(compress, numbers, wide, count, tolerance, rate, to, to.byteSize());
  }

  /** Decodes what {@link #encode} made with the same numbers. */
  void decode(
      MemorySegment from,
      long bytes,
      boolean wide,
      long count,
      double tolerance,
      double rate,
      MemorySegment numbers) {
    if (run(decompress, numbers, wide, count, tolerance, rate, from, bytes) == 0) {
      throw new IllegalStateException(
          bytes + " bytes are not " + count + " numbers that zfp encoded");
    }
  }

  private long run(
      MethodHandle operation,
      MemorySegment numbers,
      boolean wide,
      long count,
      double tolerance,
      double rate,
      MemorySegment encoded,
      long bytes) {
    try {
      MemorySegment stream = (MemorySegment) streamOpen.invokeExact(MemorySegment.NULL);
      int type = wide ? DOUBLE : FLOAT;
      if (rate > 0) {
        double _ = (double) setRate.invokeExact(stream, rate, type, 1, 0);
      } else {
        double _ = (double) setAccuracy.invokeExact(stream, tolerance);
      }
      MemorySegment bits = (MemorySegment) bitStreamOpen.invokeExact(encoded, bytes);
      MemorySegment field = (MemorySegment) field1d.invokeExact(numbers, type, count);
      try {
        setBitStream.invokeExact(stream, bits);
        rewind.invokeExact(stream);
        return (long) operation.invokeExact(stream, field);
      } finally {
        fieldFree.invokeExact(field);
        streamClose.invokeExact(stream);
        bitStreamClose.invokeExact(bits);
      }
    } catch (Throwable e) {
      throw new IllegalStateException("zfp failed on " + count + " numbers", e);
    }
  }
}
