// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.parts;

import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.RecoveryTally;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.state.LockState;
import io.boltwork.machine.state.ManyRequests;

/** Verifies or repeats each request of a lock over a new connection. Part of a {@link LockMachine}. */
public final class Reconnecting {

    private Reconnecting() {}

    /** Verifies or repeats all requests. Messages and answers may have been lost, and the server may be another one. */
    public static void connected(LockState lock, RecoveryTally recovery) {
        long now = lock.effects.now();
        ManyRequests many = lock.requests.many();
        if (many == null) {
            lock.requests.all().forEach(request -> connected(lock, request, now, recovery));
            return;
        }
        lock.leases().forEach(leased -> connected(lock, leased, now, recovery));
        many.connected(now, recovery);
    }

    private static void connected(LockState lock, Request request, long now, RecoveryTally recovery) {
        switch (request.state) {
            case WANTED -> Asking.connected(lock, request, now, recovery);
            case HELD -> Renewing.connected(lock, request, now, recovery);
            case RELEASING, WITHDRAWING -> request.repeatsAt(now);
            case LOST -> {}
        }
    }
}
