package dev.rialto.sparse;

/** The rule for entries that are given more than once. */
public enum Duplicates {
  /** They are added up. */
  ADD,
  /** The last one counts; of several ranks, the owner's own come first, then rank by rank. */
  OVERWRITE,
  /** Assembling fails and names the entry. */
  FAIL
}
