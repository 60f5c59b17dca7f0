package dev.rialto.runtime;

/**
 * The label of an entry in a stream.
 *
 * @param operation what it is
 * @param footprint what it touches, and spoils if it fails
 */
record Task(Operation operation, Footprint footprint) {}
