package dev.rialto.runtime;

import dev.rialto.runtime.body.CheckedBody;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler.Form;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Body;
import dev.rialto.spi.kernel.LoweredKernel.JavaBody;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A kernel compiled for a device: as it is, checked, and with a count that the device reads. Each
 * form is compiled when it is first launched. Thread-safe.
 */
public final class Kernel implements AutoCloseable {
  /** The parameter that holds the count of a launch whose items the device counts. */
  static final Parameter COUNT = new Parameter("item count", DType.I64, Access.READ);

  private final ComputeDevice device;
  private final LoweredKernel kernel;
  private final Map<Form, Executable> forms = new ConcurrentHashMap<>();

  Kernel(ComputeDevice device, LoweredKernel kernel) {
    this.device = device;
    this.kernel = kernel;
    executable(false, false);
  }

  /** Holds code that checks nothing, and so is its checked form too. */
  Kernel(ComputeDevice device, Executable code) {
    this.device = device;
    this.kernel = code.kernel();
    forms.put(new Form(false, false), code);
    forms.put(new Form(true, false), code);
  }

  /** Returns the name in messages and traces. */
  public String name() {
    return kernel.name();
  }

  /** Returns the buffers that a launch passes, in order. */
  public List<Parameter> parameters() {
    return kernel.parameters();
  }

  ComputeDevice device() {
    return device;
  }

  Executable executable(boolean checked, boolean counted) {
    return forms.computeIfAbsent(
        new Form(checked, counted),
        form ->
            kernel instanceof JavaBody java
                ? device.spi().compiler().compile(lower(java, form))
                : device.spi().compiler().compile(kernel, form));
  }

  private LoweredKernel lower(JavaBody java, Form form) {
    String name = java.name();
    List<Parameter> parameters = java.parameters();
    Body plain = java.body();
    Body body =
        new DeviceBody(device, form.checked() ? new CheckedBody(name, parameters, plain) : plain);
    if (!form.counted()) {
      return new JavaBody(name, parameters, body);
    }
    List<Parameter> counted = new ArrayList<>(parameters);
    counted.add(COUNT);
    return new JavaBody(name, counted, counted(body));
  }

  /** Stops a body at the count in its last buffer. */
  private static Body counted(Body body) {
    return (begin, end, buffers) -> {
      MemorySegment count = buffers.getLast();
      long last = Math.min(end, count.get(ValueLayout.JAVA_LONG, 0));
      if (begin < last) {
        body.run(begin, last, buffers.subList(0, buffers.size() - 1));
      }
    };
  }

  /** Gives the compiled code back; launches already added still run. */
  @Override
  public void close() {
    forms.values().forEach(Executable::close);
  }

  @Override
  public String toString() {
    return "kernel '" + name() + "'";
  }
}
