package dev.rialto.jit.kernel.launch;

import dev.rialto.jit.kernel.Bindings;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.lift.Axis;
import dev.rialto.jit.lift.LiftOptions;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lift.VectorSupport;
import dev.rialto.jit.lift.VectorSupport.Operations;
import dev.rialto.jit.loops.Simplify;
import dev.rialto.jit.loops.Simplify.Contraction;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.jit.run.CodeCache;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.KernelDialect;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.CompilationException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The compiled forms of a lambda, by what it captures.
 *
 * <p>A captured number is a constant of the code, so that what it decides is decided when the
 * kernel is made. When a third value of it comes it is passed with each launch from then on, and
 * further values need no other code. One that must be a constant, such as the length of an array,
 * stays one.
 */
public final class KernelForms {
  private static final System.Logger LOGGER = System.getLogger("dev.rialto.jit");

  /** Two, so that conditions are always constants. */
  private static final int MOST_VALUES = 2;

  private static final int MOST_FORMS = 16;

  private static final ClassValue<KernelForms> ALL =
      new ClassValue<>() {
        @Override
        protected KernelForms computeValue(Class<?> lambda) {
          return new KernelForms();
        }
      };

  /** A method for a target; compiled when it is first loaded. */
  public static final class Form {
    private final Lifted original;
    private final Lifted lifted;
    private final String name;
    private final Unit unit;
    private final boolean narrow;
    private final LiftOptions options;
    private byte @Nullable [] image;

    private Form(
        Lifted original,
        Lifted lifted,
        String name,
        CodeTarget target,
        boolean fast,
        boolean narrow,
        LiftOptions options) {
      this.original = original;
      this.lifted = lifted;
      this.name = name;
      this.narrow = narrow;
      this.options = options;
      boolean onDevice = isForDevice(target);
      Procedure exact =
          onDevice ? forDevice(lifted, target, narrow) : lifted.forHost(vectors(target));
      Procedure procedure =
          fast ? exact.withBody(Simplify.fast(exact.body(), contraction(target))) : exact;
      String source = CPrinter.print(target, List.of(procedure));
      this.unit = new Unit("kernel", List.of(procedure), fast, source);
    }

    /** Whether launches of more than {@link Lifted#MOST_NARROW} items or elements need another. */
    public boolean isNarrow() {
      return narrow;
    }

    /**
     * Makes another form of the method.
     *
     * @param isWide whether for launches of any size
     * @param isCounted whether for launches that read the number of their items from a buffer
     * @param isDense whether for launches whose tensors have neighbours along their last axis
     * @param guarded the method with accesses that look at their index first; null if none do
     */
    public Form other(
        CodeTarget target,
        boolean isWide,
        boolean isCounted,
        boolean isDense,
        @Nullable Lifted guarded) {
      Lifted all = guarded == null ? original : guarded;
      Lifted form = isDense ? all.dense() : all;
      Lifted method = isCounted ? form.counted() : form;
      return new Form(original, method, name, target, unit.fast(), narrow && !isWide, options);
    }

    public Lifted lifted() {
      return lifted;
    }

    /** The options that the method was lifted with, captured arrays included. */
    public LiftOptions options() {
      return options;
    }

    public Unit unit() {
      return unit;
    }

    /** Loads the code; owned by the caller. */
    public synchronized Code load(CodeTarget target) {
      byte[] made = image;
      if (made == null) {
        made = CodeCache.standard(target, unit, name);
        image = made;
      }
      Code code = target.load(unit, made);
      LOGGER.log(Level.DEBUG, () -> "loaded " + name + " for " + target.name());
      return code;
    }
  }

  private record Key(
      String target,
      Shape block,
      boolean fast,
      @Nullable DType elements,
      Set<Integer> passed,
      List<Object> constants) {}

  private final Map<Integer, Set<Object>> seen = new HashMap<>();
  private final Set<Integer> passed = new TreeSet<>();
  private final Map<Key, Form> forms = new LinkedHashMap<>();

  private KernelForms() {}

  /** Returns the form of a lambda with what it captures; it is made if there is none yet. */
  public static Form of(KernelBody body, CodeTarget target, LiftOptions how, boolean fast) {
    KernelForms all = ALL.get(body.getClass());
    synchronized (all) {
      return all.form(body, target, how, fast);
    }
  }

  private Form form(KernelBody body, CodeTarget target, LiftOptions how, boolean fast) {
    List<Object> captured = Lifter.captured(body);
    for (int i = 0; i < captured.size(); i++) {
      Object value = captured.get(i);
      if (isNumber(value) && isOneTooMany(i, value) && canPass(i, body, how)) {
        passed.add(i);
      }
    }
    if (!captured.stream().allMatch(KernelForms::isNumber)
        || !how.bindings().equals(Bindings.NONE)) {
      // Keeping objects would keep all that hangs on them.
      return make(body, target, how, fast);
    }
    List<Object> constants = new ArrayList<>(captured);
    passed.forEach(i -> constants.set(i, ""));
    Key key =
        new Key(
            target.name(),
            how.block(),
            fast,
            how.elements(),
            Set.copyOf(passed),
            List.copyOf(constants));
    Form known = forms.remove(key);
    Form form =
        known == null || !known.options().copies().areCurrent()
            ? make(body, target, how, fast)
            : known;
    forms.put(key, form);
    if (forms.size() > MOST_FORMS) {
      forms.remove(forms.keySet().iterator().next());
    }
    return form;
  }

  private static boolean isNumber(Object value) {
    return value instanceof Number || value instanceof Boolean || value instanceof Character;
  }

  /** Notes a value; returns whether it is the first of more than a constant should have. */
  private boolean isOneTooMany(int place, Object value) {
    Set<Object> values = seen.computeIfAbsent(place, _ -> new HashSet<>());
    return values.size() <= MOST_VALUES && values.add(value) && values.size() > MOST_VALUES;
  }

  /** Returns whether the code may be given one more number by each launch. */
  private boolean canPass(int place, KernelBody body, LiftOptions how) {
    Set<Integer> more = new TreeSet<>(passed);
    more.add(place);
    try {
      var _ = Lifter.lift("kernel", body, how.withPassed(more));
      return true;
    } catch (CompilationException e) {
      return false;
    }
  }

  /**
   * Items are the driver's on devices that are no cores, if a group can be a block. Cores take the
   * loops of the host's threads: their drivers make vectors of items alone, but not of items with
   * loops, barriers or places that are quotients.
   */
  private static Procedure forDevice(Lifted lifted, CodeTarget target, boolean narrow) {
    if (!awaitsEnded(target)) {
      return lifted.forDevice(narrow);
    }
    if (target.vectorBits() > 0) {
      return lifted.forHost(new VectorSupport(target.vectorBits(), Operations.ROOTS));
    }
    if (lifted.waits() && fits(lifted, target)) {
      return lifted.forGroups(narrow).orElseGet(lifted::forDriver);
    }
    return lifted.waits() || !lifted.shared().isEmpty()
        ? lifted.forDriver()
        : lifted.forDevice(narrow);
  }

  private static boolean awaitsEnded(CodeTarget target) {
    return target.dialect().orElseThrow() instanceof KernelDialect d && d.awaitsEnded();
  }

  private static boolean isForDevice(CodeTarget target) {
    return target.dialect().orElse(Dialect.GNU_C) instanceof KernelDialect;
  }

  /** Whether a group of the device can be a block. */
  private static boolean fits(Lifted lifted, CodeTarget target) {
    long items = lifted.axes().stream().mapToLong(Axis::size).reduce(1, (x, y) -> x * y);
    return target.devices().stream()
        .map(Device::properties)
        .allMatch(p -> items <= p.maxBlock() && lifted.sharedBytes() <= p.sharedBytes());
  }

  private static VectorSupport vectors(CodeTarget target) {
    Operations operations =
        target.vectorsBeyondArithmetic() ? Operations.ALL : Operations.ARITHMETIC;
    return new VectorSupport(target.vectorBits(), operations);
  }

  private static Contraction contraction(CodeTarget target) {
    if (target.contracts()) {
      return Contraction.NONE;
    }
    return isForDevice(target) ? Contraction.ALL : Contraction.VECTORS;
  }

  private Form make(KernelBody body, CodeTarget target, LiftOptions how, boolean fast) {
    LiftOptions options = how.withPassed(passed);
    Lifted lifted = Lifter.lift("kernel", body, options);
    boolean narrow = isForDevice(target) && target.vectorBits() == 0;
    return new Form(lifted, lifted.dense(), Lifter.name(body), target, fast, narrow, options);
  }
}
