// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/**
 * The base of the tests of the scripts for shared locks. Most tests use a semaphore with three permits, whose key the
 * helper methods are about. A test ends a lease by setting the end of the entry back.
 */
abstract class ShareScriptTest extends ScriptTest {
    static final LockKind KIND = LockKind.SEMAPHORE;
    static final String SHARED = "boltwork:semaphore:{stock:1001}";
    static final String READ_WRITE = "boltwork:readwrite:{stock:1001}";
    static final int PERMITS = 3;

    /** The parts of an entry. */
    static final int WEIGHT = 1;

    static final int TOKEN = 2;
    static final int LAST = 3;
    static final int ENDS = 4;
    static final int LEASE = 5;
    static final int CLAIM = 6;

    @Override
    String key() {
        return SHARED;
    }

    @Override
    List<String> queue(boolean isShort) {
        Inspected lock = lock();
        ShareFields.check(fields(), lock, isShort);
        return lock.queue().stream().map(Inspected.Waiting::request).toList();
    }

    @AfterEach
    void isConsistent() {
        queue(false);
    }

    Inspected lock() {
        return a.ask(new Query.Inspect(LOCK, KIND), Inspected.class);
    }

    List<String> holders() {
        return lock().holders().stream().map(Inspected.Holder::request).sorted().toList();
    }

    static Share of(int permits) {
        return new Share(KIND, permits, PERMITS, 0);
    }

    /** Asks for a part of the semaphore, and waits. */
    Acquired acquire(String request, int permits) {
        return acquire(request, of(permits));
    }

    Acquired acquire(String request, Share share) {
        return a.ask(new Command.Acquire(LOCK, request, true, Client.LEASE, 0, Client.NEVER, share), Acquired.class);
    }

    Acquired attempt(String request, int permits) {
        return a.ask(
                new Command.Acquire(LOCK, request, false, Client.LEASE, 0, Client.NEVER, of(permits)), Acquired.class);
    }

    /** Takes a part that must be free. */
    Acquired take(String request, int permits) {
        return take(request, of(permits));
    }

    Acquired take(String request, Share share) {
        Acquired granted = acquire(request, share);
        assertThat(granted.verdict()).isEqualTo(Verdict.GRANTED);
        return granted;
    }

    /** Waits for a part that must not be free. */
    Acquired await(String request, int permits) {
        return await(request, of(permits));
    }

    Acquired await(String request, Share share) {
        Acquired queued = acquire(request, share);
        assertThat(queued.verdict()).isEqualTo(Verdict.QUEUED);
        return queued;
    }

    static HeldShare held(Acquired granted) {
        return held(granted, 0);
    }

    static HeldShare held(Acquired granted, long restoredUntil) {
        return new HeldShare(of(granted.share().permits()), granted.share().blockEnd(), restoredUntil);
    }

    Reply.Released release(String request, Acquired granted) {
        return a.ask(
                new Command.Release(LOCK, request, granted.token(), granted.token(), 0, null, held(granted)),
                Reply.Released.class);
    }

    Reply.Withdrawn withdraw(String request) {
        return a.ask(new Command.Withdraw(LOCK, request, 0, new HeldShare(of(1), 0, 0)), Reply.Withdrawn.class);
    }

    Reply.Withdrawn nudge() {
        return withdraw(null);
    }

    Reply.Renewed.Item renew(String request, long token, long lease, Share share) {
        Command.Renew.Item item = new Command.Renew.Item(LOCK, request, token, lease, 0, share);
        return a.ask(new Command.Renew(List.of(item), Client.NEVER), Reply.Renewed.class)
                .items()
                .get(0);
    }

    Reply.Restored restore(String request, Acquired granted) {
        return a.ask(
                new Command.Restore(LOCK, request, granted.token(), Client.LEASE, 0, Client.NEVER, held(granted)),
                Reply.Restored.class);
    }

    Reply.Forced force(long expectedToken) {
        return a.ask(new ForceRelease(LOCK, expectedToken, KIND), Reply.Forced.class);
    }

    Reply.Resized resize(int permits) {
        return a.ask(new Resize(LOCK, KIND, permits), Reply.Resized.class);
    }

    // ================================================================ entries

    /** Returns the parts of an entry, or none if there is none. */
    String[] entry(String id) {
        return fields().getOrDefault("h" + id, "").split(" ");
    }

    long entry(String id, int part) {
        return Long.parseLong(entry(id)[part]);
    }

    void setEntry(String id, int part, Object value) {
        String[] parts = entry(id);
        parts[part] = value.toString();
        set("h" + id, String.join(" ", parts));
    }

    /** Lets a lease, a claim, a marker or a tombstone end a moment ago. */
    void end(String id) {
        setEntry(id, ENDS, 1);
        if (entry(id, WEIGHT) > 0) {
            set("soon", 1);
        }
    }
}
