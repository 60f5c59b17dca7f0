package dev.rialto.jit.kernel.launch;

import dev.rialto.jit.lift.Lifted;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Kernel;
import dev.rialto.runtime.LaunchNote;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The forms of a kernel's code on its device, each made for the first launch that needs it.
 * Thread-safe.
 */
public final class LoadedForms implements AutoCloseable {
  private final ComputeClient client;
  private final CodeTarget target;
  private final KernelForms.Form form;
  private final @Nullable GuardedLaunches guards;
  private final Map<Variant, Loaded> loaded = new ConcurrentHashMap<>();

  /**
   * Begins with the plain form, unless launches look at indices.
   *
   * @param guards what tells which indices launches look at; null if they look at none
   */
  public LoadedForms(
      ComputeClient client,
      CodeTarget target,
      KernelForms.Form form,
      @Nullable GuardedLaunches guards) {
    this.client = client;
    this.target = target;
    this.form = form;
    this.guards = guards;
    if (guards == null) {
      // The first launch would need no other form, and what is planned ahead finds mistakes early.
      loaded.put(plain(), load(form));
    }
  }

  /** A form of the code; see {@link KernelForms.Form#other}. */
  private record Variant(boolean wide, boolean counted, boolean dense, Set<Integer> guarded) {}

  private record Loaded(Code code, Kernel kernel) {
    void close() {
      kernel.close();
      code.close();
    }
  }

  private Variant plain() {
    return new Variant(!form.isNarrow(), false, true, Set.of());
  }

  private Loaded load(Variant v) {
    if (v.equals(plain())) {
      return load(form);
    }
    Lifted guarded = guards == null || v.guarded().isEmpty() ? null : guards.lifted(v.guarded());
    return load(form.other(target, v.wide(), v.counted(), v.dense(), guarded));
  }

  private Loaded load(KernelForms.Form made) {
    List<Access> accesses = new ArrayList<>(made.lifted().accesses());
    if (!made.lifted().lines().isEmpty()) {
      accesses.add(Access.READ_WRITE);
    }
    Code code = made.load(target);
    if (!made.lifted().guarded()) {
      accesses.add(Access.READ);
      return new Loaded(code, client.compile(made.unit(), code, 0, all(accesses)));
    }
    List<Lifted.Site> sites = made.lifted().sites();
    LaunchNote note =
        new LaunchNote(
            accesses.size(),
            Lifted.Site.WORDS,
            words -> {
              throw new IndexOutOfBoundsException(sites.get((int) words[0] - 1).describe(words));
            });
    // Not read as well: then a launch that failed would make the next one with its note fail too.
    accesses.add(Access.WRITE);
    accesses.add(Access.READ);
    return new Loaded(code, client.compile(made.unit(), code, 0, note, all(accesses)));
  }

  private static Access[] all(List<Access> accesses) {
    return accesses.toArray(Access[]::new);
  }

  /**
   * Returns the code for a launch.
   *
   * @param buffers those of arrays, in the order of the code's parameters
   * @param counted whether it reads the number of its items from a buffer
   * @param dense whether its tensors have neighbours along their last axis
   * @param open the accesses that look at their index first
   */
  public Kernel kernel(
      long items, List<Buffer> buffers, boolean counted, boolean dense, Set<Integer> open) {
    boolean wide = !form.isNarrow() || items > Lifted.MOST_NARROW;
    for (int i = 0; i < buffers.size(); i++) {
      int bytes = form.lifted().procedure().parameters().get(i).storage().bytes();
      wide |= buffers.get(i).bytes() / bytes > Lifted.MOST_NARROW;
    }
    return loaded.computeIfAbsent(new Variant(wide, counted, dense, open), this::load).kernel();
  }

  @Override
  public void close() {
    loaded.values().forEach(Loaded::close);
  }
}
