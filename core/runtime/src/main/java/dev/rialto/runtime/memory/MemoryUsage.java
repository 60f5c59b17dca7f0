package dev.rialto.runtime.memory;

/**
 * The use of a device's memory.
 *
 * @param used the bytes of all live buffers, as they were asked for
 * @param reserved the bytes taken from the device to serve them
 * @param peakReserved the most that has been
 * @param available the bytes that the device can still give, as far as can be told
 */
public record MemoryUsage(long used, long reserved, long peakReserved, long available) {}
