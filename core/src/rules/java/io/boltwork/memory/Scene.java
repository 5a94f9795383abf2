// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Withdrawn;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One lock on one server with a clock that stands still unless moved; leases of 10 s, no takeover delay. */
final class Scene {
    static final String LOCK = "stock:1001";
    static final long LEASE = 10_000;
    static final long CLAIM = LockBackend.CLAIM_MILLIS;
    static final long BLOCK = LockBackend.TOKENS_PER_HOLD;
    static final long NEVER = Long.MAX_VALUE;

    final Instant begin = Instant.ofEpochSecond(1_000_000);
    final MemoryServer server = MemoryServer.create(() -> begin);
    final ArrayDeque<Grant> messages = new ArrayDeque<>();

    Scene(String... subscribed) {
        for (String client : subscribed) {
            server.subscribe(client, messages::add);
        }
    }

    void pass(long millis) {
        server.advance(Duration.ofMillis(millis));
    }

    long now() {
        return server.time().millis();
    }

    static Command.Acquire wish(String request) {
        return new Command.Acquire(LOCK, request, true, LEASE, 0, NEVER);
    }

    Acquired ask(Command.Acquire command) {
        return server.execute(command);
    }

    Acquired acquire(String request) {
        return ask(wish(request));
    }

    /** Acquires at once and returns the first token. */
    long hold(String request) {
        Acquired answer = acquire(request);
        assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
        return answer.token();
    }

    void queue(String... requests) {
        for (String request : requests) {
            assertThat(acquire(request).verdict()).isEqualTo(Verdict.QUEUED);
        }
    }

    Released release(String request, long first, long last, long keep, Command.@Nullable Acquire next) {
        return server.execute(new Command.Release(LOCK, request, first, last, keep, next));
    }

    Release release(String request, long token) {
        return release(request, token, token, 0, null).outcome();
    }

    Withdrawn withdraw(@Nullable String request, long last) {
        return server.execute(new Command.Withdraw(LOCK, request, last));
    }

    Withdrawn nudge() {
        return withdraw(null, 0);
    }

    Renewal renew(String request, long first) {
        return renew(request, first, LEASE, 0, NEVER);
    }

    Renewal renew(String request, long first, long lease, long takeover, long notAfter) {
        Command.Renew.Item item = new Command.Renew.Item(LOCK, request, first, lease, takeover);
        Reply.Renewed answer = server.execute(new Command.Renew(List.of(item), notAfter));
        return answer.items().get(0).outcome();
    }

    Renewal restore(String request, long first) {
        return restore(request, first, NEVER);
    }

    Renewal restore(String request, long first, long notAfter) {
        return (server.execute(new Command.Restore(LOCK, request, first, LEASE, 0, notAfter))).outcome();
    }

    Inspected inspect() {
        return server.execute(new Query.Inspect(LOCK));
    }

    /** Returns the requests in the queue. */
    List<String> waiting() {
        return inspect().queue().stream().map(Inspected.Waiting::request).toList();
    }

    boolean force(long expectedToken) {
        return (server.execute(new ForceRelease(LOCK, expectedToken))).released();
    }

    /** Removes and returns the next delivered message. */
    Grant message() {
        return messages.remove();
    }
}
