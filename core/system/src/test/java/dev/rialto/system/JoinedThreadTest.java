package dev.rialto.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class JoinedThreadTest {
  @Test
  void aThreadThatJoinsAnotherIsSeen() throws InterruptedException {
    CountDownLatch end = new CountDownLatch(1);
    Thread joined = Thread.ofPlatform().start(() -> awaitQuietly(end));
    Thread other = Thread.ofPlatform().start(() -> awaitQuietly(end));
    Thread joining = Thread.ofPlatform().start(() -> joinQuietly(joined));
    while (joining.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(JoinedThread.of(joining, List.of(other, joined))).isSameAs(joined);
    assertThat(JoinedThread.of(joining, List.of(other))).isNull();
    assertThat(JoinedThread.of(other, List.of(joined))).isNull();
    end.countDown();
    joining.join();
    assertThat(JoinedThread.of(joining, List.of(joined))).isNull();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void joinQuietly(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
