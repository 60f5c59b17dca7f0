package dev.rialto.local.rank;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StandstillTest {
  private final Standstill standstill = new Standstill(2, 1000);

  private boolean looks(long steps, long polls, long otherPolls, long now) {
    standstill.note(steps, new long[] {polls, otherPolls}, now);
    return standstill.lasts();
  }

  @Test
  void ranksThatPollInVainForTheGracePeriodStandStill() {
    for (int i = 0; i < 10; i++) {
      assertThat(looks(7, i, i, 100L * i)).as("at %s", 100 * i).isFalse();
    }
    assertThat(looks(7, 10, 10, 1000)).isFalse();
    assertThat(looks(7, 12, 12, 1200)).isTrue();
  }

  @Test
  void aStepBeginsThePeriodAnew() {
    for (int i = 0; i < 100; i++) {
      assertThat(looks(i / 5, i, i, 200L * i)).isFalse();
    }
  }

  @Test
  void aRunningRankBeginsThePeriodAnew() {
    for (int i = 0; i < 100; i++) {
      if (i % 5 == 0) {
        standstill.reset();
      }
      assertThat(looks(7, i, i, 200L * i)).isFalse();
    }
  }

  @Test
  void aRankThatDoesNotGetToPollIsWaitedFor() {
    for (int i = 0; i < 100; i++) {
      assertThat(looks(7, i, 3, 1000L * i)).isFalse();
    }
  }

  @Test
  void aMachineThatStoodStillRaisesNoAlarm() {
    for (int i = 0; i < 100; i++) {
      assertThat(looks(7, i, i, i)).isFalse();
    }
    assertThat(looks(7, 101, 101, 1_000_000)).isFalse();
    assertThat(looks(7, 102, 102, 1_000_001)).isFalse();
  }
}
