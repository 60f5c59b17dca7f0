package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The capabilities of a communicator that algorithms need, and no more. */
class CapabilitiesTest {
  /** The capabilities of a communicator without anything optional. */
  private static final Set<Capability> FEW =
      Set.of(Capability.POINT_TO_POINT, Capability.NON_BLOCKING, Capability.COLLECTIVES);

  private static final Set<String> ALLOWED =
      Set.of(
          "name",
          "rank",
          "size",
          "maxTag",
          "toString",
          "hashCode",
          "equals",
          "send",
          "receive",
          "isend",
          "ireceive",
          "sendReceive",
          "awaitAll",
          "awaitAny",
          "barrier",
          "broadcast",
          "gather",
          "gatherV",
          "scatter",
          "scatterV",
          "allGather",
          "allGatherV",
          "allToAll",
          "allToAllV",
          "run",
          "close");

  private static final Set<String> MESSAGES =
      Set.of("send", "receive", "isend", "ireceive", "sendReceive", "awaitAll", "awaitAny");

  @TestFactory
  Stream<DynamicTest> everyAlgorithmRunsWithCollectivesAlone() {
    return Arrays.stream(Algorithms.Subject.values())
        .map(
            subject ->
                DynamicTest.dynamicTest(
                    subject.name(),
                    () ->
                        onFew(
                            3,
                            FEW,
                            team -> {
                              for (long seed = 0; seed < 8; seed++) {
                                Algorithms.run(team, subject, 7000 + seed, seed % 2 == 0);
                              }
                            })));
  }

  @TestFactory
  Stream<DynamicTest> everyAlgorithmRunsWithWhatItSaysItNeeds() {
    return Arrays.stream(Algorithms.Subject.values())
        .map(
            subject ->
                DynamicTest.dynamicTest(
                    subject.name(),
                    () ->
                        onFew(
                            3,
                            Set.of(Capability.COLLECTIVES),
                            team -> Algorithms.run(team, subject, 7100, true))));
  }

  @Test
  void halosNeedCollectivesAlone() {
    onFew(
        3,
        Set.of(Capability.COLLECTIVES),
        team -> {
          try (F64Array array = team.space(9).halo(1).periodic().f64()) {
            array.set(i -> i);
            array.updateHalo();
            int first = 3 * team.communicator().rank();
            assertThat(array.get(first - 1)).isEqualTo((first + 8) % 9);
            array.redistribute(Decomposition.block(3));
            array.updateHalo();
          }
        });
  }

  @Test
  void loopsNeedNothingAndTheRestSaysWhatItLacks() {
    onFew(
        2,
        Set.of(),
        team -> {
          try (F64Array array = team.f64(10)) {
            array.fill(1);
            array.map(x -> x + 1);
            assertThatThrownBy(array::sum)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("COLLECTIVES");
            long remote = team.communicator().rank() == 0 ? 9 : 0;
            assertThat(array.fetch(9 - remote)).isEqualTo(2);
            assertThatThrownBy(() -> array.fetch(remote))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("WINDOWS");
          }
        });
  }

  private interface OnTeam {
    void run(Team team);
  }

  private static void onFew(int ranks, Set<Capability> capabilities, OnTeam body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(limited(comm, capabilities))) {
              body.run(team);
            }
          });
    }
  }

  /** Returns a communicator that fails the test when something it does not declare is used. */
  private static Communicator limited(Communicator comm, Set<Capability> capabilities) {
    Thread owner = Thread.currentThread();
    return (Communicator)
        Proxy.newProxyInstance(
            Communicator.class.getClassLoader(),
            new Class<?>[] {Communicator.class},
            (_, method, arguments) -> {
              if (method.getName().equals("capabilities")) {
                return capabilities;
              }
              boolean asks = Set.of("name", "rank", "size", "maxTag").contains(method.getName());
              if (!ALLOWED.contains(method.getName())
                  || (!capabilities.contains(Capability.POINT_TO_POINT)
                      && MESSAGES.contains(method.getName()))) {
                throw new AssertionError(method.getName() + " was called, but is not declared");
              }
              if (!asks && !Thread.currentThread().equals(owner)) {
                throw new AssertionError(method.getName() + " was called by another thread");
              }
              try {
                return method.invoke(comm, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
