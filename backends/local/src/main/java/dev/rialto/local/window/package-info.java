/**
 * Windows: one-sided access is plain access to the memory of another rank. Start with {@link
 * dev.rialto.local.window.LocalWindow}.
 */
@NullMarked
package dev.rialto.local.window;

import org.jspecify.annotations.NullMarked;
