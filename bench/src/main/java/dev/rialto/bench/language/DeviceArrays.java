package dev.rialto.bench.language;

import dev.rialto.array.F32Array;
import dev.rialto.array.I32Array;
import dev.rialto.array.RealArray;
import dev.rialto.array.Team;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Peer;
import dev.rialto.bench.Samples;
import dev.rialto.bench.Suite.Progress;
import dev.rialto.bench.Toolkit;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Algorithms of arrays in a GPU's memory against copies there of as many bytes as they must read
 * and write, and a sort against that of CUB where a CUDA toolkit is.
 */
public final class DeviceArrays {
  private static final String COPY = "a copy of as many bytes";
  private static final int REPEAT = 10;

  /**
   * The nanoseconds for which each algorithm runs on a few elements first, so often that the JVM
   * has compiled the steps between launches.
   */
  private static final long WARM_UP = 1_000_000_000;

  private static final int FEW = 1024;

  private static final int KEYS = 1 << 26;
  private static final int INTERVALS = 256;

  private final ComputeClient client;
  private final boolean quick;
  private final Progress progress;
  private final List<BenchRow> rows = new ArrayList<>();

  private DeviceArrays(ComputeClient client, boolean quick, Progress progress) {
    this.client = client;
    this.quick = quick;
    this.progress = progress;
  }

  /** Measures all on a device, with a folder for peers. */
  public static List<BenchRow> rows(String device, boolean quick, Path folder, Progress progress) {
    DeviceArrays cases = new DeviceArrays(Devices.open(device), quick, progress);
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm, cases.client)) {
              cases.reals(team, DType.F64);
              cases.reals(team, DType.F32);
              cases.sort(team, folder);
            }
          });
    }
    return cases.rows;
  }

  /** An algorithm that reads or writes an array so many times. */
  private record Algorithm(String name, int passes, double goal, Runnable run) {}

  private static List<Algorithm> algorithms(RealArray a, RealArray b) {
    List<Algorithm> all = new ArrayList<>();
    all.add(new Algorithm("transform", 2, 1.15, () -> b.set(a, x -> 2 * x + 1)));
    all.add(new Algorithm("reduce", 1, 1.15, a::sum));
    all.add(new Algorithm("minMax", 1, 1.15, a::minMax));
    all.add(new Algorithm("scan", 2, 1.15, () -> b.scan(a, ReduceOp.SUM)));
    if (a instanceof F32Array) {
      all.add(new Algorithm("histogram", 1, 1.2, () -> a.histogram(0, 1, INTERVALS)));
    }
    return all;
  }

  private void reals(Team team, DType type) {
    try (RealArray a = (RealArray) team.space(FEW).array(type);
        RealArray b = a.like()) {
      a.generate(i -> i);
      for (Algorithm each : algorithms(a, b)) {
        progress.check();
        long end = System.nanoTime() + WARM_UP;
        while (System.nanoTime() < end) {
          double _ = millis(each.run(), REPEAT);
        }
      }
    }
    long bytes = 1L << (quick ? 28 : 30);
    try (RealArray a = (RealArray) team.space(bytes / type.size()).array(type);
        RealArray b = a.like()) {
      a.generate(i -> ((i * 7919) & 1023) / 1024.0);
      for (Algorithm each : algorithms(a, b)) {
        rows.add(against(each, "/" + type.name().toLowerCase(Locale.ROOT), each.passes() * bytes));
      }
    }
  }

  /** Measures an algorithm that must move so many bytes. */
  private BenchRow against(Algorithm algorithm, String type, long moved) {
    Samples samples = new Samples();
    try (Buffer from = client.empty(DType.I8, moved / 2);
        Buffer to = client.empty(DType.I8, moved / 2)) {
      for (int round = 0; round < (quick ? 8 : 25); round++) {
        progress.check();
        double ours = millis(algorithm.run(), REPEAT);
        double copy = millis(() -> client.copy(from, to), REPEAT);
        if (round > 0) {
          samples.add("rialto", ours);
          samples.add("copy", copy);
        }
      }
    }
    return row(algorithm.name() + type, samples, COPY, samples.median("copy"))
        .withGoal(algorithm.goal());
  }

  private double millis(Runnable operation, int times) {
    client.sync();
    long start = System.nanoTime();
    for (int i = 0; i < times; i++) {
      operation.run();
    }
    client.sync();
    return (System.nanoTime() - start) / 1e6 / times;
  }

  /** Sorts ints; each of their four bytes must be moved by once, at least. */
  private void sort(Team team, Path folder) {
    Optional<Path> cub = Toolkit.compile("sort_peer.cu", folder);
    Samples samples = new Samples();
    try (I32Array keys = team.i32(KEYS);
        I32Array sorted = keys.like()) {
      keys.generate(i -> ((i + 1) * 0x9E3779B97F4A7C15L) >> 31);
      for (int round = 0; round < (quick ? 4 : 8); round++) {
        progress.check();
        sorted.copy(keys);
        double ours = millis(sorted::sort, 1);
        double copies = 4 * millis(() -> sorted.copy(keys), REPEAT);
        if (round > 0) {
          samples.add("rialto", ours);
          samples.add("copies", copies);
        }
      }
    }
    OptionalDouble floor = samples.median("copies");
    OptionalDouble peer = OptionalDouble.empty();
    if (cub.isPresent()) {
      Double time =
          Peer.program("CUB", cub.get(), Integer.toString(KEYS)).times(progress).get("sort");
      peer = time == null ? peer : OptionalDouble.of(time);
    }
    rows.add(
        peer.isPresent()
            ? row("sort/i32", samples, "CUB", peer).withGoal(2).withFloor(floor)
            : row("sort/i32", samples, "four copies of the keys", floor).withGoal(4));
  }

  private static BenchRow row(String name, Samples ours, String peerName, OptionalDouble peer) {
    return BenchRow.of("arrays/" + name, "ms", ours.time("rialto")).against(peerName, peer);
  }
}
