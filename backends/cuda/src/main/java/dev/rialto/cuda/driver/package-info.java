/**
 * Bindings to NVIDIA's libraries, and the memory and clocks that they give. Start with {@link
 * dev.rialto.cuda.driver.Driver}; transforms, collectives and the compiler have a binding each.
 * Nothing here knows streams of Rialto.
 */
@NullMarked
package dev.rialto.cuda.driver;

import org.jspecify.annotations.NullMarked;
