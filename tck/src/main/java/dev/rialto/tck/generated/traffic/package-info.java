/**
 * Random programs of messages. Start with {@link dev.rialto.tck.generated.traffic.TrafficStep},
 * which runs what {@link dev.rialto.tck.generated.traffic.TrafficDraw} has drawn. A message is a
 * {@link dev.rialto.tck.generated.traffic.Mail}.
 */
@NullMarked
package dev.rialto.tck.generated.traffic;

import org.jspecify.annotations.NullMarked;
