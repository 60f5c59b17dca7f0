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
        in.copyOne(0, r, i);
        body.apply(in, out);
        z.copyOne(i, out, 0);
      }
    }
  }
}
