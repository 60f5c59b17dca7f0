package dev.rialto.bench.language;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.rialto.bench.Peer;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The kernels in C with OpenMP, in this process. Its threads sleep between runs: by default they
 * would spin on the cores that Rialto is measured on.
 */
public final class LanguagePeer {
  public static final String NAME = "C, gcc -O3 -march=native -fopenmp";

  private final SymbolLookup symbols;

  @SuppressWarnings("restricted")
  private LanguagePeer(Path library) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom("OMP_WAIT_POLICY");
      MemorySegment value = arena.allocateFrom("passive");
      MethodHandle set =
          Linker.nativeLinker()
              .downcallHandle(
                  Linker.nativeLinker().defaultLookup().findOrThrow("setenv"),
                  FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
      int _ = (int) set.invokeExact(name, value, 1);
    } catch (Throwable e) {
      throw new AssertionError("native code throws nothing", e);
    }
    // Never unloaded: the threads of OpenMP stay in it.
    symbols = SymbolLookup.libraryLookup(library, Arena.global());
  }

  /** Compiles the peer, or returns nothing if there is no compiler. */
  public static Optional<LanguagePeer> compile(Path folder) {
    List<String> command = new ArrayList<>(List.of("gcc", "-O3", "-march=native", "-fopenmp"));
    command.addAll(List.of("-shared", "-fPIC"));
    LanguageCase.constants(false).forEach((name, value) -> command.add("-D" + name + "=" + value));
    return Peer.compile("language_peer.c", folder, command.toArray(String[]::new))
        .map(LanguagePeer::new);
  }

  public LanguageContender of(LanguageCase each) {
    Arena own = Arena.ofShared();
    List<MemorySegment> memory = new ArrayList<>();
    MemorySegment pointers = own.allocate(ADDRESS, each.arguments().size());
    for (Object argument : each.arguments()) {
      MemorySegment from = LanguageCase.memory(argument);
      MemorySegment to = own.allocate(from.byteSize(), 64).copyFrom(from);
      pointers.setAtIndex(ADDRESS, memory.size(), to);
      memory.add(to);
    }
    MethodHandle function = function(each.name());
    return new InC(each, own, memory, pointers, function);
  }

  @SuppressWarnings("restricted")
  private MethodHandle function(String name) {
    return Linker.nativeLinker()
        .downcallHandle(symbols.findOrThrow(name), FunctionDescriptor.ofVoid(ADDRESS));
  }

  /** A case in C. */
  private record InC(
      LanguageCase each,
      Arena arena,
      List<MemorySegment> memory,
      MemorySegment pointers,
      MethodHandle function)
      implements LanguageContender {
    @Override
    public double millis() {
      long start = System.nanoTime();
      try {
        function.invokeExact(pointers);
      } catch (Throwable e) {
        throw new AssertionError("native code throws nothing", e);
      }
      return (System.nanoTime() - start) / 1e6;
    }

    @Override
    public List<MemorySegment> results() {
      for (int i = 0; i < each.results(); i++) {
        memory.get(i).copyFrom(LanguageCase.memory(each.arguments().get(i)));
      }
      double _ = millis();
      return memory.subList(0, each.results());
    }

    @Override
    public void close() {
      arena.close();
    }
  }
}
