package dev.rialto.cuda;

import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.DeviceMemory;
import dev.rialto.cuda.driver.DriverMemory;
import dev.rialto.cuda.driver.Nvrtc;
import dev.rialto.cuda.driver.PinnedMemory;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.kernel.LoweredKernel.Source;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.parts.DeviceExecutable;
import dev.rialto.system.files.CodeStore;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Compiles CUDA C++ for one GPU.
 *
 * <p>The text defines {@code extern "C" __global__ void name(T *buffer…, long long begin, long long
 * end)}. A launch has a thread per index as far as the GPU allows, so the body walks from {@code
 * begin} plus its own number by the number of all threads. Arithmetic is strict unless the text
 * says otherwise: multiplications and additions are not contracted, so results are those of the
 * host to the bit.
 */
final class CudaCompiler implements KernelCompiler {
  /** The language of the text. */
  static final String LANGUAGE = "cuda";

  static final long[] NOTHING = {};

  private final CudaContext context;
  private final Architecture architecture;
  private final List<DeviceMemory> checkedBy;
  private final PinnedMemory pinned;

  /**
   * Makes a compiler.
   *
   * @param memory what addresses are checked against if {@code -Drialto.checks=true}
   * @param pinned where checked launches note what they find
   */
  CudaCompiler(
      CudaContext context, Architecture architecture, DeviceMemory memory, PinnedMemory pinned) {
    this.context = context;
    this.pinned = pinned;
    this.architecture = architecture;
    this.checkedBy = Boolean.getBoolean("rialto.checks") ? List.of(memory) : List.of();
  }

  /**
   * The target of compiled code.
   *
   * @param major compute capability
   * @param minor compute capability
   * @param driver the driver's version
   */
  record Architecture(int major, int minor, int driver) {
    /** Whether there are instructions for tiles of F16, BF16, TF32 and F64. */
    boolean multipliesTiles() {
      return major >= 8;
    }

    /** Whether four warps multiply together; later architectures have other instructions. */
    boolean hasWarpgroups() {
      return major == 9 && minor == 0;
    }

    List<String> options(boolean fast) {
      String own = hasWarpgroups() ? "a" : "";
      return List.of(
          "--gpu-architecture=sm_" + major + minor + own, "--std=c++17", "--fmad=" + fast);
    }
  }

  /** Returns machine code from the cache or, if it is not there, from the compiler. */
  static byte[] image(
      Architecture architecture,
      Nvrtc nvrtc,
      Optional<Path> folder,
      String name,
      String text,
      boolean fast) {
    List<String> options = architecture.options(fast);
    return folder
        .map(
            path ->
                new CodeStore(path, CodeStore.limit())
                    .image(
                        LANGUAGE,
                        () -> nvrtc.compile(name, text, options),
                        text,
                        String.join(" ", options),
                        nvrtc.version(),
                        Integer.toString(architecture.driver())))
        .orElseGet(() -> nvrtc.compile(name, text, options));
  }

  /** Compiles and loads a text that defines a kernel of that name. */
  LoadedKernel load(String name, String text, boolean fast) {
    return new LoadedKernel(
        context, name, image(architecture, Nvrtc.require(), CodeStore.folder(), name, text, fast));
  }

  @Override
  public String target() {
    return LANGUAGE;
  }

  @Override
  public Set<String> languages() {
    return Set.of(LANGUAGE);
  }

  @Override
  public Executable compile(LoweredKernel kernel) {
    Source source = DeviceExecutable.text(kernel, target(), LANGUAGE);
    return new CudaExecutable(source, load(source.name(), source.text(), false));
  }

  @Override
  public Executable compile(LoweredKernel kernel, Form form) {
    if ((!form.checked() && !form.counted()) || !(kernel instanceof Source source)) {
      return compile(kernel);
    }
    List<Parameter> parameters = new ArrayList<>(source.parameters());
    if (form.counted()) {
      parameters.add(new Parameter("item count", DType.I64, Access.READ));
    }
    Source counted = new Source(source.name(), parameters, source.language(), source.text());
    String text = KernelForm.text(source, form);
    LoadedKernel code;
    try {
      code = load(source.name(), text, false);
    } catch (CompilationException e) {
      throw new CompilationException(
          String.valueOf(e.getMessage()),
          "cuda",
          "launched checked or with a count, a kernel reaches its buffers by [] alone",
          e);
    }
    return form.checked()
        ? new CheckedExecutable(counted, code, source.parameters())
        : new CudaExecutable(counted, code);
  }

  /**
   * Notes of what checked launches found; each is given back when its launch has been looked at.
   */
  private final class CheckedExecutable extends CudaExecutable {
    private static final long NOTE_BYTES = 24;

    private final List<Parameter> checked;
    private final ConcurrentLinkedQueue<Allocation> spare = new ConcurrentLinkedQueue<>();
    private final List<Allocation> notes = Collections.synchronizedList(new ArrayList<>());

    CheckedExecutable(Source kernel, LoadedKernel code, List<Parameter> checked) {
      super(kernel, code);
      this.checked = checked;
    }

    @Override
    public void launch(long items, List<MemorySegment> buffers, long[] bytes, Stream stream) {
      Allocation note = spare.poll();
      if (note == null) {
        note = pinned.allocate(NOTE_BYTES);
        notes.add(note);
      }
      Allocation found = note;
      found.segment().fill((byte) 0);
      long[] extra = new long[checked.size() + 1];
      System.arraycopy(bytes, 0, extra, 0, checked.size());
      extra[checked.size()] = found.segment().address();
      launch(items, buffers, stream, extra);
      stream.run(
          () -> {
            long[] numbers = found.segment().asSlice(0, NOTE_BYTES).toArray(ValueLayout.JAVA_LONG);
            spare.add(found);
            if (numbers[0] > 0) {
              throw outside((int) numbers[0] - 1, numbers[1], numbers[2], bytes);
            }
          });
    }

    private IndexOutOfBoundsException outside(int buffer, long index, long item, long[] bytes) {
      Parameter parameter = checked.get(buffer);
      return new IndexOutOfBoundsException(
          ("kernel '%s', item %s: index %s is outside buffer '%s', which has %s elements of "
                  + "%s")
              .formatted(
                  kernel().name(),
                  item,
                  index,
                  parameter.name(),
                  bytes[buffer] / parameter.type().size(),
                  parameter.type()));
    }

    @Override
    public void launch(long items, List<MemorySegment> buffers, Stream stream) {
      long[] bytes = buffers.stream().mapToLong(MemorySegment::byteSize).toArray();
      launch(items, buffers, bytes, stream);
    }

    @Override
    public void close() {
      super.close();
      notes.forEach(Allocation::close);
      notes.clear();
    }
  }

  private class CudaExecutable extends DeviceExecutable<CudaStream> {
    private final LoadedKernel code;

    CudaExecutable(LoweredKernel kernel, LoadedKernel code) {
      super(kernel, context.name(), CudaStream::require, code::close);
      this.code = code;
    }

    @Override
    public void launch(long items, List<MemorySegment> buffers, Stream stream) {
      launch(items, buffers, stream, NOTHING);
    }

    /** Launches with further arguments after the range. */
    final void launch(long items, List<MemorySegment> buffers, Stream stream, long[] extra) {
      CudaStream target = check(items, buffers, stream);
      checkMemory(buffers);
      target.launch(CudaStream.label(stream), code, 0, items, 1, buffers, extra);
    }

    private void checkMemory(List<MemorySegment> buffers) {
      for (int i = 0; i < buffers.size(); i++) {
        if (!buffers.get(i).isNative()) {
          throw new IllegalArgumentException(
              describe(i) + " lies on the Java heap; copy it to the device first");
        }
      }
      for (DeviceMemory memory : checkedBy) {
        for (int i = 0; i < buffers.size(); i++) {
          if (memory.room(buffers.get(i).address()) < 0
              && DriverMemory.memoryType(buffers.get(i).address()) == 0) {
            throw new IllegalArgumentException(
                ("%s lies at 0x%s, where %s has no access; pass device or pinned memory that "
                        + "is open")
                    .formatted(
                        describe(i), Long.toHexString(buffers.get(i).address()), memory.name()));
          }
        }
      }
    }

    private String describe(int buffer) {
      return "buffer " + kernel().parameters().get(buffer).name() + " of kernel " + kernel().name();
    }
  }
}
