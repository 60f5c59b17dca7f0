package dev.rialto.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.tck.run.Delays;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;

class InterceptedTest {
  @Test
  void everythingReachedFromABackendIsIntercepted() {
    Queue<String> calls = new ConcurrentLinkedQueue<>();
    BackendProvider backend =
        Intercepted.of(
            new FakeBackend(),
            call -> {
              calls.add(call.method().getName());
              return call.proceed();
            });
    try (World world = backend.openWorld(1)) {
      world.run(comm -> comm.barrier());
      assertThat(world.call(comm -> comm.rank())).containsExactly(0);
    }
    assertThat(calls).containsExactly("openWorld", "run", "barrier", "call", "rank", "close");
  }

  @Test
  void theSameObjectHasTheSameWrapper() {
    BackendProvider backend = Intercepted.of(new FakeFft(), Intercepted.Call::proceed);
    FftEngine engine = backend.fftEngine();
    assertThat(engine).isSameAs(backend.fftEngine()).isNotInstanceOf(FakeFft.class);
  }

  @Test
  void failuresComeOutAsTheyAre() {
    BackendProvider backend = Intercepted.of(new FakeFft(), Intercepted.Call::proceed);
    FftSpec tooLong = FftSpec.of(FftSpec.Kind.DCT2, DType.F64, 2000, 1);
    assertThatThrownBy(() -> backend.fftEngine().plan(tooLong))
        .isExactlyInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> backend.openExecutor(1))
        .isExactlyInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void anInterceptorMayAnswerByItself() {
    BackendProvider backend =
        Intercepted.of(
            new FakeFft(),
            call -> call.is(BackendProvider.class, "name") ? "other" : call.proceed());
    assertThat(backend.name()).isEqualTo("other");
    assertThat(backend.capabilities()).containsExactly(Capability.FFT);
  }

  @Test
  void delaysChangeNoResult() {
    BackendProvider backend = new FakeBackend();
    Duration most = Duration.ofMillis(2);
    assertThat(Delays.in(backend, 1, Duration.ZERO)).isSameAs(backend);
    try (World world = Delays.in(backend, 1, most).openWorld(3)) {
      List<Integer> ranks =
          world.call(
              comm -> {
                comm.barrier();
                return comm.rank();
              });
      assertThat(ranks).containsExactly(0, 1, 2);
    }
  }
}
