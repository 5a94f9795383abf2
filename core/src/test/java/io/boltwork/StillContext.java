package io.boltwork;

import java.util.concurrent.Executor;
import java.util.function.Consumer;

/** A lock of the client {@code c} without an engine: its clock is the test's, its callbacks run where the test says. */
record StillContext(String lock, Ticker ticker, Listeners listeners, CallbackQueue callbacks) implements LockContext {

    StillContext(Ticker ticker, Executor executor) {
        this("lock", ticker, new Listeners(), new CallbackQueue(executor));
    }

    /** A clock that stands at 0; callbacks run at once. */
    StillContext() {
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
    public boolean isHeard() {
        return !listeners.isEmpty();
    }

    @Override
    public void tell(Consumer<LockListener> event) {
        listeners.tell(event, this::callBack);
    }

    @Override
    public void callBack(Runnable callback) {
        callbacks.run(callback);
    }
}
