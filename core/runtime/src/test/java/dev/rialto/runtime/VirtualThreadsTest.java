package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VirtualThreadsTest {
  @ParameterizedTest
  @ValueSource(strings = {"cpu", "cuda", "opencl"})
  @Tag("gpu")
  void tenThousandVirtualThreadsShareAClient(String name) throws Exception {
    int threads = 10_000;
    try (ComputeDevice device = ComputeDevice.open(Kernels.device(name));
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
      ComputeClient client = device.client();
      Kernel increment = Kernels.increment(client);
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
