package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.Backends;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class VirtualThreadsTest {
  @Test
  void tenThousandVirtualThreadsShareAClient() throws Exception {
    int threads = 10_000;
    try (ComputeDevice device = ComputeDevice.open(Backends.get("cpu").devices().getFirst());
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      ComputeClient client = device.client();
      Kernel increment = client.compile(Kernels.increment());
      try (Buffer shared = Kernels.create(client, 0);
          ComputeStream other = client.openStream()) {
        List<Future<double[]>> running = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
          int number = t;
          running.add(
              executor.submit(
                  () -> {
                    ComputeClient mine = number % 2 == 0 ? client : client.withStream(other);
                    try (Buffer own = Kernels.create(mine, number)) {
                      mine.launch(increment, 1, own);
                      mine.launch(increment, 1, shared);
                      return Kernels.doubles(mine, own);
                    }
                  }));
        }
        for (int t = 0; t < threads; t++) {
          assertThat(running.get(t).get()).containsExactly(t + 1);
        }
        assertThat(Kernels.doubles(client, shared)).containsExactly(threads);
      }
      assertThat(client.memoryUsage().used()).isZero();
    }
  }
}
