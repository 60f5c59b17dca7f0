/**
 * Turns the Markdown of the tree, the records of measurements and the Javadoc into a static site
 * that works from a file system, without scripts or network. {@link dev.rialto.dist.site.Site} is
 * where to start reading.
 */
@NullMarked
package dev.rialto.dist.site;

import org.jspecify.annotations.NullMarked;
