// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import io.boltwork.spi.Reply.Resized;
import io.boltwork.spi.Reply.Restored;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Withdrawn;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import io.boltwork.spi.Shrunk;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One shared lock on one server with a clock that stands still unless moved; leases of 10 s, no takeover delay. */
final class ShareScene {
    static final String LOCK = "pool:7";
    static final long LEASE = 10_000;
    static final long CLAIM = LockBackend.CLAIM_MILLIS;
    static final long BLOCK = LockBackend.TOKENS_PER_HOLD;
    static final long NEVER = Long.MAX_VALUE;
    static final int ALL = Integer.MAX_VALUE;

    /** A part of the lock, as its client knows it. */
    record Part(String request, int permits, long token, long blockEnd) {
        /** Returns the same part with another weight. */
        Part with(int others) {
            return new Part(request, others, token, blockEnd);
        }
    }

    final Instant begin = Instant.ofEpochSecond(1_000_000);
    final MemoryServer server = MemoryServer.create(() -> begin);
    final ArrayDeque<Grant> messages = new ArrayDeque<>();
    final ArrayDeque<HoldTaken> taken = new ArrayDeque<>();
    final ArrayDeque<Shrunk> shrunk = new ArrayDeque<>();
    private final LockKind kind;
    private final int capacity;

    private ShareScene(LockKind kind, int capacity, String... subscribed) {
        this.kind = kind;
        this.capacity = capacity;
        for (String client : subscribed) {
            listen(client);
        }
    }

    /** Returns a semaphore that all clients are configured with. */
    static ShareScene semaphore(int permits, String... subscribed) {
        return new ShareScene(LockKind.SEMAPHORE, permits, subscribed);
    }

    /** Returns a read-write lock. Readers ask for 1, writers for {@link #ALL}. */
    static ShareScene readWrite(String... subscribed) {
        return new ShareScene(LockKind.READ_WRITE, ALL, subscribed);
    }

    void listen(String client) {
        server.subscribe(client, messages::add, message -> {
            if (message instanceof Shrunk other) {
                shrunk.add(other);
            } else {
                taken.add((HoldTaken) message);
            }
        });
    }

    void pass(long millis) {
        server.advance(Duration.ofMillis(millis));
    }

    long now() {
        return server.time().millis();
    }

    // ================================================================ asking

    Share share(int permits) {
        return new Share(kind, permits, capacity, 0);
    }

    Command.Acquire wish(String request, int permits) {
        return new Command.Acquire(LOCK, request, true, LEASE, 0, NEVER, share(permits));
    }

    Command.Acquire wish(String request, int permits, long lease, long takeover) {
        return new Command.Acquire(LOCK, request, true, lease, takeover, NEVER, share(permits));
    }

    /** Returns a wish of a client that knows another capacity. */
    Command.Acquire informed(String request, int permits, int of, long set) {
        return new Command.Acquire(LOCK, request, true, LEASE, 0, NEVER, new Share(kind, permits, of, set));
    }

    Acquired ask(Command.Acquire command) {
        return server.execute(command);
    }

    Acquired acquire(String request, int permits) {
        return ask(wish(request, permits));
    }

    /** Asks without a wish to wait. */
    Acquired attempt(String request, int permits) {
        return ask(new Command.Acquire(LOCK, request, false, LEASE, 0, NEVER, share(permits)));
    }

    /** Acquires at once. */
    Part hold(String request, int permits) {
        return hold(wish(request, permits));
    }

    Part hold(Command.Acquire command) {
        Acquired answer = ask(command);
        assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
        return new Part(
                command.request(),
                answer.share().permits(),
                answer.token(),
                answer.share().blockEnd());
    }

    /** Lets requests for the same number of permits enter the queue. */
    void queue(int permits, String... requests) {
        for (String request : requests) {
            assertThat(acquire(request, permits).verdict()).isEqualTo(Verdict.QUEUED);
        }
    }

    /** Removes the next delivered message, and returns what its client knows. */
    Part granted(int permits) {
        Grant grant = messages.remove();
        return new Part(grant.request(), permits, grant.token(), grant.blockEnd());
    }

    /** Returns the requests in the messages that have been delivered since the last call. */
    List<String> told() {
        List<String> requests = messages.stream().map(Grant::request).toList();
        messages.clear();
        return requests;
    }

    // ================================================================ giving back

    Released release(Part part) {
        return release(part, 0);
    }

    /** Releases a part for which the last restore was sent with that not-after. */
    Released release(Part part, long restoredUntil) {
        return release(part, part.token, 0, restoredUntil, null);
    }

    Released release(Part part, long lastToken, long keepMillis, long restoredUntil, Command.@Nullable Acquire next) {
        HeldShare held = held(part, restoredUntil);
        return server.execute(new Command.Release(LOCK, part.request, part.token, lastToken, keepMillis, next, held));
    }

    Withdrawn withdraw(String request) {
        return withdraw(request, 0);
    }

    Withdrawn withdraw(@Nullable String request, long restoredUntil) {
        return server.execute(new Command.Withdraw(LOCK, request, 0, new HeldShare(share(1), 0, restoredUntil)));
    }

    Withdrawn nudge() {
        return withdraw(null, 0);
    }

    Forced force(long expectedToken) {
        return server.execute(new ForceRelease(LOCK, expectedToken, kind));
    }

    Resized resize(int permits) {
        return server.execute(new Resize(LOCK, kind, permits));
    }

    // ================================================================ renewing

    HeldShare held(Part part, long restoredUntil) {
        return new HeldShare(share(part.permits), part.blockEnd, restoredUntil);
    }

    Renewal renew(Part part) {
        return renewed(part, LEASE, 0, NEVER).outcome();
    }

    Renewed.Item renewed(Part part, long lease, long takeover, long notAfter) {
        return renewed(part, lease, takeover, notAfter, share(part.permits));
    }

    Renewed.Item renewed(Part part, long lease, long takeover, long notAfter, Share share) {
        Command.Renew.Item item = new Command.Renew.Item(LOCK, part.request, part.token, lease, takeover, share);
        return server.execute(new Command.Renew(List.of(item), notAfter))
                .items()
                .get(0);
    }

    Renewal restore(Part part) {
        return restored(part, LEASE, 0, NEVER).outcome();
    }

    Restored restored(Part part, long lease, long takeover, long notAfter) {
        return server.execute(
                new Command.Restore(LOCK, part.request, part.token, lease, takeover, notAfter, held(part, 0)));
    }

    // ================================================================ looking

    Inspected inspect() {
        return server.execute(new Query.Inspect(LOCK, kind));
    }

    /** Returns the requests that hold a part. */
    List<String> holders() {
        return inspect().holders().stream().map(Inspected.Holder::request).toList();
    }

    /** Returns the hold of a request, which has one. */
    Inspected.Holder holder(String request) {
        return inspect().holders().stream()
                .filter(holder -> holder.request().equals(request))
                .findAny()
                .orElseThrow();
    }

    /** Returns the requests in the queue. */
    List<String> waiting() {
        return inspect().queue().stream().map(Inspected.Waiting::request).toList();
    }

    /** Returns the number of free permits, of which there must be fewer than the capacity. */
    int free() {
        return attempt("probe:1", inspect().capacity()).share().free();
    }
}
