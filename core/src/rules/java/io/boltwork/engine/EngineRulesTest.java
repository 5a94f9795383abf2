// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LockOptions;
import io.boltwork.machine.request.LockTerms;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Slice;
import io.boltwork.machine.request.Waiter;
import io.boltwork.memory.MemoryReplica;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Rules of the engine for situations that are rare even in a simulation. Each test uses a client whose clock stands
 * still, and the in-memory server.
 */
class EngineRulesTest extends EngineScene {

    private static final LockOptions SECOND = LockOptions.renewedLease(Duration.ofSeconds(1));
    private static final LockOptions MINUTE = LockOptions.renewedLease(Duration.ofMinutes(1));

    private static Request request(LockOptions options) {
        return Request.of(
                new StillContext(), 1, Waiter.of(Thread.currentThread(), LockTerms.of(options), false, false), 0);
    }

    @Test
    void anExtensionForgottenByTheServerIsRestoredInFull() {
        Lease lease = client.lock(SECOND).acquire();
        lease.extend(Duration.ofSeconds(30));
        client.server.delete("lock");
        client.passTo(client.now() + 2_000 * MILLI);
        QueryReply.Inspected key = look();
        assertThat(key.owner()).isEqualTo("c:1");
        assertThat(key.untilMillis() - key.server().millis())
                .isGreaterThanOrEqualTo(lease.remaining().toMillis());
        lease.release();
    }

    @Test
    void theRestOfAFixedLeaseIsRestoredWithItsAllowance() {
        Lease lease =
                client.lock(LockOptions.fixedLease(Duration.ofSeconds(20))).acquire();
        client.passTo(client.now() + 5_000 * MILLI);
        client.server.delete("lock");
        client.engine.backendWatch.connected(client.server.time()); // so that the lease is verified
        QueryReply.Inspected key = look();
        assertThat(key.owner()).isEqualTo("c:1");
        assertThat((key.untilMillis() - key.server().millis()) * 99 / 100)
                .isGreaterThanOrEqualTo(lease.remaining().toMillis());
        lease.release();
    }

    @Test
    void aHoldThatCannotBeReleasedIsNotRestored() throws InterruptedException {
        holdElsewhere(10_000);
        client.schedule(this::freeElsewhere, 1_000 * MILLI); // grants the lock to the thread, which ends
        inThread("the owner", () -> client.lock(SECOND).lock());
        client.server.delete("lock");
        client.passTo(client.now() + 400 * MILLI); // a third of its claim, when it would have to be confirmed
        assertThat(look().owner()).isNull();
    }

    @Test
    void anAnswerWithAnOlderTokenDisplacesNoHold() {
        anOldAnswerDisplacesNoHold(MILLI);
    }

    @Test
    void anAnswerRequestedWhenTheHoldBeganDisplacesNoHold() {
        anOldAnswerDisplacesNoHold(0);
    }

    private void anOldAnswerDisplacesNoHold(long older) {
        holdElsewhere(10_000);
        CompletableFuture<Lease> first = client.lock(FIFO).acquireAsync().toCompletableFuture();
        CompletableFuture<Lease> second = client.lock(FIFO).acquireAsync().toCompletableFuture();
        long asked = client.now();
        client.moveTo(asked + older);
        client.server.execute(new Command.Withdraw("lock", "other:1", 0));
        Lease held = granted(first);
        Reply.Acquired old = new Reply.Acquired(
                client.server.time(), Reply.Verdict.GRANTED, held.fencingToken() - 10_000, 0, 0, true, "c:2");
        Command.Acquire ask = new Command.Acquire("lock", "c:2", true, 1_000, 0, Long.MAX_VALUE);
        client.engine.drivers.post("lock", driver -> driver.machine.answered(ask, asked, old));
        assertThat(held.isValid()).isTrue();
        assertThat(second).isNotDone();
        held.release();
        granted(second).release();
    }

    @Test
    void aGrantThatEndsBeforeTheMinHoldDoesNotCount() {
        Request request = request(SECOND.withMinHold(Duration.ofMillis(500)));
        assertThat(request.suffices(600 * MILLI, 0, false)).isTrue();
        assertThat(request.suffices(400 * MILLI, 0, false)).isFalse();
    }

    @Test
    void aHoldIsNotHandedOverAfterItsDeadline() {
        Request request = request(SECOND);
        request.startHold(500 * MILLI, 1, true, 0);
        request.occupied(0);
        assertThat(Slice.allowsHandover(request, 499 * MILLI, 1_000 * MILLI)).isTrue();
        assertThat(Slice.allowsHandover(request, 500 * MILLI, 1_000 * MILLI)).isFalse();
    }

    @Test
    void anUnansweredNudgeIsRepeated() {
        client.lock(SECOND).acquire().release();
        Reply.Failed failed = new Reply.Failed(true, new BackendException("broken", true, null));
        client.engine.drivers.post(
                "lock", driver -> driver.machine.answered(new Command.Withdraw("lock", null, 0), client.now(), failed));
        assertThat(machine().wakeAt()).isLessThanOrEqualTo(client.now() + 100 * MILLI);
    }

    @Test
    void aWithdrawalThatCausedAGrantIsFollowedByANudge() {
        client.lock(SECOND).acquire().release();
        Reply.Withdrawn granted = new Reply.Withdrawn(client.server.time(), true, 500, "dead:1");
        client.engine.drivers.post(
                "lock",
                driver -> driver.machine.answered(new Command.Withdraw("lock", "c:7", 0), client.now(), granted));
        assertThat(machine().wakeAt()).isLessThanOrEqualTo(client.now() + 501 * MILLI);
    }

    @Test
    void aReleaseLostInAFailoverIsRepeated() {
        client.engine.backendWatch.connected(client.server.time());
        Lease lease = client.lock(SECOND).acquire();
        MemoryReplica behind = client.server.replica();
        lease.release();
        client.server.failOver(behind);
        assertThat(look().owner()).isEqualTo("c:1");
        client.engine.backendWatch.connected(client.server.time());
        assertThat(look().owner()).isNull();
    }

    @Test
    void anOutageOfAnyLengthDoesNotAgeTheReleasesBeforeIt() {
        client.engine.backendWatch.connected(client.server.time());
        Lease lease = client.lock(MINUTE).acquire();
        MemoryReplica behind = client.server.replica();
        lease.release();
        pass(9_000);
        client.engine.backendWatch.disconnected(new IllegalStateException("broken"));
        pass(20_000);
        client.server.failOver(behind);
        client.engine.backendWatch.connected(client.server.time());
        assertThat(look().owner()).isNull();
    }

    @Test
    void releasesTooOldForAReplicaAreNotRepeated() {
        client.engine.backendWatch.connected(client.server.time());
        client.lock(MINUTE).acquire().release();
        pass(10_001);
        forget();
        client.server.failOver(client.server.replica());
        client.engine.backendWatch.connected(client.server.time());
        assertThat(withdrawn()).isEmpty();
    }

    @Test
    void aGrantForAFinishedRequestIsWithdrawn() {
        client.server.execute(new Command.Acquire("lock", "c:99", true, 10_000, 0, Long.MAX_VALUE));
        client.engine.backendWatch.granted(new Grant("lock", "c:99", look().token(), 10_000, client.server.time()));
        assertThat(look().owner()).isNull();
    }

    @Test
    void aClosedMachineGrantsNothing() {
        client.lock(SECOND).acquire().release();
        Waiter waiter = Waiter.ofHandle(LockTerms.of(SECOND), false);
        client.engine.drivers.post("lock", driver -> {
            driver.machine.close();
            driver.machine.request(waiter);
        });
        assertThat(waiter.outcome.value()).isInstanceOf(Waiter.Failed.class);
    }
}
