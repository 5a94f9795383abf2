// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.boltwork.BackendException;
import io.boltwork.Lease;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LeaseLostException;
import io.boltwork.LockKind;
import io.boltwork.LockListener;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.engine.locks.EngineReadWriteLock;
import io.boltwork.engine.locks.EngineSemaphore;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Renewal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Rules of the engine for renewals that fail: which listeners are told of, how often, and what the log has. */
class RenewalFailureRulesTest extends EngineScene {

    private final List<LockListener.RenewalFailed> failed = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final LogBook log = new LogBook();

    {
        client.engine.core.listeners.add(new LockListener() {
            @Override
            public void renewalFailed(RenewalFailed event) {
                failed.add(event);
                events.add("failed " + event.attempt());
            }

            @Override
            public void lost(Lost event) {
                events.add("lost " + event.loss().reason());
            }

            @Override
            public void restored(Restored event) {
                events.add("restored");
            }

            @Override
            public void abandoned(Abandoned event) {
                events.add("abandoned");
            }
        });
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    /** Answers renewals with that outcome, and everything else as usual. */
    private void renewalsEnd(Renewal outcome) {
        answers(command -> command instanceof Command.Renew renew
                ? new Reply.Renewed(
                        time(),
                        renew.items().stream()
                                .map(item -> new Reply.Renewed.Item(outcome, null))
                                .toList())
                : client.execute(command));
    }

    private void renewalsFail(boolean isRetryable) {
        BackendException cause = new BackendException("refused", isRetryable, null);
        answers(Command.Renew.class, new Reply.Failed(false, cause));
    }

    /** Delivers the failure of a renewal that was sent a while ago. */
    private void fails(Command.Renew renew, long sentAt) {
        happens(machine -> machine.renewalFailed(renew.items().get(0), (sentAt + 1) * MILLI, BROKEN));
    }

    // ---- what has failed

    @Test
    void anErrorIsToldAtOnce() {
        Lease lease = acquire(TEN);
        renewalsFail(false);
        pass(3_000);
        long sent = timesOf(Command.Renew.class).get(0);
        assertThat(failed).hasSize(1);
        LockListener.RenewalFailed event = failed.get(0);
        assertThat(event.kind()).isEqualTo(LockKind.LOCK);
        assertThat(event.lockName()).isEqualTo("lock");
        assertThat(event.fencingToken()).isEqualTo(lease.fencingToken());
        assertThat(event.owner()).isEqualTo("thread '" + Thread.currentThread().getName() + "'");
        assertThat(event.attempt()).isEqualTo(1);
        assertThat(event.remaining())
                .isCloseTo(Duration.ofNanos(holdOf(lease).request.deadline() - sent * MILLI), Duration.ofMillis(1));
        assertThat(event.cause()).hasMessage("refused");
        assertThat(event.cause().isRetryable()).isFalse();
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void silenceIsToldWhenTheRenewalIsRepeated() {
        acquire(TEN);
        forget();
        isSilent();
        pass(3_000);
        assertThat(sent(Command.Renew.class)).hasSize(1);
        assertThat(failed).isEmpty();
        pass(1_000);
        assertThat(sent(Command.Renew.class)).hasSize(2);
        assertThat(events).containsExactly("failed 1");
        assertThat(failed.get(0).cause()).hasMessageContaining("not answered the renewal of the lock 'lock'");
        assertThat(failed.get(0).cause().isRetryable()).isTrue();
    }

    @Test
    void aRecordThatCannotBeReadIsAFailureAndNotAskedForAtOnce() {
        Lease lease = acquire(TEN);
        forget();
        renewalsEnd(Renewal.BROKEN);
        pass(3_000);
        assertThat(events).containsExactly("failed 1");
        assertThat(failed.get(0).cause()).hasMessageContaining("cannot renew the lock 'lock'");
        client.engine.backendWatch.connected(time()); // the lease is to be confirmed
        pass(0);
        assertThat(events).containsExactly("failed 1", "failed 2");
        assertThat(sent(Command.Renew.class)).hasSize(2);
        pass(1_112);
        assertThat(events).containsExactly("failed 1", "failed 2", "failed 3");
        answersAgain();
        pass(10_000);
        assertThat(lease.isValid()).isTrue();
    }

    @Test
    void aFailedRestoreIsAFailedRenewal() {
        acquire(TEN);
        answers(Command.Restore.class, new Reply.Failed(true, BROKEN));
        client.server.delete("lock");
        pass(3_000);
        assertThat(events).containsExactly("failed 1");
        assertThat(failed.get(0).cause()).isSameAs(BROKEN);
        answersAgain();
        pass(2_000);
        assertThat(events).containsExactly("failed 1", "restored");
    }

    @Test
    void answersAndLeasesThatAreNotRenewedAreNoFailures() throws InterruptedException {
        acquire(TEN);
        renewalsEnd(Renewal.STALE);
        client.engine.backendWatch.connected(time());
        answersAgain();
        pass(4_000);
        assertThat(events).isEmpty();
        client.server.delete("lock");
        pass(4_000);
        assertThat(events).containsExactly("restored");
        client.server.delete("lock");
        holdElsewhere(60_000);
        pass(4_000);
        assertThat(events).containsExactly("restored", "lost TAKEN");
        events.clear();
        client.server.delete("lock");
        inThread("the owner", () -> new EngineLock(client.engine, "other", TEN).lock());
        pass(4_000);
        renewalsFail(true);
        pass(10_000);
        assertThat(events).containsExactly("abandoned", "lost EXPIRED");
        events.clear();
        kept(new EngineLock(client.engine, "fixed", FIXED).acquire());
        kept(new EngineLock(client.engine, "retained", TEN.withRetention(Duration.ofMinutes(1))).acquire())
                .release();
        client.engine.backendWatch.connected(time());
        pass(11_000);
        assertThat(events).containsExactly("lost EXPIRED");
    }

    // ---- how often

    @Test
    void eachAttemptIsToldOnceAndNoneAfterTheLoss() {
        for (Function<Command<?>, Reply> trouble :
                List.<Function<Command<?>, Reply>>of(command -> new Reply.Failed(false, BROKEN), command -> null)) {
            failed.clear();
            events.clear();
            Lease lease = acquire(TEN);
            forget();
            answers(trouble);
            pass(12_000);
            assertThat(failed.size()).isBetween(5, 7);
            assertThat(failed)
                    .extracting(LockListener.RenewalFailed::attempt)
                    .isEqualTo(IntStream.rangeClosed(1, failed.size()).boxed().toList());
            assertThat(failed)
                    .extracting(LockListener.RenewalFailed::remaining)
                    .isSortedAccordingTo((a, b) -> b.compareTo(a));
            assertThat(failed.get(failed.size() - 1).remaining()).isPositive();
            assertThat(events.get(events.size() - 1)).isEqualTo("lost " + Reason.EXPIRED);
            assertThat(events).hasSize(failed.size() + 1);
            answersAgain();
            assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
            pass(5_000);
        }
    }

    @Test
    void attemptsAreCountedFromTheLastSuccess() {
        acquire(TEN);
        for (int i = 0; i < 2; i++) {
            events.clear();
            renewalsFail(true);
            pass(5_000);
            assertThat(events).startsWith("failed 1", "failed 2").allMatch(event -> event.startsWith("failed"));
            answersAgain();
            pass(2_000);
        }
    }

    @Test
    void theErrorOfAnEarlierRenewalIsNotThatOfALaterOne() {
        acquire(TEN);
        forget();
        isSilent();
        pass(4_000);
        assertThat(events).containsExactly("failed 1");
        List<Command.Renew> renewals = sent(Command.Renew.class);
        List<Long> times = timesOf(Command.Renew.class);
        fails(renewals.get(0), times.get(0)); // the connection breaks, and both fail
        assertThat(events).containsExactly("failed 1");
        fails(renewals.get(1), times.get(1));
        assertThat(events).containsExactly("failed 1", "failed 2");
        assertThat(failed.get(1).cause()).isSameAs(BROKEN);
        fails(renewals.get(1), times.get(1));
        answersAgain();
        pass(2_000);
        assertThat(events).containsExactly("failed 1", "failed 2");
    }

    @Test
    void eachLockOfABatchIsToldOfOnce() {
        for (String name : List.of("a", "b", "c")) {
            kept(new EngineLock(client.engine, name, TEN).acquire());
        }
        forget();
        renewalsFail(true);
        pass(3_000);
        assertThat(sent(Command.Renew.class)).hasSize(1);
        assertThat(failed).extracting(LockListener.RenewalFailed::lockName).containsExactly("a", "b", "c");
    }

    @Test
    void permitsAndReadersOfOneRequestAreOneHold() {
        Lease permits = kept(new EngineSemaphore(client.engine, "permits", 5, TEN).acquire(3));
        EngineReadWriteLock prices = new EngineReadWriteLock(client.engine, "prices", TEN);
        Lease first =
                kept(prices.readLock().acquireAsync().toCompletableFuture().join());
        Lease second =
                kept(prices.readLock().acquireAsync().toCompletableFuture().join());
        renewalsFail(true);
        pass(3_000);
        assertThat(failed)
                .extracting(LockListener.RenewalFailed::kind, LockListener.RenewalFailed::fencingToken)
                .containsExactlyInAnyOrder(
                        tuple(LockKind.SEMAPHORE, permits.fencingToken()),
                        tuple(LockKind.READ_WRITE, first.fencingToken()));
        failed.clear();
        first.release();
        pass(1_112);
        assertThat(failed).extracting(LockListener.RenewalFailed::fencingToken).contains(second.fencingToken());
    }

    // ---- the log

    @Test
    @ResourceLock("log")
    void oneOfManyLocksIsLoggedAsAWarningInAMinute() {
        for (int i = 0; i < 90; i++) {
            kept(new EngineLock(client.engine, "lock " + i, LockOptions.renewedLease(Duration.ofSeconds(30)))
                    .acquire());
        }
        renewalsFail(true);
        pass(15_000);
        assertThat(log.entries)
                .filteredOn(entry -> entry.contains("will be lost"))
                .isEmpty();
        assertThat(log.entries)
                .filteredOn(entry -> entry.startsWith("Renewal 1 of the lock"))
                .hasSize(90);
        pass(14_000);
        assertThat(log.entries)
                .filteredOn(entry -> entry.contains("will be lost"))
                .singleElement()
                .satisfies(entry -> assertThat(entry)
                        .matches("The lock 'lock \\d+' of thread '.+' with fencing token \\d+ will be lost in"
                                + " \\d+ ms unless a renewal succeeds: refused"));
        assertThat(events).doesNotContain("lost EXPIRED");
    }
}
