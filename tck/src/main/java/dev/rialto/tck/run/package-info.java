/**
 * The runner of requirements: found, given ranks that are threads or processes, ended when their
 * time is up, and refused where a capability is not declared. Start with {@link
 * dev.rialto.tck.run.RequirementRunner}.
 */
@NullMarked
package dev.rialto.tck.run;

import org.jspecify.annotations.NullMarked;
