// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.contract.RecordStoreContract;
import io.boltwork.spi.rules.LockHead;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.RecordStore;
import io.boltwork.store.StoredText;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests that a database keeps the promises of a store. The subclasses name the database. */
abstract class JdbcStoreTest extends RecordStoreContract {
    private static final long LATER = Long.MAX_VALUE;

    abstract JdbcSite site();

    @Override
    protected RecordStore newStore() {
        return new JdbcStore(site().source(), JdbcSite.OPTIONS);
    }

    @Override
    protected void deleteRecords() {
        site().flush();
    }

    @Override
    protected void sweepIsDue() {
        site().execute("UPDATE boltwork_store SET swept_at = 0");
    }

    private static RecordKey key(String name) {
        return new RecordKey(RecordKey.Kind.LOCK, name);
    }

    private static RecordChange change(long expiresAt) {
        return new RecordChange(new LockHead(LATER / 2, 1, 0, 0, "a:1").text(), expiresAt, LATER);
    }

    private static void write(OpenStore opened, RecordKey key, long expiresAt) {
        assertThat(opened.store.write(key, opened.store.read(key), change(expiresAt)))
                .isTrue();
    }

    private OpenStore store() {
        return new OpenStore(site().source());
    }

    @Test
    void aDeletedRowThatIsMadeAgainHasALaterVersion() {
        try (OpenStore opened = store()) {
            RecordKey key = key("again-" + UUID.randomUUID());
            write(opened, key, LATER / 2);
            write(opened, key, LATER / 2);
            StoredText before = opened.store.read(key);
            site().deleteLock(key.name());
            write(opened, key, LATER / 2);
            assertThat(opened.store.read(key).version()).isGreaterThan(before.version());
            assertThat(opened.store.write(key, before, change(LATER / 2))).isFalse();
        }
    }

    @Test
    void rowsAreSweptOnceAMinute() {
        try (OpenStore opened = store()) {
            RecordKey key = key("swept " + UUID.randomUUID());
            write(opened, key, 1);
            sweepIsDue();
            opened.store.sweep();
            assertThat(opened.store.read(key).text()).isNull();
            write(opened, key, 1);
            opened.store.sweep();
            assertThat(opened.store.read(key).text()).isNotNull();
        }
    }

    @Test
    void missingTablesAreAnErrorIfTheyAreNotToBeMade() {
        JdbcOptions other = JdbcSite.OPTIONS.withTablePrefix("missing_").withCreateTables(false);
        assertThatThrownBy(() -> new OpenStore(site().source(), other).close())
                .isInstanceOfSatisfying(
                        BackendException.class, e -> assertThat(e.isRetryable()).isFalse())
                .hasMessageContaining("missing_")
                .hasMessageContaining("withCreateTables(true)");
    }
}
