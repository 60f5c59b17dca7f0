package dev.rialto.tck.generated;

import java.util.EnumSet;
import java.util.Set;

/** The collectives, as values and by the methods of their names. */
public enum Kind {
  BARRIER,
  BROADCAST,
  GATHER,
  GATHER_V,
  SCATTER,
  SCATTER_V,
  ALL_GATHER,
  ALL_GATHER_V,
  ALL_TO_ALL,
  ALL_TO_ALL_V,
  REDUCE,
  ALL_REDUCE,
  SCAN,
  EXSCAN,
  REDUCE_SCATTER,
  NEIGHBOR_ALL_GATHER,
  NEIGHBOR_ALL_GATHER_V,
  NEIGHBOR_ALL_TO_ALL,
  NEIGHBOR_ALL_TO_ALL_V;

  /** Those of all ranks that only move elements. */
  public static final Set<Kind> MOVING = EnumSet.range(BARRIER, ALL_TO_ALL_V);

  /** Those that combine elements. */
  public static final Set<Kind> COMBINING = EnumSet.range(REDUCE, REDUCE_SCATTER);

  /** Those along a topology. */
  public static final Set<Kind> ALONG_EDGES =
      EnumSet.range(NEIGHBOR_ALL_GATHER, NEIGHBOR_ALL_TO_ALL_V);

  boolean rooted() {
    return this == BROADCAST || toRoot() || fromRoot();
  }

  boolean toRoot() {
    return this == GATHER || this == GATHER_V;
  }

  boolean fromRoot() {
    return this == SCATTER || this == SCATTER_V;
  }

  /** Returns whether blocks have lengths and places of their own. */
  boolean uneven() {
    return name().endsWith("_V");
  }

  /** Returns whether each gets another block of a rank. */
  boolean toEach() {
    return name().contains("ALL_TO_ALL");
  }

  String label() {
    return Words.camel(name());
  }
}
