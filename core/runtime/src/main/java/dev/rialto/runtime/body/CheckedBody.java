package dev.rialto.runtime.body;

import dev.rialto.spi.kernel.LoweredKernel.Body;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs a kernel item by item, so that an access out of bounds can name its item.
 *
 * <p>The memory itself refuses the access, so nothing is ever written there; the words of the
 * refusal are searched for the buffer and the index. Words in another form lose these two, not the
 * failure.
 */
public record CheckedBody(String kernel, List<Parameter> parameters, Body body) implements Body {
  private static final Pattern REFUSAL =
      Pattern.compile(
          "address: (?:0x)?(?<address>[0-9a-fA-F]+).*byteSize: (?<size>\\d+).*"
              + "new offset = (?<offset>-?\\d+); new length = (?<length>\\d+)",
          Pattern.DOTALL);

  @Override
  public void run(long begin, long end, List<MemorySegment> buffers) {
    for (long item = begin; item < end; item++) {
      try {
        body.run(item, item + 1, buffers);
      } catch (IndexOutOfBoundsException e) {
        throw describe(item, buffers, e);
      }
    }
  }

  private IndexOutOfBoundsException describe(
      long item, List<MemorySegment> buffers, IndexOutOfBoundsException refusal) {
    IndexOutOfBoundsException described =
        new IndexOutOfBoundsException(
            "kernel '%s', item %s: %s"
                .formatted(kernel, item, place(buffers, String.valueOf(refusal.getMessage()))));
    described.initCause(refusal);
    return described;
  }

  private String place(List<MemorySegment> buffers, String refusal) {
    Matcher words = REFUSAL.matcher(refusal);
    if (words.find()) {
      long address = Long.parseUnsignedLong(words.group("address"), 16);
      long size = Long.parseLong(words.group("size"));
      for (int i = 0; i < parameters.size(); i++) {
        MemorySegment buffer = buffers.get(i);
        if (buffer.address() == address && buffer.byteSize() == size) {
          Parameter parameter = parameters.get(i);
          long element = parameter.type().size();
          long index = Math.floorDiv(Long.parseLong(words.group("offset")), element);
          return "index "
              + index
              + " is outside buffer '"
              + parameter.name()
              + "', which has "
              + size / element
              + " elements of "
              + parameter.type();
        }
      }
    }
    return "an access is out of bounds: " + refusal;
  }
}
