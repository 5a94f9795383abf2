// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockKind;
import io.boltwork.machine.request.Hold;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Everything that was observed of one shared lock. */
final class SharedLockHistory {

    final SimulatedLock data;
    final String name;
    final LockKind kind;
    final int capacity;

    /** The holds that were seen so far, by identity. */
    private final Map<Hold, ObservedHold> known = new HashMap<>();

    /** The holds that are not over and whose clients live, by their tokens. */
    final List<ObservedHold> live = new ArrayList<>();

    /** The holds that were granted at the server, in order. */
    final List<Granted> granted = new ArrayList<>();

    /** The requests whose holds were taken away by force. */
    final Set<String> forced = new HashSet<>();

    /** The requests that were withdrawn. A failover may undo that. */
    final Set<String> withdrawn = new HashSet<>();

    /** The first tokens of grants whose messages were lost. */
    final Set<Long> lostGrants = new HashSet<>();

    /** A request was granted a part of the lock at the server. */
    record Granted(String request, long token, long at) {}

    SharedLockHistory(SimulatedLock data) {
        this.data = data;
        this.name = data.name;
        this.kind = SharedName.kind(data.name);
        this.capacity = SharedName.capacity(data.name);
    }

    /** Returns when the request was first granted with the token; 0 if it was not. */
    private long grantedAt(String request, long token) {
        return granted.stream()
                .filter(one -> one.request.equals(request) && one.token == token)
                .mapToLong(Granted::at)
                .findFirst()
                .orElse(0);
    }

    /** Records a hold. Returns whether it is a new one. */
    boolean isNew(SimulatedClient client, Hold hold, long now) {
        if (known.containsKey(hold)) {
            return false;
        }
        ObservedHold seen = new ObservedHold(client, hold, now, grantedAt(hold.request.id(), hold.request.firstToken));
        known.put(hold, seen);
        live.add(seen);
        live.sort(Comparator.comparingLong(one -> one.hold.token)); // the order of arrival makes no other state
        return true;
    }

    /** Returns what was seen of a hold. */
    ObservedHold seen(Hold hold) {
        return known.get(hold);
    }

    boolean isWriter(ObservedHold hold) {
        return kind == LockKind.READ_WRITE && !hold.hold.isReader();
    }

    /** Returns how much of the lock a hold takes. */
    int weight(ObservedHold hold) {
        return hold.hold.isReader() ? 1 : hold.hold.request.terms.permits;
    }
}
