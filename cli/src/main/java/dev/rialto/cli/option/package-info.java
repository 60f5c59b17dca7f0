/**
 * Options that several commands share, and the checks of what they were given. Start with {@link
 * dev.rialto.cli.option.DeviceOption}. What does not fit ends as a {@link
 * dev.rialto.cli.option.CommandFailure} with an exit code.
 */
@NullMarked
package dev.rialto.cli.option;

import org.jspecify.annotations.NullMarked;
