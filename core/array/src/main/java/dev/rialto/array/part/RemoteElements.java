package dev.rialto.array.part;

import dev.rialto.spi.Capability;

/**
 * Single elements of an array, wherever they are. Not collective; those of other ranks need {@link
 * Capability#WINDOWS}.
 */
public final class RemoteElements {
  private RemoteElements() {}

  public static long[] fetch(Operand array, long... index) {
    return Elements.of(array.type()).read(place(array, index).read(array.type()));
  }

  public static void put(Operand array, long[] words, long... index) {
    Elements elements = Elements.of(array.type());
    place(array, index).write(array.type(), address -> elements.write(address, words));
  }

  private static Storage.Place place(Operand array, long... index) {
    long element = array.element(index);
    RankPart own = array.usable("reading or writing");
    array.requireHost("an element");
    return array.isView()
        ? array.shown().part().access(array.shown().element(index))
        : own.access(element);
  }

  /** Waits until what was put is where it belongs. */
  public static void flush(Operand array) {
    RankPart own = array.usable("synchronizing");
    (array.isView() ? array.shown().part() : own).flush();
  }
}
