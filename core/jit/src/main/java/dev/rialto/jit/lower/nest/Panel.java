package dev.rialto.jit.lower.nest;

import dev.rialto.jit.Affine;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * A tile's share of a node in a local array. Rows of a matrix are often a power of two apart, so
 * that a column of tiles falls into a few sets of the cache; side by side it does not.
 *
 * @param read what is copied
 * @param copy how the copy is read
 * @param local the array
 * @param start stands for the tile's first position
 * @param walked the summed loops that the copy goes over
 */
record Panel(Read read, Read copy, Buffer local, Iter start, List<Iter> walked) {
  /**
   * Plans the copy.
   *
   * @param name the node that is cached
   * @param along the loop over the tiles, of {@code width} positions each
   * @throws IllegalArgumentException if the body does not read the node by summed loops and, last,
   *     along the tiles
   */
  static Panel of(
      String name,
      ScalarExpression body,
      Iter along,
      int width,
      List<Iter> summed,
      Emitter.Names names) {
    Read read =
        body.reads().stream()
            .filter(r -> r.node().name().equals(name) && !r.merged())
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        name + " cannot be cached: " + body + " does not read it"));
    int last = read.index().size() - 1;
    if (last < 0) {
      throw new IllegalArgumentException(
          name + " cannot be cached: it is a single number, which registers hold anyway");
    }
    List<Symbol> axes = new ArrayList<>();
    long[] extents = new long[last + 1];
    for (int axis = 0; axis <= last; axis++) {
      Symbol symbol = read.index().get(axis).alone();
      boolean isTile = symbol == along && axis == last;
      if (symbol == null || !(isTile || summed.contains(symbol))) {
        throw new IllegalArgumentException(
            ("%s cannot be cached: %s is not read by summed axes and, last, the outermost "
                    + "one, %s")
                .formatted(name, read, along));
      }
      axes.add(symbol);
      extents[axis] = isTile ? width : symbol.size();
    }
    Node copy = new Node(name + ".local", read.type(), Shape.of(extents));
    Buffer.Storage storage = Arithmetic.storage(copy.type());
    String stem = name.replace('.', '_') + "_local";
    Buffer local =
        new Buffer(
            names.fresh(stem, Type.I64).name(), storage, copy.bytes() / storage.bytes(), true);
    Iter start = new Iter(along.name() + "_tile", along.size());
    List<Affine> index = new ArrayList<>(read.index());
    index.set(last, Affine.of(along).plus(Affine.of(start).times(-1)));
    return new Panel(
        read,
        new Read(copy, index, false),
        local,
        start,
        summed.stream().filter(axes::contains).toList());
  }

  /** Reads the copy instead. */
  ScalarExpression replaceIn(ScalarExpression scalar) {
    return scalar.rewrite(part -> part instanceof Read r && r.equals(read) ? copy : part);
  }
}
