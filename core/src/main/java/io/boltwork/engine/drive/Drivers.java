// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.ErrorFlagOwner;
import io.boltwork.machine.request.Ticker;
import java.util.BitSet;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The locks or the latches in use of one client: finds the driver of a key, and posts events to it. Thread-safe.
 *
 * @param <D> the drivers
 */
public abstract class Drivers<D extends Driver<D, ?>> extends ErrorFlagOwner {

    final ClientCore core;

    /** The ticker of the core. Each event of a machine reads it several times. */
    final Ticker ticker;

    private final ConcurrentHashMap<Object, D> drivers = new ConcurrentHashMap<>();

    Drivers(ClientCore core) {
        super(core.errorFlag);
        this.core = core;
        this.ticker = core.ticker;
    }

    abstract D create(Object key);

    /** Tells a new driver what it may have missed while it was created. */
    void created(D driver) {}

    /** Closes the machine. Called inside the mailbox. */
    abstract void close(D driver);

    /** Returns the driver of a key, or {@code null} if there is none in use. */
    @Nullable
    public D driver(Object key) {
        return drivers.get(key);
    }

    /** The drivers in use. */
    public Collection<D> all() {
        return drivers.values();
    }

    /** Applies an action to the drivers of some partitions. */
    public void forEach(BitSet partitions, Consumer<D> action) {
        for (D driver : drivers.values()) {
            if (partitions.get(driver.partition)) {
                action.accept(driver);
            }
        }
    }

    /** The number of drivers in use. */
    public int count() {
        return drivers.size();
    }

    /** Posts an event to the machine of a key. Returns {@code false} if it is not in use and the client is closed. */
    public boolean post(Object key, Mailbox.Event<D> event) {
        for (; ; ) {
            D driver = drivers.get(key);
            if (driver == null) {
                if (core.isClosed()) {
                    return false;
                }
                driver = drivers.computeIfAbsent(key, this::create);
                if (core.isClosed()) { // close() may have overlooked it
                    driver.post(this::close);
                }
                created(driver);
            }
            if (driver.post(event)) {
                return true;
            }
            drivers.remove(key, driver);
        }
    }

    /** Posts an event to the machine of a key if it is in use. */
    public void postIfInUse(Object key, Mailbox.Event<D> event) {
        D driver = drivers.get(key);
        if (driver != null) {
            post(driver, event);
        }
    }

    /** Posts an event to the machine of a driver, or of the driver that has replaced it. */
    public void post(D driver, Mailbox.Event<D> event) {
        if (!driver.post(event)) {
            post(driver.key(), event);
        }
    }

    void forget(D driver) {
        drivers.remove(driver.key(), driver);
    }

    /** Runs a callback after the earlier ones of that key. */
    public void callBack(Object key, Runnable callback) {
        D driver = drivers.get(key);
        if (driver == null) {
            core.newCallbackQueue().run(callback);
        } else {
            driver.callBack(callback);
        }
    }

    /** Completes what an error has left half done in all machines. */
    public void mendAll() {
        for (D driver : drivers.values()) {
            driver.resume();
            driver.post(Driver::mend);
        }
    }

    /** Returns how many drains were cut short and have not been resumed. */
    public long abandoned() {
        return drivers.values().stream().filter(Mailbox::isAbandoned).count();
    }

    /** Closes all machines. */
    public void closeAll() {
        for (D driver : drivers.values()) {
            driver.post(this::close);
        }
    }
}
