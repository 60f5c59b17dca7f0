package dev.rialto.cpu.code;

import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.vector.VectorApi;
import dev.rialto.system.AddressSpace;
import dev.rialto.system.HiddenClasses;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles loops to class files, a class per procedure, which the JVM compiles further as they get
 * hot. Vectors use the Vector API if its module is there; without it, {@link #vectorBits} is 0 and
 * no vectors are asked for.
 *
 * <p>Memory is reached by address through one segment that covers everything, so no access costs a
 * check; {@link Code#bind} checks sizes once instead.
 */
public final class JvmTarget implements CodeTarget {
  /** The constructor of a loop's class, which takes the addresses of its buffers. */
  private static final MethodType CONSTRUCTOR =
      MethodType.methodType(RangeBody.class, long[].class);

  /** Made by {@link java.util.ServiceLoader}. */
  public JvmTarget() {}

  @Override
  public String name() {
    return "jvm";
  }

  @Override
  public Probe probe() {
    return new Probe.Available(List.of(), List.of());
  }

  @Override
  public int vectorBits() {
    return VectorApi.bits();
  }

  /** Class files name what they use of Rialto: one that moves makes other files. */
  private static final Class<?>[] USED = {
    RangeBody.class, AddressSpace.class, AtomicMemory.class, ProcedureClass.class
  };

  @Override
  public String fingerprint() {
    return "class files 12 for Java %d with %s"
        .formatted(Runtime.version().feature(), List.of(USED));
  }

  @Override
  public byte[] build(Unit unit) {
    try (ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes)) {
      for (Procedure procedure : unit.procedures()) {
        byte[] image = new ProcedureClass(procedure).bytes();
        out.writeInt(image.length);
        out.write(image);
      }
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Code load(Unit unit, byte[] image) {
    List<MethodHandle> constructors = new ArrayList<>();
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(image))) {
      for (int i = 0; i < unit.procedures().size(); i++) {
        byte[] bytes = in.readNBytes(in.readInt());
        constructors.add(HiddenClasses.constructor(MethodHandles.lookup(), bytes, CONSTRUCTOR));
      }
    } catch (IOException | ReflectiveOperationException | LinkageError e) {
      throw new CompilationException(
          "the class files of " + unit.name() + " cannot be loaded: " + e, "jvm", "", e);
    }
    return new Loaded(unit, constructors);
  }

  private record Loaded(Unit unit, List<MethodHandle> constructors) implements Code {
    @Override
    public RangeBody bind(int procedure, List<MemorySegment> buffers) {
      Code.check(unit.procedures().get(procedure), buffers);
      long[] addresses = buffers.stream().mapToLong(MemorySegment::address).toArray();
      try {
        return (RangeBody) constructors.get(procedure).invokeExact(addresses);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new AssertionError("the constructor declares nothing", e);
      }
    }

    /** The classes go when nothing refers to their bodies. */
    @Override
    public void close() {}
  }
}
