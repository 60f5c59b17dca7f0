/**
 * Makes a release from a built tree: a Maven repository, a self-contained image, the site, and
 * their checksums. {@link dev.rialto.dist.Distribution} is where to start reading.
 */
@NullMarked
package dev.rialto.dist;

import org.jspecify.annotations.NullMarked;
