package dev.rialto.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * One measured case: Rialto's time and, where there is one, the peer's.
 *
 * @param name the case, such as {@code pingpong/local/64KiB}
 * @param unit of all times, such as {@code us}
 * @param rialto the median of Rialto's times; not a number if it was not measured
 * @param peer the median of the peer's; empty if there is none or it is not installed
 * @param peerName who the peer is, or how to install it
 * @param goal the most that Rialto's time may be of the peer's
 * @param limit the most that Rialto's time may be, whatever the peer's
 * @param floor what the hardware itself takes for the case
 * @param allocated bytes allocated on the Java heap by one operation on one rank
 */
public record BenchRow(
    String name,
    String unit,
    double rialto,
    OptionalDouble peer,
    String peerName,
    OptionalDouble goal,
    OptionalDouble limit,
    OptionalDouble floor,
    OptionalDouble allocated) {

  private static final OptionalDouble NONE = OptionalDouble.empty();

  /** Returns a row that is compared with nothing yet. */
  public static BenchRow of(String name, String unit, double rialto) {
    return new BenchRow(name, unit, rialto, NONE, "", NONE, NONE, NONE, NONE);
  }

  /** Returns this row with a peer. */
  public BenchRow against(String who, OptionalDouble time) {
    return new BenchRow(name, unit, rialto, time, who, goal, limit, floor, allocated);
  }

  /** Returns this row with the most that Rialto's time may be of the peer's; 0 for no goal. */
  public BenchRow withGoal(double most) {
    OptionalDouble part = most > 0 ? OptionalDouble.of(most) : NONE;
    return new BenchRow(name, unit, rialto, peer, peerName, part, limit, floor, allocated);
  }

  /** Returns this row with the most that Rialto's time may be; 0 for no limit. */
  public BenchRow withLimit(double most) {
    OptionalDouble time = most > 0 ? OptionalDouble.of(most) : NONE;
    return new BenchRow(name, unit, rialto, peer, peerName, goal, time, floor, allocated);
  }

  /** Returns this row with what the hardware takes. */
  public BenchRow withFloor(OptionalDouble time) {
    return new BenchRow(name, unit, rialto, peer, peerName, goal, limit, time, allocated);
  }

  /** Returns Rialto's time as a part of the peer's: lower is better. */
  public OptionalDouble ratio() {
    return peer.isPresent()
        ? OptionalDouble.of(rialto / peer.getAsDouble())
        : OptionalDouble.empty();
  }

  /** Returns whether there is something to meet: a limit, or a goal and a peer. */
  public boolean judged() {
    return limit.isPresent() || (goal.isPresent() && peer.isPresent());
  }

  /** Returns whether everything there is to meet is met. */
  public boolean met() {
    return judged()
        && (limit.isEmpty() || rialto <= limit.getAsDouble())
        && (goal.isEmpty() || peer.isEmpty() || ratio().getAsDouble() <= goal.getAsDouble());
  }

  /** Returns this row with what one operation allocates. */
  public BenchRow withAllocated(OptionalDouble bytes) {
    return new BenchRow(name, unit, rialto, peer, peerName, goal, limit, floor, bytes);
  }

  /** Returns the row as the command line's contract writes it: what is absent is left out. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("case", name);
    json.put("unit", unit);
    json.put("rialto", rialto);
    peer.ifPresent(value -> json.put("peer", value));
    json.put("peerName", peerName);
    ratio().ifPresent(value -> json.put("ratio", value));
    goal.ifPresent(value -> json.put("goal", value));
    limit.ifPresent(value -> json.put("limit", value));
    if (judged()) {
      json.put("met", met());
    }
    floor.ifPresent(value -> json.put("floor", value));
    allocated.ifPresent(value -> json.put("allocatedBytes", value));
    return json;
  }
}
