/**
 * Ranks that fail on purpose, in every kind of operation and in every phase of it. {@link
 * dev.rialto.tck.fault.FaultTck} has the requirements.
 */
@NullMarked
package dev.rialto.tck.fault;

import org.jspecify.annotations.NullMarked;
