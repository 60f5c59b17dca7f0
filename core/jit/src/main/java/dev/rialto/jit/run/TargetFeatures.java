package dev.rialto.jit.run;

import dev.rialto.jit.lower.Options.Feature;
import dev.rialto.jit.lower.Pipeline;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.KernelDialect;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The features that lowering may use on all devices of a target. */
final class TargetFeatures {
  private TargetFeatures() {}

  /** Devices that are cores get no blocks: threads that wait are slow there. */
  static Set<Feature> of(CodeTarget target, List<Device> devices) {
    Set<Feature> features = EnumSet.of(Feature.THREADS);
    List<DeviceProperties> all = devices.stream().map(Device::properties).toList();
    if (target.vectorBits() == 0 && all.stream().allMatch(Pipeline::hasBlocks)) {
      features.add(Feature.BLOCKS);
    }
    if (all.stream().allMatch(d -> d.features().contains(DeviceProperties.Feature.WIDE_ATOMICS))) {
      features.add(Feature.WIDE_ATOMICS);
    }
    if (target.dialect().orElse(Dialect.GNU_C) instanceof KernelDialect dialect) {
      if (dialect.exchange(Stmt.ExchangeOp.SHUFFLE, "", "").isPresent()) {
        features.add(Feature.EXCHANGES);
      }
      if (dialect.pack("", 0).isPresent()) {
        features.add(Feature.PACKS);
      }
    }
    return features;
  }
}
