// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.Lease;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.LockOptions;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.request.RenewalClock;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The renewer verifies leases that it does not extend. */
class FixedLeaseTest extends EngineScene {

    private static final LockOptions MINUTE = LockOptions.fixedLease(Duration.ofMinutes(1));
    private static final LockOptions THREE_SECONDS = LockOptions.fixedLease(Duration.ofSeconds(3));

    /** The ways to take a lock away from its holder without telling it. */
    enum Taking {
        FORCE,
        FLUSH,
        DELETION
    }

    private void take(Taking how) {
        switch (how) {
            case FORCE -> client.server.execute(new ForceRelease("lock", 0));
            case FLUSH -> client.server.flush();
            case DELETION -> client.server.delete("lock");
        }
        holdElsewhere(1_000_000);
    }

    private List<Command.Renew> verifications() {
        return sent(Command.Renew.class).stream()
                .filter(renew -> renew.items().stream().allMatch(RenewalClock::isVerification))
                .toList();
    }

    /** Acquires one of a test's many locks. */
    private Lease acquire(String name, LockOptions options) {
        return new EngineLock(client.engine, name, options).acquire();
    }

    /**
     * Asserts that a holder with these options is told within that time, whenever and in whatever way the lock is
     * taken.
     */
    private void isToldWithin(long millis, LockOptions options, int... moments) {
        for (Taking how : Taking.values()) {
            for (int moment : moments) {
                client.server.delete("lock");
                Lease lease = acquire(options);
                pass(moment);
                assertThat(lease.isValid()).isTrue();
                take(how);
                pass(millis + 1);
                assertThat(holdOf(lease).loss())
                        .as("%s after %d ms", how, moment)
                        .extracting(LeaseLoss::reason)
                        .isEqualTo(LeaseLoss.Reason.TAKEN);
                assertThatThrownBy(lease::release).isInstanceOf(LeaseLostException.class);
            }
        }
    }

    @Test
    void theHolderOfALongLeaseIsToldWithinTenSeconds() {
        isToldWithin(10_000, MINUTE, 100, 9_000, 23_000, 49_000);
        isToldWithin(10_000, MINUTE.withTakeoverDelay(Duration.ofSeconds(5)), 100, 49_000);
        isToldWithin(10_000, LockOptions.fixedLease(Duration.ofDays(1)), 100, 9_000, 23_000);
    }

    @Test
    void theHolderOfAShortLeaseIsToldWithinAThirdOfIt() {
        isToldWithin(1_000, THREE_SECONDS, 100, 700, 1_900);
    }

    @Test
    void aVerificationDoesNotExtendTheLocalLease() {
        Lease lease = acquire(THREE_SECONDS);
        Duration before = lease.remaining();
        forget();
        pass(2_000);
        assertThat(verifications()).hasSize(2);
        assertThat(lease.remaining()).isEqualTo(before.minusSeconds(2));
        pass(1_000);
        assertThat(lease.isValid()).isFalse();
        assertThat(sent(Command.Renew.class)).hasSize(3).isEqualTo(verifications());
    }

    @Test
    void aLateVerificationDoesNotExtendTheServersLease() {
        Lease lease = acquire(THREE_SECONDS.withTakeoverDelay(Duration.ofSeconds(1)));
        long until = look().untilMillis();
        List<Command<?>> late = new ArrayList<>();
        answers(command -> {
            late.add(command);
            return null;
        });
        pass(1_000);
        assertThat(late).isNotEmpty().allMatch(command -> command instanceof Command.Renew);
        client.moveTo(2_999 * MILLI); // within the last millisecond of the lease, and before the not-after
        late.forEach(client::execute);
        assertThat(look().untilMillis()).isEqualTo(until);
        client.moveTo(3_999 * MILLI);
        Command.Renew first = (Command.Renew) late.get(0);
        client.execute(
                new Command.Renew(first.items(), Long.MAX_VALUE)); // within the last millisecond of the takeover delay
        assertThat(look().untilMillis()).isEqualTo(until);
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aForgottenLeaseIsRestoredForItsRemainingTime() {
        Lease lease = acquire(MINUTE);
        pass(20_500);
        client.server.delete("lock");
        pass(10_000);
        assertThat(look().owner()).isEqualTo("c:1");
        assertThat(look().untilMillis() - time().millis())
                .isBetween(lease.remaining().toMillis(), lease.remaining().toMillis() * 102 / 100 + 10);
        assertThat(lease.isValid()).isTrue();
        pass(29_600);
        assertThat(lease.isValid()).as("valid at the end of the lease").isFalse();
    }

    @Test
    void aHoldIsVerifiedUpToItsMaxHold() {
        LockOptions options = LockOptions.renewedLease(Duration.ofSeconds(9)).withMaxHold(Duration.ofSeconds(8));
        Lease lease = acquire(options);
        pass(3_000);
        assertThat(verifications()).isNotEmpty();
        take(Taking.FORCE);
        pass(3_001);
        assertThat(holdOf(lease).loss()).extracting(LeaseLoss::reason).isEqualTo(LeaseLoss.Reason.TAKEN);
    }

    @Test
    void anUnansweredVerificationIsRepeated() {
        Lease lease = acquire(MINUTE);
        isSilentAbout(Command.Renew.class);
        pass(10_000);
        assertThat(verifications()).hasSize(1);
        pass(10_000);
        answersAgain();
        take(Taking.DELETION);
        pass(4_000); // a ninth of half a minute after the second, or less
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void aFailedVerificationIsRepeated() {
        Lease lease = acquire(MINUTE);
        answers(command -> command instanceof Command.Renew ? new Reply.Failed(true, BROKEN) : client.execute(command));
        pass(10_000);
        int failed = verifications().size();
        answersAgain();
        take(Taking.DELETION);
        pass(4_000);
        assertThat(failed).isPositive();
        assertThat(lease.isValid()).isFalse();
    }

    @Test
    void leasesOfBothKindsInOneRoundAreNeverStale() {
        AtomicInteger stale = new AtomicInteger();
        answers(command -> {
            client.moveTo(client.now() + MILLI / 2); // every command takes some time
            client.moveTo(client.now() + (command instanceof Command.Renew ? 2 * MILLI : 0));
            Reply reply = client.execute(command);
            if (reply instanceof Reply.Renewed renewed) {
                stale.addAndGet((int) renewed.items().stream()
                        .filter(item -> item.outcome() == Reply.Renewal.STALE)
                        .count());
            }
            return reply;
        });
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            leases.add(acquire(
                    "lock " + i, i % 2 == 0 ? MINUTE : LockOptions.renewedLease(Duration.ofSeconds(30 + i % 3 * 15))));
        }
        forget();
        pass(30_000);
        assertThat(stale).hasValue(0);
        assertThat(leases).allMatch(Lease::isValid);
        List<Command.Renew> verifications = verifications();
        assertThat(sent(Command.Renew.class).stream()
                        .filter(renew -> !verifications.contains(renew))
                        .flatMap(renew -> renew.items().stream()))
                .noneMatch(RenewalClock::isVerification);
        assertThat(verifications.stream()
                        .mapToInt(renew -> renew.items().size())
                        .sum())
                .isBetween(3 * 5_000, 4 * 5_000); // one per lease in ten seconds
        assertThat(verifications).hasSizeLessThan(4 * (5_000 / 128 + 10));
    }
}
