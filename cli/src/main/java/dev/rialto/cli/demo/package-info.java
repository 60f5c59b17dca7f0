/**
 * The program behind {@code rialto demo}: heat spreading in a cube that is divided among ranks.
 * Start with {@link dev.rialto.cli.demo.Heat}; {@link dev.rialto.cli.demo.Block} is a rank's part
 * of the cube and {@link dev.rialto.cli.demo.Faces} keeps neighbouring parts in step.
 */
@NullMarked
package dev.rialto.cli.demo;

import org.jspecify.annotations.NullMarked;
