/**
 * Joint work of ranks besides sending messages: to use a connection of their devices, and write one
 * file. Start with {@link dev.rialto.runtime.ranks.DeviceConnection}.
 */
@NullMarked
package dev.rialto.runtime.ranks;

import org.jspecify.annotations.NullMarked;
