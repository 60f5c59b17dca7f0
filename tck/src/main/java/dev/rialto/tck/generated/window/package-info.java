/**
 * Random programs of one-sided accesses. Start with {@link
 * dev.rialto.tck.generated.window.WindowStep}, which runs what {@link
 * dev.rialto.tck.generated.window.WindowDraw} has drawn. Accesses of an epoch never conflict.
 */
@NullMarked
package dev.rialto.tck.generated.window;

import org.jspecify.annotations.NullMarked;
