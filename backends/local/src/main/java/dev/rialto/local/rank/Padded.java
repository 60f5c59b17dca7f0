package dev.rialto.local.rank;

/**
 * An object whose fields share no cache line with those of another padded one: the padding comes
 * first, so two neighbours on the heap are always a pair of lines apart. What one rank writes all
 * the time then never slows down another.
 */
@SuppressWarnings("UnusedVariable")
public abstract class Padded {
  private long p00;
  private long p01;
  private long p02;
  private long p03;
  private long p04;
  private long p05;
  private long p06;
  private long p07;
  private long p08;
  private long p09;
  private long p10;
  private long p11;
  private long p12;
  private long p13;
  private long p14;
  private long p15;
}
