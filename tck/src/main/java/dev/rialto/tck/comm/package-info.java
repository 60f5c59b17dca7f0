/**
 * The requirements on worlds and communicators: messages, collectives, neighbourhoods and windows.
 * Each class is about one of them; {@code CommunicationTck} has what they share.
 */
@NullMarked
package dev.rialto.tck.comm;

import org.jspecify.annotations.NullMarked;
