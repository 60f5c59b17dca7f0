package dev.rialto.jit.lift.classfile;

import dev.rialto.spi.error.CompilationException;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Finds the method behind a lambda. A serializable one tells it to the stream that is to write it;
 * this stream keeps that and writes nothing.
 */
public final class LambdaSite extends ObjectOutputStream {
  /** The methods of lambdas without captured values, which are always the same. */
  private static final ClassValue<AtomicReference<@Nullable SerializedLambda>> KNOWN =
      new ClassValue<>() {
        @Override
        protected AtomicReference<@Nullable SerializedLambda> computeValue(Class<?> type) {
          return new AtomicReference<>();
        }
      };

  private @Nullable SerializedLambda found;

  private LambdaSite() throws IOException {
    super(OutputStream.nullOutputStream());
    enableReplaceObject(true);
  }

  /** Returns what a lambda tells of itself, or null if it is none or is not serializable. */
  public static @Nullable SerializedLambda find(Object lambda) {
    if (!(lambda instanceof Serializable)) {
      return null;
    }
    SerializedLambda known = KNOWN.get(lambda.getClass()).get();
    if (known != null) {
      return known;
    }
    try (LambdaSite stream = new LambdaSite()) {
      stream.writeObject(lambda);
      SerializedLambda found = stream.found;
      if (found != null && found.getCapturedArgCount() == 0) {
        KNOWN.get(lambda.getClass()).set(found);
      }
      return found;
    } catch (IOException e) {
      throw new CompilationException(
          "the method behind " + lambda.getClass().getName() + " cannot be found: " + e, "", "", e);
    }
  }

  public static SerializedLambda of(Object body) {
    SerializedLambda lambda = find(body);
    if (lambda != null) {
      return lambda;
    }
    throw new CompilationException(
        body.getClass().getName() + " is not a lambda",
        "",
        "write the kernel as a lambda or a method reference",
        null);
  }

  @Override
  protected @Nullable Object replaceObject(Object object) {
    if (object instanceof SerializedLambda lambda) {
      found = lambda;
    }
    return null;
  }
}
