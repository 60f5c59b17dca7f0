/**
 * Worlds whose ranks are threads, and their communicators, made of messages, collectives and
 * windows. Start with {@link dev.rialto.local.world.LocalWorld}.
 */
@NullMarked
package dev.rialto.local.world;

import org.jspecify.annotations.NullMarked;
