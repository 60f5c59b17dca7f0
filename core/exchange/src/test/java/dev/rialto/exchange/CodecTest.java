package dev.rialto.exchange;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.exchange.codec.Codecs;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Redistribute;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Codecs alone, and every transport with them. */
class CodecTest {
  /** Codecs that can be used here, with a bound on the error for numbers up to 2. */
  private static List<String> usable() {
    List<String> usable = new ArrayList<>(List.of("lz4", "zstd", "cast", "cast:1e-2"));
    try {
      Codec _ = Codecs.parse("zfp:1e-6");
      usable.addAll(List.of("zfp:1e-6", "zfp:24bits"));
    } catch (UnsupportedOperationException e) {
      assertThat(e).hasMessageContaining("install it (apt install libzfp1");
    }
    return usable;
  }

  private static double bound(Codec codec) {
    return codec.lossless()
        ? 0
        : codec.name().startsWith("cast:") ? 2e-2 : codec.name().endsWith("bits") ? 1e-3 : 2e-6;
  }

  @Test
  void everyCodecGivesBackWhatItPromises() {
    Random random = new Random(7);
    for (String name : usable()) {
      Codec codec = Codecs.parse(name);
      for (DType type : List.of(DType.F64, DType.C128, DType.F32, DType.C64)) {
        if (codec.refusal(type).isPresent()) {
          continue;
        }
        for (int count : new int[] {0, 1, 1000, 9_000}) {
          try (Arena arena = Arena.ofConfined()) {
            boolean wide = type == DType.F64 || type == DType.C128;
            int numbers = (int) type.bytes(count) / (wide ? 8 : 4);
            MemorySegment in = arena.allocate(Math.max(type.bytes(count), 1), 64);
            for (int i = 0; i < numbers; i++) {
              double value = Math.sin(i * 1e-3) + (count == 1000 ? random.nextDouble() : 0);
              if (wide) {
                in.setAtIndex(JAVA_DOUBLE, i, value);
              } else {
                in.setAtIndex(JAVA_FLOAT, i, (float) value);
              }
            }
            MemorySegment wire = arena.allocate(Math.max(codec.bound(type, count), 1), 64);
            MemorySegment out = arena.allocate(Math.max(type.bytes(count), 1), 64);
            long bytes = codec.encode(in, type, count, wire);
            assertThat(bytes).isLessThanOrEqualTo(codec.bound(type, count));
            codec.decode(wire, bytes, out, type, count);
            for (int i = 0; i < numbers; i++) {
              double sent = wide ? in.getAtIndex(JAVA_DOUBLE, i) : in.getAtIndex(JAVA_FLOAT, i);
              double got = wide ? out.getAtIndex(JAVA_DOUBLE, i) : out.getAtIndex(JAVA_FLOAT, i);
              double most =
                  wide ? bound(codec) : Math.max(bound(codec), codec.lossless() ? 0 : 2e-2);
              assertThat(got)
                  .as("%s of %s, number %d", name, type, i)
                  .isCloseTo(sent, within(most));
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void everyTransportCarriesEncodedMessages(int ranks) {
    Shape shape = Shape.of(6, 5, 7);
    Grid x = Transpose.pencils(shape, new int[] {ranks, 1}, 2);
    Grid z = Transpose.pencils(shape, new int[] {ranks, 1}, 0);
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Arena arena = Arena.ofConfined();
                Exchanger exchanger = Exchanger.on(comm)) {
              Exchange exchange = exchanger.exchange(Transpose.plan(x, z, comm.rank()), DType.F64);
              MemorySegment in = arena.allocate(8 * exchange.plan().inputCount(), 64);
              MemorySegment out = arena.allocate(8 * exchange.plan().outputCount(), 64);
              for (long element : x.elements(comm.rank())) {
                in.setAtIndex(JAVA_DOUBLE, x.local(element), Math.sin(element * 1e-2));
              }
              for (String codec : usable()) {
                for (Scheme plain : Matrix.schemes()) {
                  Scheme scheme = new Scheme(plain.transport(), plain.staging(), codec);
                  if (scheme.refusal(exchange.plan(), DType.F64, comm).isPresent()) {
                    continue;
                  }
                  exchange.scheme(scheme);
                  for (int run = 0; run < 2; run++) {
                    out.fill((byte) 0);
                    exchange.run(in, out);
                    for (long element : z.elements(comm.rank())) {
                      assertThat(out.getAtIndex(JAVA_DOUBLE, z.local(element)))
                          .as("%s, element %d", scheme, element)
                          .isCloseTo(Math.sin(element * 1e-2), within(bound(Codecs.parse(codec))));
                    }
                  }
                  ExchangeReport report = exchange.report();
                  assertThat(report.maxError()).isLessThanOrEqualTo(bound(Codecs.parse(codec)));
                  assertThat(report.rmsError()).isLessThanOrEqualTo(report.maxError());
                  if (codec.equals("cast")) {
                    assertThat(report.ratio()).isEqualTo(2);
                    assertThat(report.maxError()).isPositive();
                  }
                }
              }
            }
          });
    }
  }

  /** Numbers that codecs find hard; the exponent runs over 12 decades for {@code wide}. */
  private static double hard(String kind, long i, Random random) {
    return switch (kind) {
      case "wide" -> random.nextGaussian() * Math.pow(10, random.nextInt(12) - 6);
      case "tiny" -> 1e-42 * random.nextGaussian();
      case "huge" -> 1e200 * random.nextGaussian();
      case "zero" -> i % 2 == 0 ? 0.0 : -0.0;
      default ->
          i % 37 == 5 ? Double.NaN : i % 41 == 7 ? Double.NEGATIVE_INFINITY : random.nextGaussian();
    };
  }

  @ParameterizedTest
  @ValueSource(strings = {"wide", "tiny", "huge", "nan", "zero"})
  void boundsHoldForNumbersThatCodecsFindHard(String kind) {
    List<String> codecs = new ArrayList<>(usable());
    if (codecs.contains("zfp:1e-6")) {
      codecs.addAll(List.of("zfp:1e-3", "zfp:1e-14"));
    }
    Shape shape = Shape.of(11, 13, 9);
    Grid x = Transpose.pencils(shape, new int[] {3, 1}, 2);
    Grid z = Transpose.pencils(shape, new int[] {3, 1}, 0);
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            for (DType type : List.of(DType.F32, DType.C128)) {
              for (String codec : codecs) {
                for (String transport : List.of("point-to-point", "rma-pull", "all-to-all")) {
                  sendHard(comm, x, z, type, kind, transport + "/bulk/" + codec);
                }
              }
            }
          });
    }
  }

  private static void sendHard(
      Communicator comm, Grid x, Grid z, DType type, String kind, String scheme) {
    Codec codec = Codecs.parse(scheme.substring(scheme.lastIndexOf('/') + 1));
    if (codec.refusal(type).isPresent()) {
      return;
    }
    int parts = type == DType.C128 ? 2 : 1;
    double[] all = new double[(int) x.shape().count() * parts];
    Random random = new Random(11);
    for (int i = 0; i < all.length; i++) {
      double number = hard(kind, i, random);
      all[i] = type == DType.F32 ? (float) number : number;
    }
    try (Arena arena = Arena.ofConfined();
        Exchanger exchanger = Exchanger.on(comm)) {
      Exchange exchange =
          exchanger.exchange(Transpose.plan(x, z, comm.rank()), type).scheme(scheme);
      MemorySegment in = arena.allocate(type.bytes(exchange.plan().inputCount()), 64);
      MemorySegment out = arena.allocate(type.bytes(exchange.plan().outputCount()), 64);
      for (long element : x.elements(comm.rank())) {
        for (int part = 0; part < parts; part++) {
          set(in, type, x.local(element) * parts + part, all[(int) element * parts + part]);
        }
      }
      exchange.run(in, out);
      for (long element : z.elements(comm.rank())) {
        for (int part = 0; part < parts; part++) {
          double sent = all[(int) element * parts + part];
          double got = get(out, type, z.local(element) * parts + part);
          boolean right =
              (codec.lossless() || !Double.isFinite(sent))
                  ? Double.compare(sent, got) == 0
                  : codec.keeps(type, sent, got);
          assertThat(right).as("%s of %s: %s became %s", scheme, type, sent, got).isTrue();
        }
      }
      ExchangeReport report = exchange.report();
      assertThat(report.maxError()).as(scheme).isFinite();
      if (kind.equals("nan") && codec.name().startsWith("zfp")) {
        assertThat(report.raw()).as(scheme).isEqualTo(report.messages());
      }
      if (kind.equals("zero") && codec.name().startsWith("cast")) {
        assertThat(report.raw()).as(scheme).isZero();
      }
    }
  }

  private static void set(MemorySegment array, DType type, long index, double number) {
    if (type == DType.C128) {
      array.setAtIndex(JAVA_DOUBLE, index, number);
    } else {
      array.setAtIndex(JAVA_FLOAT, index, (float) number);
    }
  }

  private static double get(MemorySegment array, DType type, long index) {
    return type == DType.C128
        ? array.getAtIndex(JAVA_DOUBLE, index)
        : array.getAtIndex(JAVA_FLOAT, index);
  }

  @Test
  void aCodecThatDoesNotFitIsRefusedWithTheReason() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scheme.parse("point-to-point/bulk/zip"))
        .withMessageContaining("there is no codec 'zip'");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scheme.parse("point-to-point/bulk/cast:-1"))
        .withMessageContaining("not positive");
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (Exchanger exchanger = Exchanger.on(comm)) {
              Grid one = Grid.block(Shape.of(4), 1);
              Exchange integers = exchanger.exchange(Redistribute.plan(one, one, 0), DType.I32);
              assertThatExceptionOfType(UnsupportedOperationException.class)
                  .isThrownBy(() -> integers.scheme("point-to-point/bulk/cast"))
                  .withMessageContaining("cast narrows F32, F64 and complex numbers, not I32");
              assertThatExceptionOfType(UnsupportedOperationException.class)
                  .isThrownBy(() -> integers.scheme("persistent-neighbor/bulk/lz4"))
                  .withMessageContaining("fixes lengths once, and those of lz4 vary");
              assertThatExceptionOfType(UnsupportedOperationException.class)
                  .isThrownBy(() -> integers.scheme("datatype/bulk/lz4"))
                  .withMessageContaining("does not pack, so there is nothing to encode");
            }
          });
    }
  }
}
