package dev.rialto.cli.option;

import dev.rialto.runtime.Devices;
import dev.rialto.spi.Backends;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.BackendException;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/**
 * The option that names a device. A device that does not exist, or that a command has no use for,
 * is wrong usage: what was asked, what there is and what to do instead are told before anything
 * starts.
 */
public final class DeviceOption {
  private static final String HOST = "cpu:0";

  @Option(
      names = "--device",
      paramLabel = "NAME",
      defaultValue = HOST,
      description = "Where to compute: cpu:0, or a GPU such as cuda:0 (default: cpu:0).")
  private String name = HOST;

  /** Returns the name with a number: {@code cuda} means {@code cuda:0}. */
  public String name() {
    return name.contains(":") ? name : name + ":0";
  }

  /** Returns the backend's part of the name. */
  public String backend() {
    return name().substring(0, name().indexOf(':'));
  }

  /**
   * Returns the device.
   *
   * @throws CommandFailure of exit code 2 if there is none of that name
   */
  public Device find() {
    try {
      return Backends.get(backend()).devices().stream()
          .filter(device -> device.name().equals(name()))
          .findFirst()
          .orElseThrow(() -> missing("There is no device '" + name + "'."));
    } catch (BackendException e) {
      throw missing("--device " + name + " cannot be used: " + e.getMessage() + ".");
    }
  }

  /** Returns its number among those of its backend, from 0. */
  public int number() {
    return Backends.get(backend()).devices().indexOf(find());
  }

  private static CommandFailure missing(String problem) {
    String there = Devices.list().stream().map(Device::name).collect(Collectors.joining(", "));
    return CommandFailure.usage(
        problem, "Those there are: " + there + "; 'rialto info' tells what others lack.");
  }

  /** Returns whether the host reaches the device's memory, so that plain arrays are its arrays. */
  public boolean isHost() {
    return find().memory().properties().hostAccessible();
  }

  /**
   * Refuses a device with memory of its own, for what runs on the host alone.
   *
   * @param what the job, such as {@code rialto tune transpose}
   */
  public void requireHost(String what) {
    if (!isHost()) {
      throw CommandFailure.usage(
          what + " does not run on --device " + name + ".",
          "It runs on " + HOST + ": leave the option out.");
    }
  }
}
