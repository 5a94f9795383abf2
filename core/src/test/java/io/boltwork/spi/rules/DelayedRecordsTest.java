// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Share;
import org.junit.jupiter.api.Test;

/** Records whose server has got another clock: leases do not end early, and end. */
class DelayedRecordsTest {
    private static final long LEASE = 1_000;
    private static final long BEGUN = 100_000;
    private static final long DELAY = 50_000;
    private static final long IDLE = 60_000;

    private static Command.Acquire acquire(String request, Share share) {
        return new Command.Acquire("lock", request, false, LEASE, 0, Long.MAX_VALUE, share);
    }

    private static Verdict plain(LockRecord record, String request, long at) {
        return new LockRules(new ServerTime(at, "run"), at * 1_000, IDLE, 0, grant -> true, taken -> {})
                .acquire(record, acquire(request, Share.WHOLE))
                .verdict();
    }

    private static Verdict shared(ShareRecord record, String request, Share share, long at) {
        return new ShareRules(
                        new ServerTime(at, "run"), at * 1_000, IDLE, 0, grant -> true, client -> true, taken -> {})
                .acquire(record, acquire(request, share))
                .verdict();
    }

    @Test
    void leaseOfAPlainLockEndsByTheOtherClock() {
        LockRecord record = new LockRecord();
        assertThat(plain(record, "a:1", BEGUN)).isEqualTo(Verdict.GRANTED);
        long expiresAt = record.expiresAt();
        record.delay(DELAY);
        assertThat(record.expiresAt()).isEqualTo(expiresAt + DELAY);
        assertThat(plain(record, "b:1", BEGUN + DELAY + LEASE - 1)).isEqualTo(Verdict.REFUSED);
        assertThat(plain(record, "b:1", BEGUN + DELAY + LEASE)).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void freeLockStaysFree() {
        LockRecord record = new LockRecord();
        record.delay(DELAY);
        assertThat(record.until).isZero();
    }

    @Test
    void leasesOfReadersEndByTheOtherClock() {
        ShareRecord record = new ShareRecord();
        assertThat(shared(record, "a:1", Share.READ, BEGUN)).isEqualTo(Verdict.GRANTED);
        assertThat(shared(record, "b:1", Share.READ, BEGUN + 500)).isEqualTo(Verdict.GRANTED);
        record.delay(DELAY);
        assertThat(shared(record, "c:1", Share.WRITE, BEGUN + DELAY + LEASE)).isEqualTo(Verdict.REFUSED);
        assertThat(shared(record, "c:1", Share.WRITE, BEGUN + DELAY + LEASE + 500))
                .isEqualTo(Verdict.GRANTED);
    }

    @Test
    void recordOfALatchExpiresByTheOtherClock() {
        LatchRecord record = new LatchRecord();
        record.expiresAt = BEGUN;
        record.delay(-DELAY);
        assertThat(record.expiresAt()).isEqualTo(BEGUN - DELAY);
    }
}
