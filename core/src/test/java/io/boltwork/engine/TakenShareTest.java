// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Doors;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LeasedSemaphore;
import io.boltwork.LockInspector;
import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A shared lock that is taken away by the holder's own client. Its holders need no message. */
class TakenShareTest extends EngineScene {

    private static final LockOptions HOUR = LockOptions.fixedLease(Duration.ofHours(1));

    private final LockInspector inspector = Doors.inspector(client.engine);
    private final LeasedSemaphore semaphore = new EngineSemaphore(client.engine, "s", 3, HOUR);
    private final FencedReadWriteLock both = new EngineReadWriteLock(client.engine, "r", LockOptions.defaults());

    @BeforeEach
    void loseMessages() {
        client.server.subscribe("c", client.engine.backendWatch::granted);
    }

    private static void isTaken(Lease lease) {
        assertThat(lease.isValid()).isFalse();
        assertThat(holdOf(lease).loss()).extracting(LeaseLoss::reason).isEqualTo(LeaseLoss.Reason.TAKEN);
        assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void allHoldersOfASemaphoreLoseTheirPermits() {
        Lease one = semaphore.acquire();
        Lease two = semaphore.acquire(2);
        assertThat(inspector.forceRelease(LockKind.SEMAPHORE, "s")).isTrue();
        isTaken(one);
        isTaken(two);
        assertThat(semaphore.tryAcquire(3)).hasValueSatisfying(Lease::release);
    }

    @Test
    void oneHolderOfASemaphoreLosesItsPermits() {
        Lease one = semaphore.acquire();
        Lease two = semaphore.acquire();
        assertThat(inspector.forceRelease(LockKind.SEMAPHORE, "s", one.fencingToken()))
                .isTrue();
        isTaken(one);
        assertThat(two.isValid()).isTrue();
        two.release();
    }

    @Test
    void aHolderWithAnotherTokenLosesNothing() {
        Lease lease = semaphore.acquire();
        long other = lease.fencingToken() + 1_000_000;
        assertThat(inspector.forceRelease(LockKind.SEMAPHORE, "s", other)).isFalse();
        assertThat(inspector.forceRelease("s")).as("a plain lock").isFalse();
        assertThat(inspector.forceRelease(LockKind.READ_WRITE, "s")).isFalse();
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void aLaterHolderLosesNothing() {
        Lease before = semaphore.acquire();
        ForceRelease force = new ForceRelease("s", 0, LockKind.SEMAPHORE);
        Reply.Forced late = client.server.execute(force);
        Lease after = semaphore.acquire();
        client.engine.forced(force, late);
        isTaken(before);
        assertThat(after.isValid()).isTrue();
        after.release();
    }

    @Test
    void theAnswerOfAnEarlierRunOfTheServerIsIgnored() {
        Lease lease = semaphore.acquire();
        Reply.Forced other = new Reply.Forced(
                new ServerTime(time().millis(), "another run"), true, 0, null, null, 0, Long.MAX_VALUE);
        client.engine.forced(new ForceRelease("s", 0, LockKind.SEMAPHORE), other);
        assertThat(lease.isValid()).isTrue();
        lease.release();
    }

    @Test
    void readersThatShareAHoldLoseItTogether() {
        Lease first = both.readLock().acquireAsync().toCompletableFuture().join();
        Lease second = both.readLock().acquireAsync().toCompletableFuture().join();
        assertThat(inspector.describe(LockKind.READ_WRITE, "r").holders()).hasSize(1);
        assertThat(inspector.forceRelease(LockKind.READ_WRITE, "r", second.fencingToken()))
                .isTrue();
        isTaken(first);
        isTaken(second);
    }

    @Test
    void aWriterIsReplacedByTheNextOne() {
        Lease writer = both.writeLock().acquireAsync().toCompletableFuture().join();
        CompletableFuture<Lease> next = both.writeLock()
                .withOptions(TEN.withFairness(LockOptions.Fairness.FIFO))
                .acquireAsync()
                .toCompletableFuture();
        assertThat(next).isNotDone();
        assertThat(inspector.forceRelease(LockKind.READ_WRITE, "r")).isTrue();
        isTaken(writer);
        assertThat(granted(next).fencingToken()).isGreaterThan(writer.fencingToken());
        granted(next).release();
    }

    @Test
    void theClaimsThatItCausesAreLookedAfter() {
        Command.Acquire elsewhere = acquire("other:1", semaphorePart(3));
        client.server.execute(elsewhere);
        client.server.subscribe("silent", grant -> {});
        client.server.execute(acquire("silent:1", semaphorePart(3)));
        client.server.execute(acquire("silent:2", semaphorePart(3)));
        assertThat(inspector.forceRelease(LockKind.SEMAPHORE, "s")).isTrue();
        assertThat(sent(Command.Withdraw.class)).isEmpty();
        pass(10_000);
        assertThat(sent(Command.Withdraw.class)).as("a nudge after the claim").anySatisfy(nudge -> {
            assertThat(nudge.kind()).isEqualTo(LockKind.SEMAPHORE);
            assertThat(nudge.lock()).isEqualTo("s");
            assertThat(nudge.request()).isNull();
        });
    }

    private static Share semaphorePart(int permits) {
        return new Share(LockKind.SEMAPHORE, permits, 3, 0);
    }

    private static Command.Acquire acquire(String request, Share share) {
        return new Command.Acquire("s", request, true, 3_600_000, 0, Long.MAX_VALUE, share);
    }
}
