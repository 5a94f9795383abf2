// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.spi.Command;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockRules;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Counts statements on H2, and lets others change a lock between them. */
class H2CallsTest {
    private static final H2Site SITE = new H2Site();
    private static final LockOptions OPTIONS = LockOptions.fixedLease(Duration.ofMinutes(1));
    private static final long LIFE = 60_000;

    private final String name = "calls " + UUID.randomUUID();

    @Test
    void aLockThatIsUsedAgainCostsOneStatementEachWay() {
        CountedSource counted = new CountedSource(SITE.source(), 3, true);
        try (LockClient client = counted.newClient();
                LockClient other = LockClient.create(SITE.newBackend())) {
            FencedLock lock = client.lock(name, OPTIONS);
            assertThat(statementsOfAPair(counted, lock)).as("there is no row").isEqualTo(List.of(2, 1));
            for (int i = 0; i < 5; i++) {
                assertThat(statementsOfAPair(counted, lock)).isEqualTo(List.of(1, 1));
            }
            other.lock(name, OPTIONS).acquire().release();
            assertThat(statementsOfAPair(counted, lock))
                    .as("after another client")
                    .isEqualTo(List.of(3, 1));
            assertThat(statementsOfAPair(counted, lock)).isEqualTo(List.of(1, 1));
        }
    }

    private static List<Integer> statementsOfAPair(CountedSource counted, FencedLock lock) {
        counted.takeLockStatements();
        Lease lease = lock.acquire();
        int acquiring = counted.takeLockStatements().size();
        lease.release();
        Await.until("it is released", () -> !counted.executed.isEmpty());
        return List.of(acquiring, counted.takeLockStatements().size());
    }

    @Test
    void aLateAcquireFailsAfterItsWithdraw() {
        try (OpenStore late = new OpenStore(SITE.source());
                OpenStore other = new OpenStore(SITE.source())) {
            RecordKey key = new RecordKey(RecordKey.Kind.LOCK, name);
            long notAfter = late.store.read(key).clock().earliest().millis() + LIFE;
            acquireAndRelease(late, key, notAfter);
            StoredText free = other.store.read(key); // a withdraw that finds nothing writes the record as it is
            other.store.write(key, free, new RecordChange(free.text(), notAfter, Long.MAX_VALUE));
            Command.Acquire acquire = new Command.Acquire(name, "late:2", true, 30_000, 0, notAfter);
            assertThat(late.store.acquireFree(acquire, LIFE).answer()).isNull();
            assertThat(other.store.read(key).text()).isEqualTo(free.text());
        }
    }

    @Test
    void aVersionThatIsKnownDoesNotGiveAwayTheLockOfAnother() {
        try (OpenStore opened = new OpenStore(SITE.source())) {
            RecordKey key = new RecordKey(RecordKey.Kind.LOCK, name);
            long notAfter = opened.store.read(key).clock().earliest().millis() + LIFE;
            acquireAndRelease(opened, key, notAfter);
            StoredText free = opened.store.read(key);
            // as in a database that was restored from a backup and has counted up to the same version again
            SITE.execute("UPDATE boltwork_lock SET owner = 'other', until_at = " + notAfter
                    + " WHERE kind = 0 AND version = " + free.version());
            Command.Acquire acquire = new Command.Acquire(name, "late:2", true, 30_000, 0, notAfter);
            assertThat(opened.store.acquireFree(acquire, LIFE).answer()).isNull();
            assertThat(opened.store.read(key).version()).isEqualTo(free.version());
        }
    }

    private void acquireAndRelease(OpenStore opened, RecordKey key, long notAfter) {
        StoredText missing = opened.store.read(key);
        LockRecord record = new LockRecord();
        long micros = missing.clock().micros();
        long token = new LockRules(missing.clock().earliest(), micros, LIFE, 0, grant -> true, taken -> {})
                .acquire(record, new Command.Acquire(name, "late:1", true, 30_000, 0, notAfter))
                .token();
        opened.store.write(key, missing, new RecordChange(record.text(), notAfter, Long.MAX_VALUE));
        Command.Release release = new Command.Release(name, "late:1", token, token, 0, null);
        assertThat(opened.store.releaseUnwanted(release, LIFE).answer()).isNotNull();
    }
}
