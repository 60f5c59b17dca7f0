package dev.rialto.opencl;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.parts.DeviceExecutable;
import dev.rialto.spi.parts.DeviceStream;
import dev.rialto.system.DeepStack;
import dev.rialto.system.files.CodeStore;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.StringJoiner;

/**
 * Compiles OpenCL C for one device.
 *
 * <p>The text defines {@code __kernel void name(__global T *buffer…, long begin, long end)}. A
 * launch has an item per index as far as the device allows, so the body walks from {@code begin +
 * get_global_id(0)} by {@code get_global_size(0)}. Arithmetic is strict unless the text says
 * otherwise: multiplications and additions are not contracted, divisions and roots are rounded
 * correctly, so results are those of the host to the bit.
 */
final class OpenClCompiler implements KernelCompiler {
  /** The language of the text. */
  static final String LANGUAGE = "opencl-c";

  /** Put before every text that is to be strict. */
  private static final String STRICT = "#pragma OPENCL FP_CONTRACT OFF\n#line 1\n";

  private static final String OPTIONS = "-w -cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt";

  /** Options that PoCL adds by itself. */
  private static final String DRIVER_OPTIONS =
      Objects.requireNonNullElse(System.getenv("POCL_EXTRA_BUILD_FLAGS"), "");

  private final OpenClContext context;
  private final OpenClMemory memory;
  private final String fingerprint;

  OpenClCompiler(OpenClContext context, OpenClMemory memory) {
    this.context = context;
    this.memory = memory;
    this.fingerprint =
        OpenCl.deviceText(context.device(), OpenCl.DEVICE_NAME)
            + ", "
            + OpenCl.deviceText(context.device(), OpenCl.DEVICE_VERSION)
            + ", "
            + OpenCl.deviceText(context.device(), OpenCl.DRIVER_VERSION)
            + DRIVER_OPTIONS;
  }

  /** Returns what tells machine code of this device and driver from that of others. */
  String fingerprint() {
    return fingerprint;
  }

  /** Compiles a text to machine code. */
  byte[] build(String name, String text) {
    return DeepStack.call("opencl", () -> buildHere(name, STRICT + text, OPTIONS));
  }

  /** Compiles a text of {@link OpenClDialect} to machine code. */
  byte[] buildProcedures(String name, String text) {
    return readsDeclarations()
        ? DeepStack.call("opencl", () -> procedures(name, text))
        : build(name, text);
  }

  private byte[] procedures(String name, String text) {
    try {
      return buildBriefly(name, text);
    } catch (CompilationException e) {
      // A text that calls others gets all declarations.
      return buildHere(name, STRICT + text, OPTIONS);
    }
  }

  /** Compiles a text that calls no other functions than {@link CalledFunctions} declares. */
  byte[] buildBriefly(String name, String text) {
    return buildHere(
        name, CalledFunctions.DECLARED + STRICT + text, OPTIONS + CalledFunctions.OPTION);
  }

  /** Returns whether the driver reads the declarations of all functions before each text. */
  boolean readsDeclarations() {
    return fingerprint.contains("PoCL");
  }

  /** A driver may leave the larger part of the work until it is asked for the machine code. */
  private byte[] buildHere(String name, String text, String options) {
    long program = ProgramFunctions.programWithSource(context.handle(), text);
    try {
      ProgramFunctions.build(program, context.device(), options)
          .ifPresent(
              log -> {
                throw new CompilationException(
                    "kernel " + name + " does not compile: " + log, context.name(), "", null);
              });
      return ProgramFunctions.image(program);
    } finally {
      ProgramFunctions.releaseProgram(program);
    }
  }

  /** Compiles and loads a text that defines a kernel of that name. */
  OpenClKernel load(String name, String text) {
    return new OpenClKernel(context, name, image(name, text), OpenClKernel.GROUP);
  }

  /** Returns machine code from the cache or, if it is not there, from the compiler. */
  byte[] image(String name, String text) {
    return CodeStore.folder()
        .map(
            folder ->
                new CodeStore(folder, CodeStore.limit())
                    .image("opencl", () -> build(name, text), STRICT + text, OPTIONS, fingerprint))
        .orElseGet(() -> build(name, text));
  }

  @Override
  public String target() {
    return "opencl";
  }

  @Override
  public Set<String> languages() {
    return Set.of(LANGUAGE);
  }

  @Override
  public Executable compile(LoweredKernel kernel) {
    LoweredKernel.Source source = DeviceExecutable.text(kernel, target(), LANGUAGE);
    return new OpenClExecutable(source, load(source.name(), source.text()));
  }

  /** Compiles a kernel in a form; none looks at indices. */
  @Override
  public Executable compile(LoweredKernel kernel, Form form) {
    if (form.checked() || !form.counted()) {
      return KernelCompiler.super.compile(kernel, form);
    }
    LoweredKernel.Source source = DeviceExecutable.text(kernel, target(), LANGUAGE);
    List<Parameter> parameters = new ArrayList<>(source.parameters());
    parameters.add(new Parameter("item count", DType.I64, Access.READ));
    String text = counted(source);
    return new OpenClExecutable(
        new LoweredKernel.Source(source.name(), parameters, LANGUAGE, text),
        load(source.name(), text));
  }

  /**
   * The text under another name, and a kernel that calls it for as many items as the count says.
   */
  private static String counted(LoweredKernel.Source source) {
    StringJoiner pointers = new StringJoiner(", ");
    StringJoiner passed = new StringJoiner(", ");
    for (int i = 0; i < source.parameters().size(); i++) {
      pointers.add("__global void *p" + i);
      passed.add("p" + i);
    }
    pointers.add("__global long *count").add("long begin").add("long end");
    passed.add("begin").add("min(end, max(*count, 0L))");
    return """
    #define %1$s %1$s_uncounted
    #line 1
    %2$s
    #undef %1$s
    __kernel void %1$s(%3$s) { %1$s_uncounted(%4$s); }
    """
        .formatted(source.name(), source.text(), pointers, passed);
  }

  /** A launch that keeps its kernel until it has gone to the driver. */
  static final class Launch implements DeviceStream.Work {
    private final OpenClKernel kernel;
    private final long begin;
    private final long end;
    private final long items;
    private final List<MemorySegment> buffers;
    private final long[] numbers;

    /**
     * Takes hold of the kernel.
     *
     * @param numbers what it takes behind the range
     */
    Launch(
        OpenClKernel kernel,
        long begin,
        long end,
        long items,
        List<MemorySegment> buffers,
        long... numbers) {
      this.kernel = kernel;
      this.begin = begin;
      this.end = end;
      this.items = items;
      this.buffers = List.copyOf(buffers);
      this.numbers = numbers;
      kernel.retain();
    }

    @Override
    public void submit(long queue) {
      try {
        kernel.launch(begin, end, items, buffers, numbers, queue);
      } finally {
        kernel.release();
      }
    }

    @Override
    public void skip() {
      kernel.release();
    }
  }

  private final class OpenClExecutable extends DeviceExecutable<OpenClStream> {
    private final OpenClKernel code;

    OpenClExecutable(LoweredKernel kernel, OpenClKernel code) {
      super(kernel, context.name(), OpenClStream::require, code::close);
      this.code = code;
    }

    @Override
    public void launch(long items, List<MemorySegment> buffers, Stream stream) {
      OpenClStream target = check(items, buffers, stream);
      for (int i = 0; i < buffers.size(); i++) {
        memory.require(buffers.get(i), kernel().parameters().get(i).name(), kernel().name());
      }
      target.submit(OpenClStream.label(stream), new Launch(code, 0, items, items, buffers));
    }
  }
}
