// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Printable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The record of one lock at a server: the fields of the hash in Redis.
 *
 * @since 0.1.0
 */
public final class LockRecord implements StoredRecord<LockRecord> {

    /** Creates the record of a lock that has never been used. */
    public LockRecord() {}

    /** The request that owns the lock, {@link LockRules#KEPT}, or {@code null}. */
    @Nullable
    String owner;

    /** The first token of the owner's block. */
    long token;

    /** The end of the owner's lease and takeover delay, in milliseconds of the server's clock. */
    public long until;

    /** {@code true} if the owner got the lock by message and has not confirmed it yet. */
    boolean claim;

    /** The queue entry that a short claim was granted to, or {@code null}. */
    WaitQueue.@Nullable QueuedRequest shortClaim;

    /** The condition of which the owner has taken a signal, while it is a claim; otherwise {@code null}. */
    @Nullable
    String signalled;

    /** No token larger than this has been issued. */
    public long fence;

    final WaitQueue queue = new WaitQueue();

    final ConditionQueues conditions = new ConditionQueues();

    /** The clients that are told when the vote is free, the oldest first, and until when, in milliseconds. */
    final Map<String, Long> watchers = new LinkedHashMap<>();

    /** The last millisecond of the server's clock at which the record exists. */
    public long expiresAt;

    @Override
    public LockRecord copy() {
        return read(text());
    }

    /** Sets the expiry again if it is due, so that the record lives for that long after the end of the lease. */
    void touch(long now, long lifeMillis, long closedMillis) {
        if (isBlank()) {
            return;
        }
        long end = Math.max(until, now + closedMillis);
        if (IdleLife.isDue(expiresAt - end, lifeMillis)) {
            expiresAt = end + lifeMillis;
        }
    }

    void clearOwner() {
        owner = null;
        token = 0;
        until = 0;
        confirmClaim();
    }

    /** Marks the owner as confirmed, and no longer as a claim. */
    void confirmClaim() {
        claim = false;
        shortClaim = null;
        signalled = null;
    }

    @Override
    public void forgetPast(long nowMillis) {
        queue.forgetPast(nowMillis);
    }

    @Override
    public long expiresAt() {
        return expiresAt;
    }

    @Override
    public void delay(long millis) {
        until += owner == null ? 0 : millis;
        expiresAt += millis;
        watchers.replaceAll((client, end) -> end + millis);
    }

    @Override
    public boolean isBlank() {
        return owner == null && fence == 0 && queue.isEmpty();
    }

    /**
     * Returns the number of places of the queue, an upper bound of the requests that wait.
     *
     * @return their number
     */
    public int waiting() {
        return queue.length();
    }

    @Override
    public String text() {
        RecordLines lines = new LockHead(expiresAt, fence, token, until, owner).lines();
        if (claim) {
            lines.line("claim", RecordLines.field(signalled));
            if (shortClaim != null) {
                lines.line("short");
                shortClaim.write(lines);
            }
        }
        queue.write(lines);
        conditions.write(lines);
        watchers.forEach((client, until) -> lines.line("watcher", RecordLines.field(client), until));
        return lines.toString();
    }

    /**
     * Reads a record.
     *
     * @param text the text that {@link #text} has returned
     * @return the record
     * @throws IllegalArgumentException if it is not such a text, or is of another version
     */
    public static LockRecord read(String text) {
        List<RecordLines.Line> lines = RecordLines.read(LockHead.KIND, text);
        LockHead head = LockHead.read(lines.get(0));
        LockRecord record = new LockRecord();
        record.expiresAt = head.expiresAt();
        record.fence = head.fence();
        record.token = head.token();
        record.until = head.until();
        record.owner = head.owner();
        for (RecordLines.Line line : lines.subList(1, lines.size())) {
            String kind = line.word();
            if (kind.equals("claim")) {
                record.claim = true;
                record.signalled = line.optional();
            } else if (kind.equals("short")) {
                record.shortClaim = WaitQueue.QueuedRequest.read(line);
            } else if (kind.equals("watcher")) {
                record.watchers.put(line.text(), line.number());
            } else if (!record.queue.read(kind, line) && !record.conditions.read(kind, line)) {
                throw new IllegalArgumentException("a lock record has no line '" + Printable.text(kind) + "'");
            }
        }
        return record;
    }
}
