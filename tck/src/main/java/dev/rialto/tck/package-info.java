/**
 * The conformance kit: one abstract JUnit class for each interface of the SPI, with numbered
 * requirements. A backend extends those that it implements and supplies itself as the subject. The
 * same classes run inside a build and from {@code rialto conform}.
 */
@NullMarked
package dev.rialto.tck;

import org.jspecify.annotations.NullMarked;
