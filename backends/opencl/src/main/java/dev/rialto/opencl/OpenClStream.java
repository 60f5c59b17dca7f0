package dev.rialto.opencl;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.parts.DeviceStream;

/** A stream over a command queue. */
final class OpenClStream extends DeviceStream {
  private final OpenClContext context;

  private OpenClStream(OpenClContext context, long queue) {
    super("opencl", context.name(), new OpenClQueue(context, queue));
    this.context = context;
  }

  static OpenClStream open(OpenClContext context) {
    return new OpenClStream(context, context.createQueue());
  }

  /** Returns the stream behind one that a caller passes, labelled or not. */
  static OpenClStream require(Stream stream) {
    return require(OpenClStream.class, "opencl", stream);
  }

  OpenClContext context() {
    return context;
  }
}
