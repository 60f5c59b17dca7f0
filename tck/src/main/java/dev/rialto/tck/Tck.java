package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.tck.host.Given;
import dev.rialto.tck.reference.Place;
import dev.rialto.tck.reference.RankMemory;
import dev.rialto.tck.run.Trial;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A class of requirements: the backend under test, numbers to repeat a run by, and ranks.
 *
 * <p>Each requirement runs on an instance and a thread of its own under a time limit, and one that
 * is skipped although its capability is declared counts as failed.
 */
@SuppressWarnings("exports") // The kit alone runs requirements.
public abstract class Tck {
  private @Nullable Trial trial;

  /** Makes an instance. */
  protected Tck() {}

  /** Returns the backend under test. */
  protected final BackendProvider backend() {
    return trial().backend();
  }

  /** Returns the device under test: the first of the backend's. */
  protected final Device device() {
    return backend().devices().getFirst();
  }

  /** Returns the memory of the backend's devices, staging included. */
  protected final List<MemorySpace> spaces() {
    return Place.spaces(backend());
  }

  /** Returns what the backend declares. */
  protected final Set<Capability> capabilities() {
    return backend().capabilities();
  }

  /**
   * Returns a new generator of random numbers. It is seeded by the run's seed and the requirement,
   * so every rank that asks for one gets the same numbers, and a run can be repeated.
   */
  protected final Random random() {
    return trial().random();
  }

  /** Returns where requirements note what their random cases cover. */
  protected final Coverage coverage() {
    return trial().coverage();
  }

  /** Returns how many rounds of random cases to run, from 1. */
  protected final int effort() {
    return trial().effort();
  }

  /** Returns the numbers of ranks that {@link #ranks} uses and {@link #open} takes here. */
  protected final List<Integer> rankCounts() {
    return trial().ranks().counts();
  }

  /** Runs {@code body} on all ranks of a world, for each number of ranks of this run. */
  protected final void ranks(World.RankBody body) {
    ranks(1, body);
  }

  /**
   * Runs {@code body} on all ranks of a world, for each number of ranks of this run that is {@code
   * atLeast} or more; if there is none the report says so.
   *
   * <p>Where ranks are processes each runs the requirement up to here by itself: what is decided
   * outside of {@code body} must come out the same on all.
   */
  protected final void ranks(int atLeast, World.RankBody body) {
    ranks(atLeast, Integer.MAX_VALUE, body);
  }

  /** Runs as {@link #ranks(int, World.RankBody)} does, with no more than {@code atMost} ranks. */
  protected final void ranks(int atLeast, int atMost, World.RankBody body) {
    trial().ranks().run(atLeast, atMost, body);
  }

  /**
   * Opens a world, for requirements on worlds themselves. Where ranks are processes it is the world
   * they were launched into, and is used up by this.
   *
   * @param ranks one of {@link #rankCounts}
   */
  protected final World open(int ranks) {
    return trial().ranks().open(ranks);
  }

  /**
   * Lets the calling rank fail. The other ranks' bodies still have to end well.
   *
   * @param comm the rank's communicator, inside of {@link #ranks}
   * @return what to throw, as {@code throw kill(comm)}
   */
  protected final Error kill(Communicator comm) {
    return trial().ranks().kill(comm.rank());
  }

  /** Returns this try of the requirement. */
  protected final Trial trial() {
    if (trial == null) {
      throw new IllegalStateException("this is for a requirement that has begun");
    }
    return trial;
  }

  /**
   * Runs a requirement of this instance in a try: with what its method takes, or on each rank if
   * that takes one.
   */
  public final void run(Trial begun, Requirement declared, Method method) throws Exception {
    trial = begun;
    method.setAccessible(true);
    Class<?>[] types = method.getParameterTypes();
    if (declared.with().length > 0) {
      call(method, constants(types[0], declared.with()));
    } else if (types.length == 0 || types[0] != Communicator.class) {
      Given.each(backend(), types, given -> call(method, given));
    } else {
      ranks(
          declared.ranks(),
          comm -> {
            try (RankMemory memory = new RankMemory()) {
              Object[] arguments = {comm, memory};
              call(method, Arrays.copyOf(arguments, types.length));
            }
          });
    }
  }

  /** Returns a constant of an enum, or an array of several if that is asked for. */
  private static Object constants(Class<?> type, String[] names) {
    Class<?> single = type.isArray() ? type.componentType() : type;
    Object[] found =
        Stream.of(names)
            .map(
                name ->
                    Stream.of(single.getEnumConstants())
                        .filter(each -> ((Enum<?>) each).name().equals(name))
                        .findFirst()
                        .orElseThrow())
            .toArray(n -> (Object[]) Array.newInstance(single, n));
    return type.isArray() ? found : found[0];
  }

  private void call(Method method, Object... arguments) throws Exception {
    try {
      method.invoke(this, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof Exception exception) {
        throw exception;
      }
      throw (Error) e.getCause();
    }
  }
}
