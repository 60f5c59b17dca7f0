/**
 * Measurements of Rialto against its peers and against what the machine can do at best. Rialto and
 * the peer run interleaved in one process tree, and the medians are compared. Results are rows that
 * print as a table or as JSON.
 */
@NullMarked
package dev.rialto.bench;

import org.jspecify.annotations.NullMarked;
