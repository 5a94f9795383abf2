// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.output;

import io.boltwork.BusyLock;
import io.boltwork.ClientInfo;
import io.boltwork.LockInfo;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Counts the callers that wait for a lock. The store knows one request of each client, and none of those that wait
 * inside the client that holds the lock. Clients report their number for the locks that they use most, about every two
 * seconds.
 */
public final class WaitingCallers {
    private WaitingCallers() {}

    /** Returns how many callers a client has last reported for a lock; 0 if it has not reported any. */
    public static int in(Optional<ClientInfo> client, LockInfo lock) {
        return client.stream()
                .flatMap(known -> known.busiest().stream())
                .filter(busy -> busy.kind() == lock.kind() && busy.name().equals(lock.name()))
                .mapToInt(BusyLock::waiting)
                .sum();
    }

    /** Returns how many callers wait for a lock in all clients that hold it or wait for it. */
    public static int of(LockInfo lock) {
        Map<String, Integer> byClient = new HashMap<>();
        lock.holders()
                .forEach(holder ->
                        holder.client().ifPresent(client -> byClient.put(client.id(), in(holder.client(), lock))));
        Map<String, Integer> inQueue = new HashMap<>();
        int unknown = 0;
        for (LockInfo.Waiting waiting : lock.queue()) {
            if (waiting.client().isPresent()) {
                String id = waiting.client().get().id();
                byClient.put(id, in(waiting.client(), lock));
                inQueue.merge(id, 1, Integer::sum);
            } else {
                unknown++;
            }
        }
        inQueue.forEach((client, requests) -> byClient.merge(client, requests, Math::max));
        return unknown + byClient.values().stream().mapToInt(Integer::intValue).sum();
    }
}
