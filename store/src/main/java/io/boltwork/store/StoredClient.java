// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.LockKind;
import io.boltwork.spi.BlockedThread;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.LockUsage;
import io.boltwork.spi.Printable;
import io.boltwork.spi.rules.RecordLines;
import java.util.ArrayList;
import java.util.List;

/**
 * The record of a client at a store.
 *
 * @param expiresAt the last millisecond of the store's clock at which the record exists
 * @param card the client
 * @param nonce identifies the client that announced it
 */
record StoredClient(long expiresAt, ClientRecord card, String nonce) {
    private static final String KIND = "client";
    private static final String BLOCKED = "blocked";
    private static final String USED = "used";

    /**
     * Returns the record as a text that a store can keep.
     *
     * @return the text
     */
    String text() {
        RecordLines lines = RecordLines.ofKind(KIND)
                .more(expiresAt, RecordLines.field(nonce), RecordLines.field(card.id()))
                .more(RecordLines.field(card.application()), RecordLines.field(card.host()))
                .more(card.pid(), card.sinceMillis(), card.wireVersion());
        for (BlockedThread thread : card.blocked()) {
            lines.line(BLOCKED, thread.kind(), RecordLines.field(thread.lock()))
                    .more(RecordLines.flag(thread.isLimited()))
                    .more(thread.holds().toArray());
        }
        for (LockUsage used : card.busiest()) {
            lines.line(USED, used.kind(), RecordLines.field(used.lock()))
                    .more(used.turns(), used.waiting(), used.waitedMicros(), used.heldMicros());
        }
        return lines.toString();
    }

    /**
     * Reads a record.
     *
     * @param text the text that {@link #text} has returned
     * @return the record
     * @throws IllegalArgumentException if it is not such a text, or is of another version
     */
    static StoredClient read(String text) {
        List<RecordLines.Line> lines = RecordLines.read(KIND, text);
        RecordLines.Line head = lines.get(0);
        long expiresAt = head.number();
        String nonce = head.text();
        ClientRecord card =
                new ClientRecord(head.text(), head.text(), head.text(), head.number(), head.number(), head.integer());
        List<BlockedThread> blocked = new ArrayList<>();
        List<LockUsage> busiest = new ArrayList<>();
        for (RecordLines.Line line : lines.subList(1, lines.size())) {
            if (line.word().equals(USED)) {
                busiest.add(used(line));
            } else {
                blocked.add(blocked(line));
            }
        }
        return new StoredClient(expiresAt, card.withBlocked(blocked).withBusiest(busiest), nonce);
    }

    private static BlockedThread blocked(RecordLines.Line line) {
        LockKind kind = LockKind.valueOf(line.word());
        String lock = line.text();
        boolean isLimited = line.flag();
        List<Long> holds = new ArrayList<>();
        while (line.isMore()) {
            holds.add(line.number());
        }
        return new BlockedThread(holds, kind, lock, isLimited);
    }

    private static LockUsage used(RecordLines.Line line) {
        LockKind kind = LockKind.valueOf(line.word());
        return new LockUsage(kind, line.text(), line.number(), line.integer(), line.number(), line.number());
    }

    @Override
    public String toString() {
        return Printable.text("StoredClient[expiresAt=" + expiresAt + ", card=" + card + ", nonce=" + nonce + "]");
    }
}
