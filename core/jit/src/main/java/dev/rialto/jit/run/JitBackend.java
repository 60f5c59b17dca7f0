package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Lowered;
import dev.rialto.jit.lower.Options;
import dev.rialto.jit.lower.Pipeline;
import dev.rialto.jit.lower.c.CPrinter;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.exec.Executor;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * A target and a scheduler: compiles programs, links them into contexts, and has devices that run
 * them.
 *
 * <p>A name such as {@code cc} means the {@code multicore} scheduler, whose devices each have a
 * queue and share the cores; {@code sync_cc} runs everything at once on the caller's thread.
 *
 * <p>Thread-safe. Closing it ends all devices; contexts and routines are closed before.
 */
public final class JitBackend implements AutoCloseable {
  private static final System.Logger LOGGER = System.getLogger("dev.rialto.jit");
  private static final String SYNC = "sync_";

  private final String name;
  private final CodeTarget target;
  private final boolean sync;
  private final Settings settings;
  private final Executor executor;
  private final List<dev.rialto.spi.device.Device> physical;
  private final List<VirtualDevice> devices = new ArrayList<>();
  private final Optional<StageDump> dump;
  private boolean closed;

  private JitBackend(String name, CodeTarget target, boolean sync, Settings settings) {
    this.name = name;
    this.target = target;
    this.sync = sync;
    this.settings = settings;
    this.dump = settings.dump().map(StageDump::new);
    this.physical = target.devices();
    this.executor =
        host()
            .openExecutor(
                sync || !physical.isEmpty() ? 1 : Runtime.getRuntime().availableProcessors());
  }

  /**
   * Opens a back end by name with the settings that the system properties give.
   *
   * @throws BackendException if there is none, with those there are; or its target cannot be used
   *     here, with the reason
   */
  public static JitBackend open(String name) {
    return open(name, Settings.fromProperties());
  }

  /**
   * Opens the back end whose code runs where a client is, so that one program serves all devices.
   *
   * @param host its name where that is the host, such as {@code cc}
   * @throws BackendException as {@link #open} does
   */
  public static JitBackend on(ComputeClient client, String host) {
    return open(compilerOf(client.device()).map(CodeTarget::name).orElse(host));
  }

  /** Returns the target that compiles for a device; none for the host, where several do. */
  public static Optional<CodeTarget> compilerOf(ComputeDevice device) {
    return targets().values().stream()
        .filter(target -> target.devices().stream().anyMatch(d -> d.name().equals(device.name())))
        .findFirst();
  }

  /** Opens a back end by name. */
  public static JitBackend open(String name, Settings settings) {
    boolean sync = name.startsWith(SYNC);
    String wanted = sync ? name.substring(SYNC.length()) : name;
    CodeTarget target = targets().get(wanted);
    if (target == null) {
      throw new BackendException(
          "there is no back end '" + name + "'", "", "those there are: " + names(), null);
    }
    if (target.probe() instanceof Probe.Unavailable(String reason, String remedy)) {
      throw new BackendException(
          "back end '" + name + "' cannot be used here: " + reason, "", remedy, null);
    }
    return new JitBackend(name, target, sync, settings);
  }

  /** Loaded once, for a target may remember what finding its compiler cost. */
  private static final class Targets {
    static final SortedMap<String, CodeTarget> LOADED = load();

    private static SortedMap<String, CodeTarget> load() {
      SortedMap<String, CodeTarget> targets = new TreeMap<>();
      for (CodeTarget target :
          ServiceLoader.load(CodeTarget.class, JitBackend.class.getClassLoader())) {
        targets.putIfAbsent(target.name(), target);
      }
      return Collections.unmodifiableSortedMap(targets);
    }
  }

  /** Returns the targets by name, also those that cannot be used here. */
  public static SortedMap<String, CodeTarget> targets() {
    return Targets.LOADED;
  }

  /** Returns the names that {@link #open} knows. */
  public static List<String> names() {
    List<String> names = new ArrayList<>();
    for (String target : targets().keySet()) {
      names.add(target);
      names.add(SYNC + target);
    }
    return names;
  }

  private static BackendProvider host() {
    return Backends.all().stream()
        .filter(provider -> provider.capabilities().contains(Capability.EXECUTOR))
        .findFirst()
        .orElseThrow(
            () -> new BackendException("no backend has an executor", "", "add rialto-cpu", null));
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns the target. */
  public CodeTarget target() {
    return target;
  }

  Executor executor() {
    return executor;
  }

  // --- Devices ----------------------------------------------------------------------------------

  /**
   * Returns how many physical devices there are: those of the target if it has any, else one per
   * core, or one if everything is sync.
   */
  public int physicalDevices() {
    if (!physical.isEmpty()) {
      return physical.size();
    }
    return sync ? 1 : Runtime.getRuntime().availableProcessors();
  }

  /** Returns how many virtual devices a physical one should be given, as the settings choose. */
  public int suggestedVirtualDevices() {
    int cores =
        physical.isEmpty()
            ? Runtime.getRuntime().availableProcessors() / physicalDevices()
            : physical.getFirst().properties().cores();
    return switch (settings.virtualDevices()) {
      case ONE -> 1;
      case PER_CORE -> cores;
    };
  }

  /** Whether routines look at what they compute. */
  boolean checks() {
    return settings.checks();
  }

  /**
   * Makes a virtual device on a physical one. Work on different ones overlaps.
   *
   * @param ordinal the physical device, from 0
   * @throws IllegalArgumentException if there is no such device
   */
  public VirtualDevice newDevice(int ordinal) {
    if (ordinal < 0 || ordinal >= physicalDevices()) {
      throw new IllegalArgumentException(
          "there is no device %d of %s; they go from 0 to %d"
              .formatted(ordinal, name, physicalDevices() - 1));
    }
    ComputeClient client =
        runsOnHost() ? Devices.host() : Devices.open(physical.get(ordinal).name());
    return newDevice(ordinal, client);
  }

  /**
   * Makes a virtual device where a client is, whose pools its memory comes from and whose limit it
   * keeps.
   *
   * @throws IllegalArgumentException if the code of this back end does not run there
   */
  public VirtualDevice newDevice(ComputeClient client) {
    ComputeDevice on = client.device();
    List<String> names = physical.stream().map(dev.rialto.spi.device.Device::name).toList();
    int ordinal = runsOnHost() && on.isHostAccessible() ? 0 : names.indexOf(on.name());
    if (ordinal < 0) {
      throw new IllegalArgumentException(
          "code of %s does not run on %s, but on %s"
              .formatted(name, on.name(), runsOnHost() ? "the host" : String.join(", ", names)));
    }
    return newDevice(ordinal, client);
  }

  private synchronized VirtualDevice newDevice(int ordinal, ComputeClient client) {
    if (closed) {
      throw new IllegalStateException("back end " + name + " is closed");
    }
    int subordinal = (int) devices.stream().filter(d -> d.ordinal() == ordinal).count();
    VirtualDevice device = new VirtualDevice(this, ordinal, subordinal, client, sync);
    devices.add(device);
    return device;
  }

  /** Whether code is called by the host's threads. */
  boolean runsOnHost() {
    return physical.isEmpty();
  }

  // --- Compiling --------------------------------------------------------------------------------

  /** Compiles a program to code that any context can be linked with. */
  public Compiled compile(Program program) {
    return compile(program, options());
  }

  Compiled compile(Program program, Options options) {
    Compiled compiled = postpone(program, options);
    var _ = compiled.code();
    return compiled;
  }

  /** Lowers a program, and leaves compiling it to the first link. */
  public Compiled postpone(Program program) {
    return postpone(program, options());
  }

  private Compiled postpone(Program program, Options options) {
    Lowered lowered = lower(program, options);
    Unit unit = unit(program.name(), lowered.procedures());
    dump.ifPresent(d -> d.write(lowered, unit));
    return new Compiled(this, program, lowered, unit, 0, null);
  }

  /**
   * Compiles programs together, which takes a C compiler hardly longer than one.
   *
   * @param name of the whole
   * @param occupied which programs are wanted; for the others the result has an empty place
   * @throws IllegalArgumentException if two programs have the same name
   */
  public List<Optional<Compiled>> compileBatch(
      String name, List<Program> programs, Predicate<Program> occupied) {
    List<Lowered> lowered = new ArrayList<>();
    List<Program> wanted = programs.stream().filter(occupied).toList();
    List<Procedure> procedures = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (Program program : wanted) {
      if (!names.add(program.name())) {
        throw new IllegalArgumentException(
            "two programs of batch " + name + " are called " + program.name() + "; rename one");
      }
      lowered.add(lower(program, options()));
      procedures.addAll(lowered.getLast().procedures());
    }
    Unit unit = unit(name, procedures);
    List<Optional<Compiled>> batch = new ArrayList<>();
    Compiled owner = null;
    int first = 0;
    for (Program program : programs) {
      int at = wanted.indexOf(program);
      if (at < 0) {
        batch.add(Optional.empty());
        continue;
      }
      dump.ifPresent(d -> d.write(lowered.get(at), unit));
      Compiled compiled = new Compiled(this, program, lowered.get(at), unit, first, owner);
      owner = owner == null ? compiled : owner;
      first += lowered.get(at).procedures().size();
      batch.add(Optional.of(compiled));
    }
    if (owner != null) {
      var _ = owner.code();
    }
    return batch;
  }

  private Lowered lower(Program program, Options options) {
    if (program.merged().size() > 1) {
      throw new IllegalArgumentException(
          "program %s reads %s from merge buffers; a device has one, so split the program"
              .formatted(program.name(), program.merged()));
    }
    return Pipeline.run(program, options);
  }

  Options options() {
    return new Options(
        settings.optimize() && !settings.checks(),
        settings.fast(),
        physical.isEmpty() ? target.vectorBits() : 0,
        !target.vectorsBeyondArithmetic(),
        settings.schedules(),
        physical.isEmpty() ? Set.of() : TargetFeatures.of(target, physical));
  }

  private Unit unit(String name, List<Procedure> procedures) {
    return new Unit(name, procedures, settings.fast(), CPrinter.print(target, procedures));
  }

  Code build(Unit unit) {
    return target.load(unit, CodeCache.image(settings, target, unit));
  }

  // --- Linking ----------------------------------------------------------------------------------

  /** Links a program into a child of a context; nodes that are missing start as zeros. */
  public Routine link(Context context, Compiled compiled) {
    return link(context, compiled, Set.of());
  }

  /**
   * Links a program into a child of a context.
   *
   * @param prior nodes that must be in the context already if the program uses them
   * @throws IllegalArgumentException if one of those is missing, the context's line of events has
   *     merged another node than the program reads, a program linked before keeps for itself what
   *     this one reads, this one keeps for itself what is bound to memory, or one of them is of
   *     another back end
   */
  public Routine link(Context context, Compiled compiled, Set<Node> prior) {
    new LinkCheck(this, context, compiled).check(prior);
    Set<Node> kept = compiled.keeps();
    Context child = context.with(compiled.lowered().context(), " of program " + compiled.name());
    child.keeps(kept, compiled.name());
    try {
      Routine routine = new Routine(compiled, child);
      LOGGER.log(Level.DEBUG, () -> "linked " + compiled.name() + " on " + context.device());
      return routine;
    } catch (RuntimeException e) {
      child.close();
      throw e;
    }
  }

  /** Links programs one after the other, each into the context that the one before it gave. */
  public List<Optional<Routine>> linkBatch(Context context, List<Optional<Compiled>> batch) {
    List<Optional<Routine>> routines = new ArrayList<>();
    Context current = context;
    for (Optional<Compiled> compiled : batch) {
      Optional<Routine> routine = Optional.empty();
      if (compiled.isPresent()) {
        routine = Optional.of(link(current, compiled.get()));
        current = routine.get().context();
      }
      routines.add(routine);
    }
    return routines;
  }

  /** Waits for all devices and ends them. Closing again does nothing. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      try {
        devices.forEach(VirtualDevice::close);
      } finally {
        executor.close();
      }
    }
  }
}
