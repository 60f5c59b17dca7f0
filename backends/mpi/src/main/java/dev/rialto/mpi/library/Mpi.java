package dev.rialto.mpi.library;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;

/**
 * The MPI library of this process: what it calls things, and its functions by name.
 *
 * <p>There is one library per process, so everything here is constant to the compiler. Touch this
 * class only once {@link LibraryChoice} has found a library.
 */
public final class Mpi {
  private static final MethodHandle IS_ZERO = isZero();
  private static final LoadedLibrary LOADED = LibraryChoice.made().library().orElseThrow();

  public static final MpiLibrary LIBRARY = LOADED.library();
  public static final Constants CONSTANTS = LIBRARY.header().apply(LOADED.symbols());

  static final int HANDLE_BYTES = (int) LIBRARY.handleLayout().byteSize();

  public static final long COMM_WORLD = handle(Predefined.COMM_WORLD);
  public static final long COMM_NULL = handle(Predefined.COMM_NULL);
  public static final long INFO_NULL = handle(Predefined.INFO_NULL);
  public static final long ERRORS_RETURN = handle(Predefined.ERRORS_RETURN);
  public static final long BYTE = handle(Predefined.BYTE);
  public static final long INT16 = handle(Predefined.INT16);

  private static final long INT8 = handle(Predefined.INT8);
  private static final long INT32 = handle(Predefined.INT32);
  private static final long INT64 = handle(Predefined.INT64);
  private static final long FLOAT = handle(Predefined.FLOAT);
  private static final long DOUBLE = handle(Predefined.DOUBLE);
  private static final long FLOAT_COMPLEX = handle(Predefined.FLOAT_COMPLEX);
  private static final long DOUBLE_COMPLEX = handle(Predefined.DOUBLE_COMPLEX);

  private static final long SUM = handle(Predefined.SUM);
  private static final long PROD = handle(Predefined.PROD);
  private static final long MIN = handle(Predefined.MIN);
  private static final long MAX = handle(Predefined.MAX);
  private static final long LAND = handle(Predefined.LAND);
  private static final long LOR = handle(Predefined.LOR);
  private static final long LXOR = handle(Predefined.LXOR);
  private static final long BAND = handle(Predefined.BAND);
  private static final long BOR = handle(Predefined.BOR);
  private static final long BXOR = handle(Predefined.BXOR);
  private static final long REPLACE = handle(Predefined.REPLACE);
  private static final long NO_OP = handle(Predefined.NO_OP);

  private Mpi() {}

  /** Binds a function that every library has; see {@link Native#bind} on shapes. */
  public static MethodHandle function(String name, String shape) {
    return Native.bind(Native.symbol(LOADED.symbols(), name), shape, LIBRARY.handleLayout());
  }

  /**
   * Binds both forms of a collective as one: its last argument is where the request of the
   * non-blocking form goes, or 0 for the blocking form.
   *
   * @param name such as {@code Bcast}
   * @param shape that of the blocking form
   */
  public static MethodHandle collective(String name, String shape) {
    MethodHandle blocking = function("MPI_" + name, shape);
    MethodHandle nonBlocking = function("MPI_I" + name.toLowerCase(Locale.ROOT), shape + "p");
    Class<?>[] before = Collections.nCopies(shape.length(), long.class).toArray(Class<?>[]::new);
    return MethodHandles.guardWithTest(
        MethodHandles.dropArguments(IS_ZERO, 0, before),
        MethodHandles.dropArguments(blocking, shape.length(), long.class),
        nonBlocking);
  }

  /** Binds a function that came late to the standard, under any of its names. */
  public static Optional<MethodHandle> optional(String shape, String... names) {
    for (String name : names) {
      if (LOADED.symbols().find(name).isPresent()) {
        return Optional.of(function(name, shape));
      }
    }
    return Optional.empty();
  }

  /** Returns the type in whose elements the library computes; 0 for those it has none for. */
  public static long type(DType type) {
    return switch (type) {
      case F16, BF16, I16, U8, U16, U32, U64 -> 0;
      case F32 -> FLOAT;
      case F64 -> DOUBLE;
      case C64 -> FLOAT_COMPLEX;
      case C128 -> DOUBLE_COMPLEX;
      case I8 -> INT8;
      case I32 -> INT32;
      case I64 -> INT64;
    };
  }

  /** Returns the library's name of an operator. */
  public static long operator(ReduceOp.Builtin op) {
    return switch (op) {
      case SUM -> SUM;
      case PRODUCT -> PROD;
      case MIN -> MIN;
      case MAX -> MAX;
      case LOGICAL_AND -> LAND;
      case LOGICAL_OR -> LOR;
      case LOGICAL_XOR -> LXOR;
      case BIT_AND -> BAND;
      case BIT_OR -> BOR;
      case BIT_XOR -> BXOR;
      case REPLACE -> REPLACE;
      case NO_OP -> NO_OP;
    };
  }

  /** Reads a handle that a function has left in memory. */
  public static long getHandle(long address) {
    return HANDLE_BYTES == Integer.BYTES ? Native.getInt(address) : Native.getLong(address);
  }

  /** Puts a handle where a function looks for it. */
  public static void putHandle(long address, long handle) {
    if (HANDLE_BYTES == Integer.BYTES) {
      Native.putInt(address, (int) handle);
    } else {
      Native.putLong(address, handle);
    }
  }

  @SuppressWarnings("UnusedMethod") // Through its handle it is.
  private static boolean isZero(long value) {
    return value == 0;
  }

  private static MethodHandle isZero() {
    try {
      return MethodHandles.lookup()
          .findStatic(Mpi.class, "isZero", MethodType.methodType(boolean.class, long.class));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("a method of this class is missing", e);
    }
  }

  private static long handle(Predefined which) {
    return LIBRARY.handle(which, LOADED.symbols());
  }
}
