package dev.rialto.cuda;

import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.kernel.KernelCompiler.Form;
import dev.rialto.spi.kernel.LoweredKernel.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rewrites the head of a kernel, so that its text stays what its author wrote.
 *
 * <p>Counted, it takes a pointer to the count before the range and shortens the range by it.
 * Checked, each buffer is an object of the same name whose {@code []} looks at the index first:
 * outside it notes the buffer, the index and the item, once, and answers with a place of the
 * thread's own. The sizes and the note come after the range. What is not an access by {@code []},
 * such as adding to a pointer, does not compile then.
 */
final class KernelForm {
  private static final Pattern NAME = Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)\\s*$");

  /** Names of ours, which no author's text has. */
  private static final String OWN = "rialto_own_";

  private static final String CHECKED =
      """
      template <typename T> struct rialto_own_buffer {
        T *first;
        long long count, number, item;
        unsigned long long *note;
        alignas(16) char nowhere[sizeof(T)];
        __device__ rialto_own_buffer(T *f, long long bytes, long long n, long long i, void *to)
            : first(f), count(bytes / (long long)sizeof(T)), number(n), item(i),
              note((unsigned long long *)to), nowhere() {}
        __device__ T &operator[](long long index) {
          if (index >= 0 && index < count) return first[index];
          if (atomicCAS(note, 0ull, (unsigned long long)(1 + number)) == 0) {
            note[1] = (unsigned long long)index;
            note[2] = (unsigned long long)item;
          }
          return *(T *)nowhere;
        }
        __device__ T &operator*() { return (*this)[0]; }
      };
      """;

  private KernelForm() {}

  static String text(Source kernel, Form form) {
    String text = kernel.text();
    int global = text.indexOf("__global__");
    Matcher name = Pattern.compile("\\b" + Pattern.quote(kernel.name()) + "\\s*\\(").matcher(text);
    if (global < 0 || !name.find(global)) {
      throw unreadable(kernel, "it defines no __global__ function of that name");
    }
    int end = closing(text, name.end());
    int body = text.indexOf('{', end);
    List<String> parameters = split(text.substring(name.end(), end));
    int buffers = kernel.parameters().size();
    if (body < 0 || parameters.size() != buffers + 2) {
      throw unreadable(
          kernel, "it takes " + parameters.size() + " parameters and not " + (buffers + 2));
    }
    String begin = name(kernel, parameters.get(buffers));
    String last = name(kernel, parameters.get(buffers + 1));
    StringBuilder before = new StringBuilder();
    List<String> head = new ArrayList<>();
    List<String> tail = new ArrayList<>();
    for (int i = 0; i < buffers; i++) {
      String parameter = parameters.get(i);
      if (!form.checked()) {
        head.add(parameter);
        continue;
      }
      String buffer = name(kernel, parameter);
      String type =
          parameter.substring(0, parameter.lastIndexOf(buffer)).replace("__restrict__", "");
      String element = type.replace("*", "").strip();
      head.add(element + " *" + OWN + buffer);
      tail.add("long long " + OWN + "bytes_" + buffer);
      before.append(
          "\n  rialto_own_buffer<%s> %s(%s%s, %sbytes_%s, %d, %s + (long long)blockIdx.x * blockDim.x + threadIdx.x, %snote);"
              .formatted(element, buffer, OWN, buffer, OWN, buffer, i, begin, OWN));
    }
    if (form.counted()) {
      head.add("const long long *" + OWN + "count");
      before.append("\n  if (*%scount < %s) %s = *%scount;".formatted(OWN, last, last, OWN));
    }
    head.add("long long " + begin);
    head.add("long long " + last);
    head.addAll(tail);
    if (form.checked()) {
      head.add("long long *" + OWN + "note");
    }
    return (form.checked() ? CHECKED : "")
        + text.substring(0, name.end())
        + String.join(", ", head)
        + text.substring(end, body + 1)
        + before
        + text.substring(body + 1);
  }

  private static CompilationException unreadable(Source kernel, String why) {
    return new CompilationException(
        "the head of kernel " + kernel.name() + " cannot be read: " + why,
        "cuda",
        "define extern \"C\" __global__ void "
            + kernel.name()
            + "(T *buffer, ..., long long begin, long long end)",
        null);
  }

  private static String name(Source kernel, String parameter) {
    Matcher name = NAME.matcher(parameter);
    if (!name.find()) {
      throw unreadable(kernel, "parameter '" + parameter.strip() + "' has no name");
    }
    return name.group(1);
  }

  private static int closing(String text, int from) {
    int open = 1;
    int at = from;
    while (at < text.length() && open > 0) {
      char c = text.charAt(at++);
      open += c == '(' ? 1 : c == ')' ? -1 : 0;
    }
    return at - 1;
  }

  private static List<String> split(String parameters) {
    List<String> parts = new ArrayList<>();
    int open = 0;
    int from = 0;
    for (int i = 0; i < parameters.length(); i++) {
      char c = parameters.charAt(i);
      open += c == '(' || c == '<' ? 1 : c == ')' || c == '>' ? -1 : 0;
      if (c == ',' && open == 0) {
        parts.add(parameters.substring(from, i).strip());
        from = i + 1;
      }
    }
    parts.add(parameters.substring(from).strip());
    return parts;
  }
}
