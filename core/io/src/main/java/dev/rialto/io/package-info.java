/** Files and pictures that other programs read. */
@NullMarked
package dev.rialto.io;

import org.jspecify.annotations.NullMarked;
