/**
 * Access to memory of other ranks: its checks, copies between layouts, and copies of what only its
 * owner may touch.
 */
@NullMarked
package dev.rialto.local.memory;

import org.jspecify.annotations.NullMarked;
