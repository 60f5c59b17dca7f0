package dev.rialto.runtime;

import java.util.function.Consumer;

/**
 * A note that a launch leaves for the host in one of its buffers, which is all zero before.
 *
 * @param parameter the place of the buffer among the kernel's parameters
 * @param words how many I64 it has
 * @param look called with them after each launch that wrote some; throws what makes that one fail
 */
public record LaunchNote(int parameter, int words, Consumer<long[]> look) {}
