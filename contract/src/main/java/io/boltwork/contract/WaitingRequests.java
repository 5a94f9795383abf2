// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract;

import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The requests of a client that wait for a lock, as its commands, their replies and its messages show. Thread-safe. */
final class WaitingRequests {
    private final Map<String, String> lockOf = new ConcurrentHashMap<>();

    int count(String lock) {
        return (int) lockOf.values().stream().filter(lock::equals).count();
    }

    void sent(Command<?> command) {
        if (command instanceof Command.Withdraw withdraw && withdraw.request() != null) {
            lockOf.remove(withdraw.request());
        }
    }

    void replied(Command<?> command, Reply reply) {
        if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired answer) {
            replied(acquire, answer);
        } else if (command instanceof Command.Release release && reply instanceof Reply.Released answer) {
            Command.Acquire next = release.next();
            if (next != null) {
                replied(next, answer.next());
            }
        }
    }

    private void replied(Command.Acquire acquire, Reply.@Nullable Acquired answer) {
        if (answer != null && answer.verdict() == Reply.Verdict.QUEUED) {
            lockOf.put(acquire.request(), acquire.lock());
        } else {
            lockOf.remove(acquire.request());
        }
    }

    void granted(Grant grant) {
        lockOf.remove(grant.request());
    }
}
