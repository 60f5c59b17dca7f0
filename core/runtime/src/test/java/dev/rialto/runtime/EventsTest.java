package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** The operations of a device, as the log tells them. */
class EventsTest {
  private static final Logger LOGGER = Logger.getLogger("dev.rialto.runtime");

  @Test
  void operationsAreLoggedAtTheLevelTrace() {
    Queue<String> told = new ConcurrentLinkedQueue<>();
    Handler listener =
        new Handler() {
          @Override
          public void publish(LogRecord event) {
            told.add(event.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    listener.setLevel(Level.ALL);
    ComputeClient client = Devices.open("cpu:0");
    LOGGER.addHandler(listener);
    LOGGER.setLevel(Level.FINER);
    try (Buffer buffer = client.empty(DType.I32, 3)) {
      client.write(buffer, MemorySegment.ofArray(new int[] {1, 2, 3}));
    } finally {
      LOGGER.setLevel(null);
      LOGGER.removeHandler(listener);
    }
    assertThat(told)
        .anySatisfy(
            line -> assertThat(line).startsWith("cpu:0: ").contains("12 bytes", "EventsTest.java"));
  }
}
