// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockListener;
import io.boltwork.engine.client.CallbackQueue;
import io.boltwork.engine.client.Listeners;
import io.boltwork.machine.request.LockContext;
import io.boltwork.machine.request.Ticker;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * A lock of the client {@code c} without an engine. The test provides its clock, and the executor of its callbacks.
 *
 * @param renewed the times at which successes of renewals were noticed, by the times at which the renewals began
 */
public record StillContext(
        String lock, Ticker ticker, Listeners listeners, CallbackQueue callbacks, Map<Long, Long> renewed)
        implements LockContext {

    public StillContext(Ticker ticker, Executor executor) {
        this("lock", ticker, new Listeners(), new CallbackQueue(executor), new HashMap<>());
    }

    /** Creates a context whose clock stands at 0 and whose callbacks run at once. */
    public StillContext() {
        this(() -> 0, Runnable::run);
    }

    @Override
    public String client() {
        return "c";
    }

    @Override
    public long now() {
        return ticker.nanos();
    }

    @Override
    public long renewedAt(long begun) {
        return renewed.getOrDefault(begun, Ticker.NEVER);
    }

    @Override
    public boolean hasListeners() {
        return !listeners.isEmpty();
    }

    @Override
    public void notifyListeners(Consumer<LockListener> event) {
        listeners.notifyListeners(event, this::callBack);
    }

    @Override
    public void callBack(Runnable callback) {
        callbacks.run(callback);
    }
}
