package dev.rialto.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.error.BackendException;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class BackendsTest {
  @Test
  void unknownBackendIsNamedWithTheRemedy() {
    assertThatThrownBy(() -> Backends.get("abacus"))
        .isInstanceOf(BackendException.class)
        .hasMessageContaining("no backend 'abacus'")
        .hasMessageContaining("class path");
  }

  @Test
  void worldArgumentsAreFoundAmongOthers() {
    assertThat(WorldArguments.parse("--grid", "64", "--ranks", "3", "--comm=mpi"))
        .isEqualTo(new WorldArguments(Optional.of("mpi"), 3));
    assertThat(WorldArguments.parse()).isEqualTo(new WorldArguments(Optional.empty(), 0));
  }

  @Test
  void wrongWorldArgumentsAreNamed() {
    assertThatThrownBy(() -> WorldArguments.parse("--ranks", "0"))
        .hasMessageContaining("--ranks 0");
    assertThatThrownBy(() -> WorldArguments.parse("--ranks=two"))
        .hasMessageContaining("--ranks two");
    assertThatThrownBy(() -> WorldArguments.parse("--comm")).hasMessageContaining("needs a value");
    assertThatThrownBy(() -> World.local(0)).hasMessageContaining("0 ranks");
  }

  /** A new operation that forgot its default would otherwise break every backend at once. */
  @Test
  void everyOperationOfAPointToPointBackendIsRefusedUntilDeclared() {
    long withoutDefault =
        Arrays.stream(PointToPoint.class.getMethods())
            .filter(m -> !m.isDefault() && !java.lang.reflect.Modifier.isStatic(m.getModifiers()))
            .count();
    assertThat(withoutDefault).as("name, rank, size, capabilities").isEqualTo(4);
  }
}
