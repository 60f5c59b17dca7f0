/**
 * The conformance kit: one abstract JUnit class for each interface of the SPI, with numbered
 * requirements.
 *
 * <p>A backend's author starts with {@link dev.rialto.tck.ConformanceSuite}, which shows all
 * requirements as tests of the backend's own build; a program with {@link
 * dev.rialto.tck.ConformanceKit}. To add a requirement, read {@link dev.rialto.tck.Requirement} and
 * {@link dev.rialto.tck.Tck}.
 */
@NullMarked
package dev.rialto.tck;

import org.jspecify.annotations.NullMarked;
