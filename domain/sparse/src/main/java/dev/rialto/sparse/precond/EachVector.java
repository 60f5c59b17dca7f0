package dev.rialto.sparse.precond;

import dev.rialto.sparse.MultiVector;

/** Applies to several vectors at once what knows one: each is copied out and back. */
final class EachVector {
  private EachVector() {}

  /** What sets one vector from another. */
  @FunctionalInterface
  interface Body {
    void apply(MultiVector r, MultiVector z);
  }

  static void apply(MultiVector r, MultiVector z, Body body) {
    if (r.width() != z.width()) {
      throw new IllegalArgumentException(
          "%d vectors from %d; give as many of each".formatted(z.width(), r.width()));
    }
    if (r.width() == 1) {
      body.apply(r, z);
      return;
    }
    try (MultiVector in = new MultiVector(r.map(), r.type());
        MultiVector out = new MultiVector(z.map(), z.type())) {
      for (int i = 0; i < r.width(); i++) {
        copy(r, i, in, 0);
        body.apply(in, out);
        copy(out, 0, z, i);
      }
    }
  }

  /** Copies the owned elements of one vector; both are on the host. */
  private static void copy(MultiVector from, int source, MultiVector to, int target) {
    for (int i = 0; i < from.map().owned(); i++) {
      to.set(i, target, from.get(i, source));
    }
  }
}
