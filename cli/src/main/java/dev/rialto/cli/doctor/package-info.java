/**
 * Checks of the machine that Rialto runs on. Start with {@link dev.rialto.cli.doctor.Checkup},
 * which makes a list of {@link dev.rialto.cli.doctor.Finding}s.
 */
@NullMarked
package dev.rialto.cli.doctor;

import org.jspecify.annotations.NullMarked;
