package dev.rialto.runtime.memory;

import dev.rialto.text.Machine;
import dev.rialto.text.Table;
import java.util.ArrayList;
import java.util.List;

/**
 * The contents of the pools of a device.
 *
 * @param device the device's name
 * @param usage the sums of the device's own memory
 * @param pools those that have been used
 */
public record MemoryReport(String device, MemoryUsage usage, List<Row> pools) {

  /**
   * One pool.
   *
   * @param pool its name: the size of its blocks, or {@code large}, {@code persistent}, {@code
   *     exact}, after {@code staging} if it is the host's memory
   * @param used the bytes of live buffers, as they were asked for
   * @param peakUsed the most that has been
   * @param reserved the bytes taken from the device
   * @param peakReserved the most that has been
   * @param buffers how many are live
   */
  public record Row(
      String pool, long used, long peakUsed, long reserved, long peakReserved, int buffers) {}

  /** Copies the pools. */
  public MemoryReport {
    pools = List.copyOf(pools);
  }

  /** Returns this report with the pools of another memory of the same device, under its name. */
  public MemoryReport withOthers(String memory, MemoryReport other) {
    List<Row> rows = new ArrayList<>(pools);
    for (Row row : other.pools) {
      rows.add(
          new Row(
              memory + " " + row.pool,
              row.used,
              row.peakUsed,
              row.reserved,
              row.peakReserved,
              row.buffers));
    }
    return new MemoryReport(device, usage, rows);
  }

  /** Returns a table for people. */
  @Override
  public String toString() {
    Table table =
        Table.of("pool", "buffers", "used", "peak", "reserved", "peak").alignRight(1, 2, 3, 4, 5);
    for (Row row : pools) {
      table.row(
          row.pool(),
          row.buffers(),
          Machine.bytes(row.used()),
          Machine.bytes(row.peakUsed()),
          Machine.bytes(row.reserved()),
          Machine.bytes(row.peakReserved()));
    }
    table.row(
        device,
        pools.stream().mapToInt(Row::buffers).sum(),
        Machine.bytes(usage.used()),
        "",
        Machine.bytes(usage.reserved()),
        Machine.bytes(usage.peakReserved()));
    return table.toString();
  }
}
