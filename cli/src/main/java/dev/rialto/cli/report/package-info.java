/**
 * Pages about runs, made of their traces: one HTML file that needs nothing else. Start with {@link
 * dev.rialto.cli.report.ReportPage}; {@link dev.rialto.cli.report.TraceFile} reads what it shows.
 */
@NullMarked
package dev.rialto.cli.report;

import org.jspecify.annotations.NullMarked;
