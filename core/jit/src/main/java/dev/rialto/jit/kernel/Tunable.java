package dev.rialto.jit.kernel;

import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.loops.LoopsPrinter;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.system.files.TuningCache;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Work that several kernels can do, each launch of which is done by the one that is fastest here.
 *
 * {@snippet :
 * Tunable sum =
 *     Tunable.of(
 *         "sums of rows",
 *         new Tunable.Candidate("a row each", kernels, rows, size -> Shape.of(size.extent(0))),
 *         new Tunable.Candidate("a block each", kernels, blocks, size -> Shape.of(256 * size.extent(0))));
 * sum.launch(Shape.of(rows, columns), sums, matrix);
 * }
 *
 * <p>The first launch of a size runs all candidates on copies of what they write and in a stream of
 * its own: the work of other streams goes on. One that fails, or whose results are not those of the
 * first candidate, is dropped and the reason logged. The others are timed in turns, and the fastest
 * is remembered: in this object, and in the file of a {@link TuningCache} by the device and its
 * driver, the code of all candidates, and the size, each extent of which counts as the next power
 * of two. Launches by other threads meanwhile are done by the first candidate; none waits. With
 * {@code -Drialto.tuning=off} it does all of them.
 *
 * <p>Thread-safe. All candidates take the same arguments and belong to one client.
 */
public final class Tunable implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.rialto.tune");
  private static final int HASH_BYTES = 8;

  /**
   * A kernel that can do the work.
   *
   * @param name short and unique among the candidates; what the file says
   * @param settings the client, the size of blocks and how it is compiled
   * @param body the kernel
   * @param items how many items a launch has for a size of the work
   */
  public record Candidate(
      String name, JavaKernels settings, KernelBody body, UnaryOperator<Shape> items) {}

  /**
   * The measurements of a size.
   *
   * @param candidate the name of the fastest
   * @param millis how long a launch took, by candidate; empty if the answer is an earlier process's
   *     or nothing was timed
   */
  public record Answer(String candidate, Map<String, Double> millis) {
    /** Copies the times. */
    public Answer {
      millis = Map.copyOf(millis);
    }
  }

  private final String name;
  private final TuningCache cache;
  private final double tolerance;
  private final List<Candidate> candidates;
  private final IdentityHashMap<Candidate, Compiled> kernels = new IdentityHashMap<>();

  /** By classes of sizes; empty while the first launch of one measures. */
  private final Map<String, Optional<Answer>> answers = new ConcurrentHashMap<>();

  /** Candidates that failed or gave another result. */
  private final Set<String> dropped = ConcurrentHashMap.newKeySet();

  private @Nullable String code;
  private volatile boolean closed;

  /** A candidate's kernel, compiled when it is first needed. */
  private static final class Compiled {
    private @Nullable JavaKernel kernel;

    synchronized JavaKernel of(Candidate candidate) {
      JavaKernel known = kernel;
      if (known == null) {
        known = candidate.settings().compile(candidate.body());
        kernel = known;
      }
      return known;
    }

    synchronized void close() {
      if (kernel != null) {
        kernel.close();
        kernel = null;
      }
    }
  }

  private Tunable(String name, TuningCache cache, double tolerance, List<Candidate> candidates) {
    this.name = name;
    this.cache = cache;
    this.tolerance = tolerance;
    this.candidates = candidates;
    candidates.forEach(each -> kernels.put(each, new Compiled()));
  }

  /**
   * Makes work of candidates whose results have the same bits, with answers in the user's cache.
   *
   * @param name what it is, in a few words
   * @param candidates the first does what is not tuned, and its results are the right ones
   * @throws IllegalArgumentException if there are none, two have one name, or they belong to
   *     several devices
   */
  public static Tunable of(String name, Candidate... candidates) {
    List<Candidate> all = List.of(candidates);
    if (all.isEmpty()) {
      throw new IllegalArgumentException("no candidates for '" + name + "'; give at least one");
    }
    if (all.stream().map(Candidate::name).distinct().count() < all.size()) {
      throw new IllegalArgumentException(
          "two candidates for '" + name + "' have one name; give each its own");
    }
    if (all.stream().map(each -> each.settings().client().device()).distinct().count() > 1) {
      throw new IllegalArgumentException(
          "candidates for '" + name + "' on several devices; make a Tunable for each");
    }
    return new Tunable(name, TuningCache.standard(), 0, all);
  }

  /** Returns the same work with answers elsewhere; nothing is known of it. */
  public Tunable withCache(TuningCache kept) {
    return new Tunable(name, kept, tolerance, candidates);
  }

  /**
   * Returns the same work by candidates that round differently; nothing is known of it.
   *
   * @param relative the most that results may differ by, as a part of the largest of the array
   */
  public Tunable withTolerance(double relative) {
    return new Tunable(name, cache, relative, candidates);
  }

  /** Returns what is known of a size; empty if it was never launched or is being measured. */
  public Optional<Answer> answer(Shape size) {
    return answers.getOrDefault(sizes(size), Optional.empty());
  }

  /**
   * Launches the fastest candidate and returns at once, except for the first time; see above.
   *
   * @param size the extents of the work, of which candidates make items
   * @param arguments as for {@link JavaKernel#launch}
   */
  public void launch(Shape size, Object... arguments) {
    Candidate chosen = choose(size, arguments);
    kernel(chosen).launch(chosen.items().apply(size), arguments);
  }

  /**
   * Checks a launch of the fastest candidate once, to be run many times; owned by the caller.
   *
   * @param arguments buffers and numbers
   */
  public JavaKernel.Prepared prepare(Shape size, Object... arguments) {
    Candidate chosen = choose(size, arguments);
    return kernel(chosen).prepare(chosen.items().apply(size), arguments);
  }

  private Candidate choose(Shape size, Object... arguments) {
    if (closed) {
      throw new IllegalStateException(
          "a launch of '%s', which is closed; keep it open as long as it is used".formatted(name));
    }
    Candidate first = candidates.getFirst();
    if (candidates.size() == 1
        || size.count() == 0
        || "off".equals(System.getProperty("rialto.tuning"))) {
      return first;
    }
    String sizes = sizes(size);
    Optional<Answer> known = answers.putIfAbsent(sizes, Optional.empty());
    if (known == null) {
      known = Optional.of(find(sizes, size, arguments));
    }
    // The fastest of a class of sizes may not divide this one.
    return known
        .flatMap(answer -> named(answer.candidate()))
        .filter(each -> kernel(each).takes(each.items().apply(size)))
        .orElse(first);
  }

  private Optional<Candidate> named(String wanted) {
    return candidates.stream().filter(each -> each.name().equals(wanted)).findFirst();
  }

  /** Finds the answer for a size that only this thread looks for. */
  private Answer find(String sizes, Shape size, Object... arguments) {
    Answer answer = new Answer(candidates.getFirst().name(), Map.of());
    try {
      String key = key(sizes);
      Optional<Candidate> kept = cache.get(key).flatMap(this::named);
      if (kept.isPresent()) {
        answer = new Answer(kept.get().name(), Map.of());
      } else {
        answer = new TuningTrial(this, tolerance, candidates).run(size, arguments);
        cache.put(key, answer.candidate());
        LOG.log(
            Level.DEBUG,
            "{0} of {1}: {2} of {3}",
            name,
            sizes,
            answer.candidate(),
            answer.millis());
      }
    } catch (Error e) {
      // The next launch of the size tries again.
      answers.remove(sizes);
      throw e;
    } catch (RuntimeException e) {
      // What the first candidate cannot do either is told by the launch itself.
      LOG.log(
          Level.WARNING,
          "{0} of {1} is not tuned, and done by ''{2}'': {3}",
          name,
          sizes,
          answer.candidate(),
          e);
    }
    answers.put(sizes, Optional.of(answer));
    return answer;
  }

  /** Says why a candidate is no longer one. */
  void drop(Candidate candidate, String reason) {
    if (dropped.add(candidate.name())) {
      LOG.log(
          Level.WARNING,
          "candidate ''{0}'' for {1} is dropped: {2}",
          candidate.name(),
          name,
          reason);
    }
  }

  boolean isDropped(Candidate candidate) {
    return dropped.contains(candidate.name());
  }

  ComputeClient client() {
    return candidates.getFirst().settings().client();
  }

  JavaKernel kernel(Candidate candidate) {
    return Objects.requireNonNull(kernels.get(candidate)).of(candidate);
  }

  // --- Keys -------------------------------------------------------------------------------------

  private static String sizes(Shape size) {
    return LongStream.of(size.extents())
        .mapToObj(n -> Long.toString(n <= 1 ? n : Long.highestOneBit(2 * n - 1)))
        .collect(Collectors.joining("x"));
  }

  private String key(String sizes) {
    return "kernel/%s/%s/%s/%s/%s"
        .formatted(
            name,
            client().device().name(),
            client().device().properties().fingerprint(),
            code(),
            sizes);
  }

  /** Returns a few digits of everything that is compiled, and by what. */
  private synchronized String code() {
    String known = code;
    if (known == null) {
      StringBuilder all = new StringBuilder();
      candidates.forEach(each -> all.append(text(each)));
      try {
        byte[] hash =
            MessageDigest.getInstance("SHA-256")
                .digest(all.toString().getBytes(StandardCharsets.UTF_8));
        known = HexFormat.of().formatHex(hash, 0, HASH_BYTES);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JDK has SHA-256", e);
      }
      code = known;
    }
    return known;
  }

  private static String text(Candidate each) {
    JavaKernels on = each.settings();
    CodeTarget target = on.choose();
    String made;
    try {
      Lifted lifted = Lifter.lift("kernel", each.body(), on.lifting(target));
      made = LoopsPrinter.print(List.of(lifted.procedure()));
    } catch (CompilationException e) {
      made = e.getMessage();
    }
    return String.join(
        "\n", each.name(), target.name(), target.fingerprint(), on.block() + " " + on.fast(), made);
  }

  /** Gives the code of all candidates back, once the device has done all launches. */
  @Override
  public void close() {
    closed = true;
    kernels.values().forEach(Compiled::close);
  }
}
