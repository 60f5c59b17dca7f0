package dev.rialto.tck.host;

import java.util.concurrent.CountDownLatch;

/**
 * Holds a backend's threads back until it is opened. Closing opens it, so that a requirement that
 * fails leaves none of them waiting; declare it after what it holds back.
 */
final class Gate implements AutoCloseable {
  private final CountDownLatch latch = new CountDownLatch(1);

  void await() {
    Waiting.await(latch);
  }

  void open() {
    latch.countDown();
  }

  @Override
  public void close() {
    open();
  }
}
