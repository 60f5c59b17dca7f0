/**
 * Communication between ranks: messages, collectives, reductions, neighbourhoods and windows. Start
 * with {@link dev.rialto.spi.comm.Communicator}; each group of operations is an interface it
 * extends.
 */
@NullMarked
package dev.rialto.spi.comm;

import org.jspecify.annotations.NullMarked;
