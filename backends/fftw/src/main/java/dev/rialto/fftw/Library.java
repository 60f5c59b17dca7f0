package dev.rialto.fftw;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.files.CacheFolder;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * One of FFTW's libraries, that of a precision, with the functions that are needed.
 *
 * <p>What planning has learned is kept as FFTW's wisdom in a file, {@code libfftw3-VERSION.wisdom}
 * in the {@linkplain CacheFolder#standard user's cache folder} or where {@code
 * -Drialto.fftw.wisdom} says ({@code off} for none). How long planning may look for the fastest way
 * is {@code -Drialto.fftw.effort}: {@code estimate}, {@code measure} (the default) or {@code
 * patient}.
 */
@SuppressWarnings("restricted") // Calling native code is what this class is for.
final class Library {
  private static final int MEASURE = 0;
  private static final int UNALIGNED = 1 << 1;
  private static final int PRESERVE_INPUT = 1 << 4;
  private static final int PATIENT = 1 << 5;
  private static final int ESTIMATE = 1 << 6;

  /** The most seconds that making one plan may take. */
  private static final double PATIENCE = 10;

  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle FREE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().findOrThrow("free"), FunctionDescriptor.ofVoid(ADDRESS));
  private static final Optional<Library> DOUBLES = find(InstalledLibrary.FFTW, "libfftw3", "fftw_");
  private static final Optional<Library> FLOATS =
      find(InstalledLibrary.FFTW_SINGLE, "libfftw3f", "fftwf_");

  /** FFTW's planner has global state, that of both precisions apart; one lock is simpler. */
  private static final Object PLANNER = new Object();

  private final String name;
  private final String path;
  private final String version;
  private final MethodHandle planComplex;
  private final MethodHandle planRealToComplex;
  private final MethodHandle planComplexToReal;
  private final MethodHandle planReal;
  private final MethodHandle executeComplex;
  private final MethodHandle executeRealToComplex;
  private final MethodHandle executeComplexToReal;
  private final MethodHandle executeReal;
  private final MethodHandle destroy;
  private final MethodHandle exportWisdom;
  private final int effort;
  private final Optional<CacheFolder> wisdom;
  private final String wisdomName;

  private Library(String name, String path, SymbolLookup symbols, String prefix) {
    this.name = name;
    this.path = path;
    MemorySegment text = symbols.findOrThrow(prefix + "version").reinterpret(256);
    this.version = text.getString(0);
    FunctionDescriptor guru =
        FunctionDescriptor.of(
            JAVA_LONG, JAVA_INT, ADDRESS, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT);
    this.planComplex =
        bind(
            symbols,
            prefix + "plan_guru64_dft",
            guru.insertArgumentLayouts(6, JAVA_INT)); // the sign
    this.planRealToComplex = bind(symbols, prefix + "plan_guru64_dft_r2c", guru);
    this.planComplexToReal = bind(symbols, prefix + "plan_guru64_dft_c2r", guru);
    this.planReal =
        bind(symbols, prefix + "plan_guru64_r2r", guru.insertArgumentLayouts(6, ADDRESS));
    FunctionDescriptor execute = FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, JAVA_LONG);
    this.executeComplex = bind(symbols, prefix + "execute_dft", execute);
    this.executeRealToComplex = bind(symbols, prefix + "execute_dft_r2c", execute);
    this.executeComplexToReal = bind(symbols, prefix + "execute_dft_c2r", execute);
    this.executeReal = bind(symbols, prefix + "execute_r2r", execute);
    this.destroy = bind(symbols, prefix + "destroy_plan", FunctionDescriptor.ofVoid(JAVA_LONG));
    this.exportWisdom =
        bind(symbols, prefix + "export_wisdom_to_string", FunctionDescriptor.of(ADDRESS));
    this.effort = effort();
    Optional<Path> file = wisdomFile().map(Path::toAbsolutePath);
    this.wisdom =
        file.flatMap(given -> Optional.ofNullable(given.getParent())).map(CacheFolder::in);
    this.wisdomName = file.map(given -> given.getFileName().toString()).orElse("");
    MethodHandle timelimit =
        bind(symbols, prefix + "set_timelimit", FunctionDescriptor.ofVoid(JAVA_DOUBLE));
    MethodHandle importWisdom =
        bind(
            symbols,
            prefix + "import_wisdom_from_string",
            FunctionDescriptor.of(JAVA_INT, ADDRESS));
    try (Arena arena = Arena.ofConfined()) {
      timelimit.invokeExact(PATIENCE);
      Optional<byte[]> known = wisdom.flatMap(folder -> folder.read(wisdomName));
      if (known.isPresent()) {
        // Wisdom of another machine is refused by FFTW, and replaced when something is learned.
        String learned = new String(known.get(), StandardCharsets.US_ASCII).replace("\0", "");
        var _ = (int) importWisdom.invokeExact(arena.allocateFrom(learned));
      }
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  static Optional<Library> of(DType precision) {
    return precision == DType.F64 ? DOUBLES : FLOATS;
  }

  private static Optional<Library> find(InstalledLibrary library, String name, String prefix) {
    return LibrarySearch.open(library)
        .map(open -> new Library(name, open.path(), open.symbols(), prefix));
  }

  private static MethodHandle bind(SymbolLookup symbols, String function, FunctionDescriptor type) {
    return LINKER.downcallHandle(symbols.findOrThrow(function), type);
  }

  private static int effort() {
    String word = System.getProperty("rialto.fftw.effort", "measure").toLowerCase(Locale.ROOT);
    return switch (word) {
      case "estimate" -> ESTIMATE;
      case "measure" -> MEASURE;
      case "patient" -> PATIENT;
      default ->
          throw new IllegalStateException(
              "-Drialto.fftw.effort=" + word + " is not estimate, measure or patient");
    };
  }

  private Optional<Path> wisdomFile() {
    String given = System.getProperty("rialto.fftw.wisdom", "");
    if (given.equals("off") || (effort == ESTIMATE && given.isEmpty())) {
      return Optional.empty();
    }
    return given.isEmpty()
        ? CacheFolder.standard().path().map(path -> path.resolve(name + "-" + number() + ".wisdom"))
        : Optional.of(Path.of(given + "." + name).toAbsolutePath());
  }

  /** Returns 3.3.10 of fftw-3.3.10-sse2-avx. */
  private String number() {
    String[] parts = version.split("-", 3);
    return parts.length > 1 ? parts[1] : version;
  }

  String name() {
    return name;
  }

  String path() {
    return path;
  }

  String version() {
    return version;
  }

  /**
   * Makes a plan for {@code lines} lines of one plane of a spec.
   *
   * @param in an address to read; equal to {@code out} for a plan in place
   * @param aligned whether all addresses it will be executed with are multiples of 16
   * @return a native handle to execute and destroy
   */
  long plan(FftSpec spec, long lines, long in, long out, boolean aligned) {
    int flags = PRESERVE_INPUT | (aligned ? effort : ESTIMATE | UNALIGNED);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment dim = dimension(arena, spec.length(), spec.inStride(), spec.outStride());
      MemorySegment many = dimension(arena, lines, spec.inDistance(), spec.outDistance());
      long plan;
      synchronized (PLANNER) {
        plan =
            switch (spec.kind()) {
              case FORWARD -> (long) planComplex.invokeExact(1, dim, 1, many, in, out, -1, flags);
              case INVERSE -> (long) planComplex.invokeExact(1, dim, 1, many, in, out, 1, flags);
              case REAL_TO_COMPLEX ->
                  (long) planRealToComplex.invokeExact(1, dim, 1, many, in, out, flags);
              case COMPLEX_TO_REAL ->
                  (long) planComplexToReal.invokeExact(1, dim, 1, many, in, out, flags);
              default -> {
                MemorySegment kind = arena.allocateFrom(JAVA_INT, realKind(spec.kind()));
                yield (long) planReal.invokeExact(1, dim, 1, many, in, out, kind, flags);
              }
            };
        if (aligned && wisdom.isPresent()) {
          save();
        }
      }
      if (plan == 0) {
        throw new UnsupportedOperationException("FFTW made no plan for " + spec);
      }
      return plan;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  /** Keeps what was learned, whole: other processes read and write it too. */
  private void save() throws Throwable {
    MemorySegment text = (MemorySegment) exportWisdom.invokeExact();
    if (text.equals(MemorySegment.NULL)) {
      throw new OutOfMemoryError("FFTW has no memory for its wisdom");
    }
    byte[] learned;
    try {
      learned = text.reinterpret(Long.MAX_VALUE).getString(0).getBytes(StandardCharsets.US_ASCII);
    } finally {
      FREE.invokeExact(text);
    }
    wisdom.get().write(wisdomName, learned);
  }

  private static MemorySegment dimension(Arena arena, long n, long inStride, long outStride) {
    return arena.allocateFrom(JAVA_LONG, n, inStride, outStride);
  }

  private static int realKind(FftSpec.Kind kind) {
    return switch (kind) {
      case HARTLEY -> 2;
      case DCT1 -> 3;
      case DCT3 -> 4;
      case DCT2 -> 5;
      case DCT4 -> 6;
      case DST1 -> 7;
      case DST3 -> 8;
      case DST2 -> 9;
      case DST4 -> 10;
      default -> throw new IllegalArgumentException(kind + " is complex");
    };
  }

  void execute(FftSpec.Kind kind, long plan, long in, long out) {
    try {
      switch (kind) {
        case FORWARD, INVERSE -> executeComplex.invokeExact(plan, in, out);
        case REAL_TO_COMPLEX -> executeRealToComplex.invokeExact(plan, in, out);
        case COMPLEX_TO_REAL -> executeComplexToReal.invokeExact(plan, in, out);
        default -> executeReal.invokeExact(plan, in, out);
      }
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  void destroy(long plan) {
    try {
      synchronized (PLANNER) {
        destroy.invokeExact(plan);
      }
    } catch (Throwable e) {
      throw broken(e);
    }
  }

  private static IllegalStateException broken(Throwable e) {
    return new IllegalStateException("a call of FFTW could not be made", e);
  }
}
