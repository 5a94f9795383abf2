// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.spi.Command;
import io.boltwork.spi.ConditionWait;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Signal;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.junit.jupiter.api.Test;

/**
 * Rules of the engine for threads that wait for conditions, and for their signals. Time passes while a thread waits.
 */
@SuppressWarnings("WaitNotInLoop") // the tests are about single waits
class ConditionWaitRulesTest extends EngineScene {
    private static final Signal ONE = new Signal("c", 1);

    private final FencedLock lock = client.lock(TEN);
    private final Condition condition = lock.condition("c");

    /** Lets another client signal after that time. */
    private void signalElsewhereAfter(long millis) {
        client.schedule(
                () -> {
                    Acquired granted = client.server.execute(
                            new Command.Acquire("lock", "other:1", false, 1_000, 0, Long.MAX_VALUE));
                    assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
                    client.server.execute(new Command.Release(
                            "lock",
                            "other:1",
                            granted.token(),
                            granted.token(),
                            0,
                            null,
                            HeldShare.WHOLE,
                            List.of(ONE)));
                },
                millis * MILLI);
    }

    /** Returns the polls of requests that wait for a signal, or no longer do. */
    private List<Command.Acquire> asked(boolean goesOn) {
        return sent(Command.Acquire.class).stream()
                .filter(acquire -> new ConditionWait("c", goesOn).equals(acquire.condition()))
                .toList();
    }

    private Command.Release lastRelease() {
        List<Command.Release> releases = sent(Command.Release.class);
        return releases.get(releases.size() - 1);
    }

    private Acquired waiting(String run) {
        ServerTime server = new ServerTime(time().millis(), run);
        return new Acquired(server, Verdict.WAITING, 0, 0, 0, true, null);
    }

    // ---- waiting

    @Test
    void aWaitBeginsWithTheReleaseAndEndsWithTheGrant() throws InterruptedException {
        lock.lock();
        forget();
        signalElsewhereAfter(1_000);
        assertThat(condition.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(now()).isEqualTo(1_000);
        assertThat(sent).as("the release alone").hasSize(1);
        assertThat(lastRelease().next().condition()).isEqualTo(new ConditionWait("c", true));
        lock.unlock();
    }

    @Test
    void aWaitRestoresAllLevels() throws InterruptedException {
        lock.lock();
        lock.lock();
        signalElsewhereAfter(10);
        condition.await();
        assertThat(lock.holdCount()).isEqualTo(2);
        lock.unlock();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
        assertThat(client.isFree()).isTrue();
    }

    @Test
    void aWaiterPollsEveryFiveSeconds() throws InterruptedException {
        lock.lock();
        forget();
        signalElsewhereAfter(16_000);
        condition.await();
        assertThat(timesOf(Command.Acquire.class)).containsExactly(5_000L, 10_000L, 15_000L);
        assertThat(asked(true)).hasSize(3);
        lock.unlock();
    }

    @Test
    void aWaiterOfALostMessageLearnsByItsPoll() throws InterruptedException {
        lock.lock();
        client.server.unsubscribe("c");
        client.server.subscribe("c", grant -> {});
        signalElsewhereAfter(4_000);
        condition.await(); // its claim has not lapsed by the poll
        assertThat(now()).isEqualTo(5_000);
        lock.unlock();
    }

    @Test
    void aTimedWaiterAsksForTheLock() throws InterruptedException {
        lock.lock();
        assertThat(condition.await(700, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(now()).isEqualTo(700);
        assertThat(asked(false)).hasSize(1);
        lock.unlock();
    }

    @Test
    void aWaiterAtAnotherServerIsWoken() throws InterruptedException {
        lock.lock();
        answers(command ->
                command instanceof Command.Acquire acquire && new ConditionWait("c", true).equals(acquire.condition())
                        ? waiting("another run")
                        : client.execute(command));
        condition.await();
        assertThat(now()).isEqualTo(5_000);
        assertThat(asked(false)).hasSize(1);
        answersAgain();
        lock.unlock();
    }

    @Test
    void anOutageDoesNotEndAWait() throws InterruptedException {
        lock.lock();
        client.schedule(() -> fails(true, BROKEN), MILLI);
        client.schedule(this::answersAgain, 90_000 * MILLI);
        signalElsewhereAfter(100_000);
        condition.await();
        assertThat(now()).isEqualTo(100_000);
        lock.unlock();
    }

    @Test
    void aReleaseWithoutAnAnswerMayWakeItsWaiter() throws InterruptedException {
        lock.lock();
        isSilent();
        client.schedule(this::answersAgain, 100 * MILLI);
        condition.await(); // the server has never heard of the wait
        assertThat(sent(Command.Release.class)).hasSize(2);
        assertThat(lastRelease().next()).isNull();
        assertThat(lock.isHeldByCurrentThread()).isTrue();
        lock.unlock();
    }

    @Test
    void aWaitThatFindsItsHoldLostFails() {
        lock.lock();
        client.server.unsubscribe("c"); // it is not told
        client.server.execute(new ForceRelease("lock", 0));
        assertThatThrownBy(condition::await).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    // ---- signalling

    @Test
    void signalsGoWithTheRelease() {
        lock.lock();
        forget();
        condition.signal();
        condition.signal();
        lock.condition("all").signalAll();
        condition.signal();
        assertThat(sent).isEmpty();
        lock.unlock();
        assertThat(lastRelease().signals()).containsExactly(new Signal("c", 3), new Signal("all", Signal.ALL));
        lock.lock();
        lock.unlock();
        assertThat(lastRelease().signals()).isEmpty();
    }

    @Test
    void aRepeatedReleaseCarriesItsSignals() {
        lock.lock();
        condition.signal();
        isSilent();
        lock.unlock();
        forget();
        answersAgain();
        pass(2_000);
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(lastRelease().signals()).containsExactly(ONE);
    }

    @Test
    void aReleaseWithSignalsIsNotGivenUp() {
        lock.lock();
        condition.signal();
        isSilent();
        lock.unlock();
        pass(60_000); // no lease could be left
        forget();
        answersAgain();
        pass(4_000);
        assertThat(sent(Command.Release.class)).hasSize(1);
        assertThat(lastRelease().signals()).containsExactly(ONE);
        forget();
        pass(60_000);
        assertThat(sent(Command.Release.class)).isEmpty();
    }

    @Test
    void aReleaseWithSignalsThatIsRefusedForGoodIsGivenUp() {
        lock.lock();
        condition.signal();
        fails(false, new BackendException("no rights", false, null));
        lock.unlock();
        pass(30_000);
        forget();
        pass(60_000);
        assertThat(sent(Command.Release.class)).isEmpty();
        answersAgain();
    }

    @Test
    void theSignalsOfALostHoldAreSent() {
        lock.lock();
        condition.signal();
        client.server.execute(new ForceRelease("lock", 0));
        assertThat(lock.isHeldByCurrentThread()).isFalse();
        forget();
        pass(30_000); // its thread does not unwind
        assertThat(lastRelease().signals()).containsExactly(ONE);
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void aCallerThatFailsGivesItsSignalBack() {
        FencedLock replicated = client.lock(TEN.withReplication(Replication.atLeast(1, Duration.ofMillis(50))));
        answers(command -> command instanceof Command.Replicate replicate
                ? new Reply.Replicated(
                        time(),
                        Reply.Renewal.OK,
                        now() < 500 ? 1 : 0,
                        replicate.item().request())
                : client.execute(command));
        replicated.lock();
        signalElsewhereAfter(1_000);
        assertThatThrownBy(condition::await)
                .isInstanceOf(BackendException.class)
                .hasMessageContaining("replicas");
        assertThat(sent(Command.Withdraw.class))
                .last()
                .satisfies(withdraw -> assertThat(withdraw.signals()).containsExactly(ONE));
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        answersAgain();
    }

    @Test
    void aCallerThatWasNotSignalledGivesNothingBack() {
        LockOptions options = TEN.withReplication(Replication.atLeast(1, Duration.ofMillis(50)));
        answers(command -> command instanceof Command.Replicate replicate
                ? new Reply.Replicated(
                        time(),
                        Reply.Renewal.OK,
                        now() < 500 ? 1 : 0,
                        replicate.item().request())
                : client.execute(command));
        client.lock(options).lock();
        assertThatThrownBy(() -> condition.await(1, TimeUnit.SECONDS)).isInstanceOf(BackendException.class);
        assertThat(sent(Command.Withdraw.class))
                .last()
                .satisfies(withdraw -> assertThat(withdraw.signals()).isEmpty());
        assertThatThrownBy(lock::unlock).isInstanceOf(LeaseLostException.class);
        answersAgain();
    }
}
