package dev.rialto.system;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import org.junit.jupiter.api.Test;

class OpenLibraryTest {
  private static final FunctionDescriptor ABS = FunctionDescriptor.of(JAVA_INT, JAVA_INT);

  @Test
  void aFunctionThatIsMissingSaysSoWhenItIsCalled() throws Throwable {
    OpenLibrary library = new OpenLibrary("/lib/libc.so", Linker.nativeLinker().defaultLookup());
    assertThat((int) library.function("abs", ABS).invokeExact(-7)).isEqualTo(7);
    MethodHandle missing = library.function("rialto_no_such_function", ABS);
    assertThatThrownBy(() -> missing.invokeWithArguments(1))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("/lib/libc.so has no function rialto_no_such_function");
  }
}
