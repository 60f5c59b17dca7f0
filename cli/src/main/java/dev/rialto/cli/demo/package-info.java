/**
 * Poisson's equation in a periodic cube, by Fourier transforms and by conjugate gradients: the job
 * of {@code rialto demo}. Start with {@link dev.rialto.cli.demo.PoissonJob}.
 */
@NullMarked
package dev.rialto.cli.demo;

import org.jspecify.annotations.NullMarked;
