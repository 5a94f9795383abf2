// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.kind;

import io.boltwork.LockKind;
import io.boltwork.machine.parts.Asking;
import io.boltwork.machine.parts.Withdrawing;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Waiter;
import io.boltwork.machine.state.Kind;
import io.boltwork.machine.state.LockState;
import org.jspecify.annotations.Nullable;

/** A plain lock: one hold, and one request for the first of the waiters that share. */
public final class Exclusive implements Kind {
    public static final Kind LOCK = new Exclusive();

    private Exclusive() {}

    @Override
    public LockKind of() {
        return LockKind.LOCK;
    }

    @Override
    public boolean isTaken(LockState lock, Waiter waiter) {
        return lock.hold != null || lock.wanted != null && lock.wanted.known;
    }

    @Override
    public boolean refuses(LockState lock, Waiter waiter, boolean isTaken) {
        return isTaken || lock.wanted != null || !lock.waiters.isEmpty();
    }

    @Override
    public void ask(LockState lock) {
        ask(lock, lock.hold == null);
    }

    /** Withdraws the request if it does not serve the first waiter. Asks for that waiter if that is allowed now. */
    static void ask(LockState lock, boolean mayAsk) {
        Waiter first = lock.waiters.first();
        Request unwanted = lock.wanted;
        if (unwanted != null && (first == null || !unwanted.serves(first))) {
            lock.wanted = null;
            Withdrawing.withdraw(lock, unwanted);
        }
        if (first != null && lock.wanted == null && mayAsk && !lock.closed) {
            Request request = lock.newRequest(first);
            lock.wanted = request;
            Asking.ask(lock, request);
        }
    }

    @Override
    @Nullable
    public Request next(LockState lock, Request released) {
        return forFirst(lock);
    }

    static @Nullable Request forFirst(LockState lock) {
        Waiter first = lock.waiters.first();
        if (first == null || first.tryOnly || lock.wanted != null) {
            return null;
        }
        Request request = lock.newRequest(first);
        lock.wanted = request;
        return request;
    }

    @Override
    public boolean wants(LockState lock, Request request) {
        return request == lock.wanted;
    }

    @Override
    public void wantsNoLonger(LockState lock, Request request) {
        if (request == lock.wanted) {
            lock.wanted = null;
        }
    }

    @Override
    public void askAgain(LockState lock, int permits) {
        Asking.askAgain(lock, lock.wanted != null ? lock.wanted : lock.waiters.oldest());
    }
}
