package dev.rialto.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Spoils valid input in the ways in which files are spoilt: cut, repeated, overwritten, mixed. */
final class Mutator {
  /** Words that parsers stumble over. */
  private static final List<String> HARD =
      List.of(
          "-1",
          "0",
          "9223372036854775807",
          "99999999999999999999",
          "1e999",
          "NaN",
          "-0.0",
          "0x10",
          "\u0000",
          "\n",
          " ",
          "'",
          "\"",
          "(",
          ")",
          "[",
          "{",
          "}",
          ":",
          ",",
          "=",
          "x",
          "%",
          "\\u12",
          "\u00ff\u00fe",
          "((((((((((((((((((((((((((((((((");

  private final SplittableRandom random;

  Mutator(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Returns one of some inputs, spoilt in a few places. */
  byte[] next(List<byte[]> valid) {
    byte[] input = valid.get(random.nextInt(valid.size()));
    int places = 1 + random.nextInt(4);
    for (int i = 0; i < places; i++) {
      input = spoil(input, valid);
    }
    return input;
  }

  private byte[] spoil(byte[] input, List<byte[]> valid) {
    int at = random.nextInt(input.length + 1);
    int to = at + random.nextInt(Math.min(input.length - at, 64) + 1);
    return switch (random.nextInt(8)) {
      case 0 -> Arrays.copyOf(input, at);
      case 1 -> join(input, at, new byte[0], to);
      case 2 -> join(input, at, Arrays.copyOfRange(input, at, to), at);
      case 3 -> {
        byte[] word = HARD.get(random.nextInt(HARD.size())).getBytes(ISO_8859_1);
        yield join(input, at, word, random.nextBoolean() ? at : to);
      }
      case 4 -> {
        byte[] other = valid.get(random.nextInt(valid.size()));
        int from = random.nextInt(other.length + 1);
        yield join(input, at, Arrays.copyOfRange(other, from, other.length), input.length);
      }
      case 5 -> number(input, at);
      default -> {
        byte[] copy = input.clone();
        if (at < copy.length) {
          copy[at] = (byte) (random.nextBoolean() ? random.nextInt() : copy[at] ^ 1 << at % 8);
        }
        yield copy;
      }
    };
  }

  /** Replaces the next number by another: lengths, counts and ranks that lie. */
  private byte[] number(byte[] input, int after) {
    int from = after;
    while (from < input.length && !Character.isDigit(input[from])) {
      from++;
    }
    int to = from;
    while (to < input.length && Character.isDigit(input[to])) {
      to++;
    }
    long value = random.nextLong() >>> random.nextInt(64);
    return join(input, from, Long.toString(value).getBytes(ISO_8859_1), to);
  }

  private static byte[] join(byte[] input, int until, byte[] middle, int from) {
    byte[] all = Arrays.copyOf(input, until + middle.length + input.length - from);
    System.arraycopy(middle, 0, all, until, middle.length);
    System.arraycopy(input, from, all, until + middle.length, input.length - from);
    return all;
  }
}
