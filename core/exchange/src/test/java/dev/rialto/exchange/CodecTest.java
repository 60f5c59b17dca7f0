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
      assertThat(e).hasMessageContaining("install it (apt install libzfp1)");
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
