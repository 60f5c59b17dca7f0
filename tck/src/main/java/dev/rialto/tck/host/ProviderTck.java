package dev.rialto.tck.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Tck;
import dev.rialto.tck.run.GroupTask;
import dev.rialto.tck.run.LaunchedProbe;
import dev.rialto.tck.run.NotRun;
import dev.rialto.tck.run.Refusals;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Requirements on every {@link BackendProvider}, whatever it offers: have a name, tell whether it
 * can be used, declare what it can do, and refuse the rest.
 */
public final class ProviderTck extends Tck {
  @Requirement(
      id = "PROV-001",
      text = "The name is short, in lower case, without blanks, and never changes.")
  void nameIsShortAndStable() {
    String name = backend().name();
    assertTrue(
        name.matches("[a-z0-9][a-z0-9._-]{0,31}"),
        () -> "name '" + name + "' is not 1 to 32 of a-z, 0-9, '.', '_' and '-'");
    assertEquals(name, backend().name());
  }

  @Requirement(id = "PROV-002", text = "The description is one line.")
  void descriptionIsOneLine() {
    String description = backend().description();
    assertFalse(description.isBlank(), "the description is empty");
    assertEquals(1, description.lines().count(), () -> "description: " + description);
  }

  @Requirement(id = "PROV-003", text = "Probing gives the same answer each time.")
  void probingIsRepeatable() {
    Probe first = backend().probe();
    for (int i = 0; i < 3; i++) {
      assertEquals(first, backend().probe());
    }
  }

  @Requirement(
      id = "PROV-004",
      text = "The backend can be used here: what is checked says that it is available.")
  void isAvailable() {
    assertInstanceOf(Probe.Available.class, backend().probe());
  }

  @Requirement(id = "PROV-005", text = "The declared capabilities are the same each time.")
  void capabilitiesAreStable() {
    Set<Capability> first = Set.copyOf(capabilities());
    assertEquals(first, capabilities());
    assertFalse(first.isEmpty(), "an available backend can do something");
  }

  @Requirement(
      id = "PROV-006",
      text = "Operations whose capability is not declared throw UnsupportedOperationException.")
  void undeclaredCapabilitiesAreRefused() {
    for (Capability capability : Capability.values()) {
      if (!capabilities().contains(capability) && !Refusals.ofCommunicators(capability)) {
        Refusals.check(capability, trial());
      }
    }
  }

  @Requirement(
      id = "PROV-007",
      text = "The backend is made with a public constructor without arguments.")
  void hasPublicConstructor() throws NoSuchMethodException {
    Class<?> type = backend().getClass();
    if (!Proxy.isProxyClass(type)) {
      assertTrue(Modifier.isPublic(type.getDeclaredConstructor().getModifiers()));
    }
  }

  @Requirement(
      id = "PROV-008",
      text = "What the backend declares is there: its spaces, transfer, compiler and engine.")
  void declaredPartsAreThere() {
    Set<Capability> declared = capabilities();
    if (declared.contains(Capability.MEMORY)) {
      assertNotNull(device().memory());
    }
    if (declared.contains(Capability.TRANSFER)) {
      assertNotNull(device().transfer());
    }
    if (declared.contains(Capability.KERNELS)) {
      assertNotNull(device().compiler());
    }
    if (declared.contains(Capability.FFT)) {
      assertNotNull(backend().fftEngine());
    }
  }

  private RankLauncher launcher() {
    return backend().launcher().orElseThrow(() -> new NotRun("its ranks are not processes"));
  }

  private int launch(int ranks, String... arguments) throws Exception {
    Map<String, String> environment = Map.of(LaunchedProbe.VARIABLE, "a value");
    Process process =
        launcher().launch(ranks, GroupTask.command(LaunchedProbe.class, arguments), environment);
    try {
      assertTrue(process.waitFor(LaunchedProbe.PATIENCE.toSeconds(), TimeUnit.SECONDS), "it hangs");
      return process.exitValue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Requirement(id = "PROV-009", text = "A process that was not launched is not a rank, but rank 0.")
  void launcherKnowsWhoWasLaunched() {
    assertFalse(launcher().launched(), "this process was not launched");
    assertEquals(0, launcher().rank());
  }

  @Requirement(
      id = "PROV-010",
      text = "Launching less than one rank throws IllegalArgumentException.")
  void launcherRefusesNoRanks() {
    RankLauncher launcher = launcher();
    List<String> command = GroupTask.command(LaunchedProbe.class, LaunchedProbe.EXIT, "0");
    for (int ranks : new int[] {0, -1}) {
      assertThrows(
          IllegalArgumentException.class,
          () -> launcher.launch(ranks, command, Map.of()).destroyForcibly());
    }
  }

  @Requirement(
      id = "PROV-011",
      text = "A launch ends with exit code 0 if all ranks do, else with that of a failed rank.")
  void launcherPassesExitCodesOn() throws Exception {
    assertEquals(0, launch(2, LaunchedProbe.EXIT, "0"));
    assertEquals(3, launch(2, LaunchedProbe.EXIT, "3"));
  }

  @Requirement(
      id = "PROV-012",
      text = "Launched ranks have this process's environment and what was added to it.")
  void launcherPassesTheEnvironmentOn() throws Exception {
    assertEquals(0, launch(2, LaunchedProbe.ENVIRONMENT, "a value"));
  }

  @Requirement(
      id = "PROV-013",
      text = "When one launched rank ends badly the others are ended within seconds.")
  void launcherEndsTheOthers() throws Exception {
    assertEquals(5, launch(3, LaunchedProbe.FIRST_FAILS, backend().getClass().getName()));
  }
}
