// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.VoteCommand;
import java.util.Iterator;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The rules of the votes of one server of a quorum, on the {@linkplain LockRecord record} of a plain lock. Not
 * thread-safe; one instance is for one command. As with {@link LockRules}, the Redis backend has the same rules as Lua
 * scripts.
 *
 * @since 0.1.0
 */
public final class VoteRules {
    private final ServerTime server;
    private final long micros;
    private final long idleMillis;
    private final BiConsumer<String, LockFreed> tell;

    /**
     * Creates the rules for one command.
     *
     * @param server when and where the command is executed
     * @param micros the same moment in microseconds since the epoch
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @param tell sends a client the message that a vote is free
     */
    public VoteRules(ServerTime server, long micros, long idleMillis, BiConsumer<String, LockFreed> tell) {
        this.server = server;
        this.micros = micros;
        this.idleMillis = idleMillis;
        this.tell = tell;
    }

    /**
     * Votes for a request if the server votes for no other one.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Acquired vote(LockRecord record, VoteCommand.Vote command) {
        String request = command.request();
        boolean known = request.equals(record.owner);
        if (now() > command.notAfter()) {
            return answer(record, Verdict.STALE, 0, known);
        }
        long until = now() + command.leaseMillis() + command.takeoverMillis();
        boolean isOpen = record.owner == null || now() >= record.until;
        if (known && !isOpen) {
            record.until = Math.max(record.until, until);
        } else if (isOpen && record.queue.isEmpty()) {
            record.owner = request;
            record.token = Math.max(record.fence + 1, micros);
            record.fence = LockRules.blockEnd(record.token);
            record.until = until;
            record.confirmClaim();
        } else {
            if (command.watches()) {
                watch(record, RequestId.clientOf(request));
            }
            touch(record);
            return answer(record, Verdict.REFUSED, isOpen ? 0 : record.until - now(), known);
        }
        touch(record);
        return new Acquired(server, Verdict.GRANTED, record.token, 0, 0, known, request);
    }

    /**
     * Raises the fence to the end of a block of tokens, if the vote stands.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Raised raise(LockRecord record, VoteCommand.Raise command) {
        boolean stands = command.request().equals(record.owner) && command.firstToken() == record.token;
        if (stands) {
            record.fence = Math.max(record.fence, command.lastToken());
        }
        return new Reply.Raised(server, stands);
    }

    /**
     * Takes a vote back, and tells the clients that wait for it.
     *
     * @param record the record of the lock
     * @param command the command
     * @return the reply
     */
    public Reply.Released giveBack(LockRecord record, VoteCommand.GiveBack command) {
        Release outcome;
        boolean isUnused = false;
        if (command.request().equals(record.owner)) {
            outcome = Release.RELEASED;
            isUnused = record.token == command.firstToken()
                    && (record.fence == LockRules.blockEnd(record.token) || record.fence == command.blockEnd());
            record.clearOwner();
            if (command.keepMillis() > 0) {
                record.owner = LockRules.KEPT;
                record.until = now() + command.keepMillis();
            }
            free(command.lock(), record);
        } else {
            boolean isOpen = record.owner == null || now() >= record.until;
            outcome = isOpen && record.fence < command.firstToken() ? Release.FORGOTTEN : Release.NOT_HELD;
        }
        if (isUnused || record.fence < command.lastToken()) {
            record.fence = command.lastToken();
        }
        touch(record);
        return new Reply.Released(server, outcome, null, 0, ownerOf(record));
    }

    /**
     * Tells the first clients that wait for a vote that it is free.
     *
     * @param lock the name of the lock
     * @param record the record of the lock
     */
    public void free(String lock, LockRecord record) {
        Iterator<Map.Entry<String, Long>> watchers = record.watchers.entrySet().iterator();
        for (int told = 0; told < LockBackend.WATCHERS_TOLD && watchers.hasNext(); ) {
            Map.Entry<String, Long> watcher = watchers.next();
            watchers.remove();
            if (now() < watcher.getValue()) {
                tell.accept(watcher.getKey(), new LockFreed(lock, server));
                told++;
            }
        }
    }

    private void watch(LockRecord record, String client) {
        record.watchers.values().removeIf(until -> now() >= until);
        if (record.watchers.size() < LockBackend.WATCHERS || record.watchers.containsKey(client)) {
            record.watchers.put(client, now() + LockBackend.WATCH_MILLIS);
        }
    }

    private void touch(LockRecord record) {
        record.touch(now(), idleMillis, 0);
    }

    private Acquired answer(LockRecord record, Verdict verdict, long remaining, boolean known) {
        return new Acquired(server, verdict, 0, remaining, 0, known, ownerOf(record));
    }

    private @Nullable String ownerOf(LockRecord record) {
        return now() >= record.until ? null : LockRules.ownerOf(record);
    }

    private long now() {
        return server.millis();
    }
}
