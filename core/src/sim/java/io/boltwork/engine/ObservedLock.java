// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Request;
import io.boltwork.spi.LockBackend;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Everything that was observed of one lock. */
final class ObservedLock {

    final SimulatedLock data;
    final String name;

    /** The hold that each client has now, by the client's id. */
    final Map<String, Hold> current = new HashMap<>();

    /** The holds that are not over and whose clients live. */
    final List<ObservedHold> live = new ArrayList<>();

    final Map<Long, ObservedHold> byToken = new HashMap<>();

    /** The grants at the server, in order of time. */
    final List<Ownership> grants = new ArrayList<>();

    /** The first tokens of holds whose first release was answered with NOT_HELD. */
    final Set<Long> notHeld = new HashSet<>();

    /** Tokens of grants whose messages were lost. */
    final Set<Long> lostGrants = new HashSet<>();

    /** The hold with the largest token; {@code null} if there was none since the last forced release. */
    @Nullable
    ObservedHold newest;

    /** The time of the last forced release; -1 if there was none. */
    long forcedAt = -1;

    /** A request became the owner at the server: by message, with a claim of {@code claimMillis}, or by an answer. */
    record Ownership(String request, long token, long at, long claimMillis) {
        Ownership(String request, long token, long at) {
            this(request, token, at, 0);
        }

        boolean isShort() {
            return claimMillis <= LockBackend.SHORT_CLAIM_MILLIS;
        }

        long end() {
            return at + claimMillis * Plan.MILLI;
        }
    }

    ObservedLock(SimulatedLock data) {
        this.data = data;
        this.name = data.name;
    }

    /** Returns when the request was first granted with the token; 0 if it was not. */
    long grantedAt(String request, long token) {
        return grants.stream()
                .filter(granted -> granted.request.equals(request) && granted.token == token)
                .mapToLong(Ownership::at)
                .findFirst()
                .orElse(0);
    }

    boolean wasGrantedToAnother(ObservedHold hold) {
        // a server that has lost all its data, and whose clock was set back, may issue a token twice
        Request request = hold.hold.request;
        return grants.stream()
                .anyMatch(granted -> granted.at >= hold.grantedAt
                        && !(granted.token == request.firstToken && granted.request.equals(request.id())));
    }
}
