package dev.rialto.jit.run;

import dev.rialto.spi.exec.Event;

/**
 * An operation that was queued on a device.
 *
 * @param name for messages, such as {@code routine step}
 * @param event done when the operation has ended
 */
record Pending(String name, Event event) {}
