package dev.rialto.jit.kernel;

import dev.rialto.jit.kernel.launch.GuardedLaunches;
import dev.rialto.jit.kernel.launch.KernelForms;
import dev.rialto.jit.lift.LiftOptions;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.Probe;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes kernels of Java methods for a client's device.
 *
 * {@snippet :
 * try (JavaKernel saxpy =
 *     JavaKernels.on(client)
 *         .kernel(
 *             (Item it, F32 y, F32 x, Float a) -> {
 *               long i = it.global();
 *               y.set(i, a * x.get(i) + y.get(i));
 *             })) {
 *   saxpy.launch(n, y, x, 2f);
 * }
 * }
 *
 * <p>The method is read from its class file and compiled for the device: by the C compiler if one
 * is installed, else to a class file, if the device is the host's cores. What it computes is what
 * {@link PlainRun} computes, to the bit. A method that does something else than kernels can is
 * refused with the file and line.
 *
 * @param client the device and how launches are added
 * @param block the items of a block along each axis
 * @param target how code for the host's cores is made; empty for the best there is
 * @param fast whether products and sums may be contracted, and functions of floats computed in
 *     single precision
 * @param elements the type of arrays that are {@link Reals} or {@link Integers}, or null
 * @param checks what launches look at; indices, unless told otherwise
 * @param bindings what functions that kernels call use and each launch passes
 */
public record JavaKernels(
    ComputeClient client,
    Shape block,
    String target,
    boolean fast,
    @Nullable DType elements,
    Checks checks,
    Bindings bindings) {
  private static final int MOST_ITEMS = 1024;
  private static final int MOST_AXES = 3;

  /** Checks the size of blocks. */
  public JavaKernels {
    if (block.rank() < 1 || block.rank() > MOST_AXES) {
      throw new IllegalArgumentException(
          "blocks of shape " + block + "; give 1 to " + MOST_AXES + " axes");
    }
    if (block.count() < 1 || block.count() > MOST_ITEMS) {
      throw new IllegalArgumentException(
          "blocks of " + block.count() + " items; give 1 to " + MOST_ITEMS);
    }
  }

  /** Makes kernels with blocks of 256 items, strict arithmetic and the best target there is. */
  public static JavaKernels on(ComputeClient client) {
    return new JavaKernels(client, Shape.of(256), "", false, null, Checks.INDICES, Bindings.NONE);
  }

  /** Returns these settings with blocks of another size, from 1 to 1024. */
  public JavaKernels withBlockSize(int items) {
    return withBlock(items);
  }

  /**
   * Returns these settings with blocks of one to three axes, of up to 1024 items together; launches
   * have as many axes.
   */
  public JavaKernels withBlock(long... items) {
    return new JavaKernels(client, Shape.of(items), target, fast, elements, checks, bindings);
  }

  /** Returns these settings with a target for the host's cores, such as {@code jvm}. */
  public JavaKernels withTarget(String name) {
    return new JavaKernels(client, block, name, fast, elements, checks, bindings);
  }

  /** Returns these settings, fast or strict. */
  public JavaKernels withFast(boolean on) {
    return new JavaKernels(client, block, target, on, elements, checks, bindings);
  }

  /** Returns these settings with a type for arrays that are {@link Reals} or {@link Integers}. */
  public JavaKernels withElements(DType type) {
    return new JavaKernels(client, block, target, fast, type, checks, bindings);
  }

  /** Returns these settings with other checks. */
  public JavaKernels withChecks(Checks all) {
    return new JavaKernels(client, block, target, fast, elements, all, bindings);
  }

  /**
   * Returns these settings with what functions that kernels call use and each launch passes: behind
   * its arguments, a buffer for each of {@link JavaKernel#arrays} and a number for each of {@link
   * JavaKernel#numbers}.
   */
  public JavaKernels withBindings(Bindings passed) {
    return new JavaKernels(client, block, target, fast, elements, checks, passed);
  }

  /**
   * Returns what is equal for two serializable lambdas with the same code and equal captured
   * values: a key to keep kernels by. Anything else is itself.
   */
  public static List<Object> identity(Object function) {
    return Lifter.identity(function);
  }

  /** Compiles a kernel with 1 argument; see {@link #compile}. */
  public <A> JavaKernel kernel(KernelBody.Of1<A> body) {
    return compile(body);
  }

  /** Compiles a kernel with 2 arguments; see {@link #compile}. */
  public <A, B> JavaKernel kernel(KernelBody.Of2<A, B> body) {
    return compile(body);
  }

  /** Compiles a kernel with 3 arguments; see {@link #compile}. */
  public <A, B, C> JavaKernel kernel(KernelBody.Of3<A, B, C> body) {
    return compile(body);
  }

  /** Compiles a kernel with 4 arguments; see {@link #compile}. */
  public <A, B, C, D> JavaKernel kernel(KernelBody.Of4<A, B, C, D> body) {
    return compile(body);
  }

  /** Compiles a kernel with 5 arguments; see {@link #compile}. */
  public <A, B, C, D, E> JavaKernel kernel(KernelBody.Of5<A, B, C, D, E> body) {
    return compile(body);
  }

  /** Compiles a kernel with 6 arguments; see {@link #compile}. */
  public <A, B, C, D, E, F> JavaKernel kernel(KernelBody.Of6<A, B, C, D, E, F> body) {
    return compile(body);
  }

  /** Compiles a kernel with 7 arguments; see {@link #compile}. */
  public <A, B, C, D, E, F, G> JavaKernel kernel(KernelBody.Of7<A, B, C, D, E, F, G> body) {
    return compile(body);
  }

  /** Compiles a kernel with 8 arguments; see {@link #compile}. */
  public <A, B, C, D, E, F, G, H> JavaKernel kernel(KernelBody.Of8<A, B, C, D, E, F, G, H> body) {
    return compile(body);
  }

  /**
   * Compiles a kernel; owned by the caller.
   *
   * @throws CompilationException if the method does something that kernels cannot, with its file
   *     and line
   */
  public JavaKernel compile(KernelBody body) {
    CodeTarget chosen = choose();
    KernelForms.Form form = KernelForms.of(body, chosen, lifting(chosen), fast);
    LiftOptions how = form.options();
    Lifted marked = checks == Checks.RACES ? Lifter.lift("kernel", body, how.withMarks()) : null;
    GuardedLaunches guards =
        checks == Checks.INDICES
            ? new GuardedLaunches(
                bindings.trusted(), sites -> Lifter.lift("kernel", body, how.withGuarded(sites)))
            : null;
    return new JavaKernel(client, block, chosen, form, Lifter.captured(body), marked, guards);
  }

  LiftOptions lifting(CodeTarget chosen) {
    return new LiftOptions(block, elements, bindings, chosen.multipliesTiles());
  }

  /** Returns whether the device has instructions for products of a {@link Tile}. */
  public boolean multipliesTiles() {
    return choose().multipliesTiles();
  }

  /**
   * Returns the bits of the widest vectors that items are done in side by side, where a block is a
   * loop over its items; 0 elsewhere.
   */
  public int vectorBits() {
    return choose().vectorBits();
  }

  /** Returns what compiles for the device. */
  CodeTarget choose() {
    return JitBackend.compilerOf(client.device()).orElseGet(this::ofHost);
  }

  private CodeTarget ofHost() {
    if (target.isEmpty()) {
      CodeTarget c = JitBackend.targets().get("cc");
      boolean usable = c != null && c.probe() instanceof Probe.Available;
      return named(usable ? "cc" : "jvm");
    }
    return named(target);
  }

  private static CodeTarget named(String name) {
    CodeTarget found = JitBackend.targets().get(name);
    if (found == null || !found.devices().isEmpty()) {
      throw new IllegalArgumentException(
          "no target for the host's cores is called '%s'; those there are: %s"
              .formatted(name, JitBackend.targets().keySet()));
    }
    if (found.probe() instanceof Probe.Unavailable(String reason, String remedy)) {
      throw new CompilationException(
          "target '" + name + "' cannot be used here: " + reason, "", remedy, null);
    }
    return found;
  }
}
