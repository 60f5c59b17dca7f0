package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.error.BackendException;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NativeLibraryTest {
  private static final FunctionDescriptor ABS = FunctionDescriptor.of(JAVA_INT, JAVA_INT);

  @TempDir private Path folder;

  @Test
  void theGivenHomeIsSearchedFirst() {
    assertThat(NativeLibrary.folders("/opt/own"))
        .startsWith(Path.of("/opt/own"), Path.of("/opt/own/lib64"))
        .contains(Path.of("/usr/local/cuda/lib64"), Path.of("/usr/local/nvidia/lib64"));
    assertThat(NativeLibrary.folders(null)).doesNotContain(Path.of("/opt/own"));
  }

  @Test
  void thePlainNameIsTriedFirstThenTheNewestVersion() throws IOException {
    for (String name : List.of("libx.so.12", "libx.so", "libx.so.13", "libxy.so", "libx.a")) {
      Files.createFile(folder.resolve(name));
    }
    assertThat(NativeLibrary.files(folder, "libx"))
        .extracting(file -> file.getFileName().toString())
        .containsExactly("libx.so", "libx.so.13", "libx.so.12");
    assertThat(NativeLibrary.files(folder.resolve("absent"), "libx")).isEmpty();
  }

  @Test
  void aFileThatIsNoLibraryIsPassedOver() throws IOException {
    Files.createFile(folder.resolve("librialto-none.so"));
    assertThat(NativeLibrary.find("librialto-none", List.of(folder))).isEmpty();
  }

  @Test
  void aFunctionThatIsMissingSaysSoWhenItIsCalled() throws Throwable {
    NativeLibrary library =
        new NativeLibrary("libc", "/lib/libc.so", Linker.nativeLinker().defaultLookup());
    assertThat((int) library.function("abs", ABS).invokeExact(-7)).isEqualTo(7);
    MethodHandle missing = library.function("rialto_no_such_function", ABS);
    assertThatThrownBy(() -> missing.invokeWithArguments(1))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("/lib/libc.so has no function rialto_no_such_function");
  }
}
