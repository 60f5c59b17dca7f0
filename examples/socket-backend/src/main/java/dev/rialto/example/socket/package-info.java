/**
 * An example of a backend written outside Rialto: ranks that talk through sockets. It shows what
 * the smallest useful backend implements and how the conformance kit checks it. It is meant to be
 * read and copied, not to be fast.
 */
@NullMarked
package dev.rialto.example.socket;

import org.jspecify.annotations.NullMarked;
