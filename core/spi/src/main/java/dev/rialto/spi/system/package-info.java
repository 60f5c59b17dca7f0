/**
 * What differs between systems and processors: {@linkplain dev.rialto.spi.system.OperatingSystem
 * which system} this is, where {@linkplain dev.rialto.spi.system.LibrarySearch libraries are found}
 * on it, how wide vectors and how large caches are. Start with {@link
 * dev.rialto.spi.system.InstalledLibrary}, the table of all libraries.
 */
@NullMarked
package dev.rialto.spi.system;

import org.jspecify.annotations.NullMarked;
