// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Command;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.rules.LockRecord;
import io.boltwork.spi.rules.LockRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A lease of a plain lock that no request waits for, extended by the rules.
 *
 * @param key the key of the lock's record
 * @param before the record before the change
 * @param text the text of the record after the change
 * @param expiresAt when the record may be dropped, in milliseconds of the store's clock
 * @since 0.1.0
 */
public record LeaseExtension(RecordKey key, StoredText before, String text, long expiresAt) {

    /**
     * Returns the records of leases that are not remembered.
     *
     * @param items the leases
     * @param memory the records that are known
     * @return their keys
     */
    public static List<RecordKey> unknown(List<Command.Renew.Item> items, RecordMemory memory) {
        return items.stream()
                .map(LeaseExtension::key)
                .filter(key -> memory.get(key) == null)
                .toList();
    }

    /**
     * Extends leases in records that are remembered, also in those that were written by another clock.
     *
     * @param items the leases
     * @param memory the records that are known
     * @param now the time
     * @param notAfter the time of the store's clock after which nothing may be changed, in milliseconds
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @return the extended leases, without those for which requests wait and those that the rules do not extend
     */
    public static List<LeaseExtension> of(
            List<Command.Renew.Item> items, RecordMemory memory, StoreClock now, long notAfter, long idleMillis) {
        List<LeaseExtension> extensions = new ArrayList<>();
        for (Command.Renew.Item item : items) {
            RecordMemory.Remembered last = memory.get(key(item));
            if (last != null && last.text().indexOf('\n') < 0) {
                StoredText before = new StoredText(last.text(), last.version(), now, last.written());
                of(item, before, notAfter, idleMillis).ifPresent(extensions::add);
            }
        }
        return extensions;
    }

    private static RecordKey key(Command.Renew.Item item) {
        return new RecordKey(RecordKey.Kind.LOCK, item.lock());
    }

    private static Optional<LeaseExtension> of(
            Command.Renew.Item item, StoredText before, long notAfter, long idleMillis) {
        StoreClock now = before.clock();
        LockRecord record = RecordFormat.LOCK.of(key(item), before);
        LockRules rules = new LockRules(now.earliest(), now.micros(), idleMillis, 0, grant -> false, taken -> {});
        Command.Renew.Item safe = new Command.Renew.Item(
                item.lock(),
                item.request(),
                item.firstToken(),
                item.leaseMillis(),
                item.takeoverMillis() + now.uncertainMillis(),
                item.share());
        return rules.renew(record, safe, notAfter).outcome() == Reply.Renewal.OK
                ? Optional.of(new LeaseExtension(
                        key(item),
                        before,
                        record.text(),
                        Math.max(record.expiresAt(), now.earliest().millis() + idleMillis)))
                : Optional.empty();
    }

    /**
     * Returns the record to be written.
     *
     * @return the record, with the time at which it was extended
     */
    public StampedRecord stamped() {
        return new StampedRecord(before.clock(), expiresAt, text);
    }

    @Override
    public String toString() {
        return Printable.text("LeaseExtension[key=" + key + ", before=" + before + ", text=" + text + ", expiresAt="
                + expiresAt + "]");
    }
}
