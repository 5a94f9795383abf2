// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.ErrorFlagOwner;
import io.boltwork.machine.latch.LatchChange;
import io.boltwork.machine.latch.LatchMachine;
import io.boltwork.machine.latch.LatchWaiter;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.LatchOpened;
import java.util.BitSet;
import java.util.Collection;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** The latches in use of one client: finds the {@link LatchDriver} of a name, and posts events to it. Thread-safe. */
public final class LatchDrivers extends ErrorFlagOwner {

    final ClientCore core;
    private final ConcurrentHashMap<String, LatchDriver> drivers = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();

    /** The time at which another server took over last; {@link Ticker#NEVER} if none did. */
    private volatile long takenOverAt = Ticker.NEVER;

    public LatchDrivers(ClientCore core) {
        super(core.errorFlag);
        this.core = core;
    }

    /**
     * Posts an event to the machine of a latch. Returns {@code false} if the latch is not in use and the client is
     * closed.
     */
    public boolean post(String name, Mailbox.Event<LatchDriver> event) {
        for (; ; ) {
            LatchDriver driver = drivers.get(name);
            if (driver == null) {
                if (core.isClosed()) {
                    return false;
                }
                driver = drivers.computeIfAbsent(name, this::create);
                if (core.isClosed()) { // close() may have overlooked it
                    driver.post(d -> d.machine.close());
                }
            }
            if (driver.post(event)) {
                return true;
            }
            drivers.remove(name, driver);
        }
    }

    private LatchDriver create(String name) {
        LatchDriver created = new LatchDriver(name, this);
        long at = takenOverAt;
        if (at != Ticker.NEVER) {
            created.machine.takenOver(at);
        }
        return created;
    }

    /** Lets the machine of a latch make a change. */
    public void change(String name, LatchChange change) {
        if (!post(name, driver -> driver.machine.change(change))) {
            change.outcome.decide(new LatchChange.Failed(LatchMachine.closed(name)));
        }
    }

    /** Lets a caller wait for a latch. */
    public void await(String name, LatchWaiter waiter) {
        if (!post(name, driver -> driver.machine.await(waiter))) {
            waiter.outcome.decide(new LatchWaiter.Failed(LatchMachine.closed(name)));
        }
    }

    /** Posts an event to the machine of a latch if it is in use. */
    void postIfInUse(String name, Mailbox.Event<LatchDriver> event) {
        LatchDriver driver = drivers.get(name);
        if (driver != null) {
            driver.post(event);
        }
    }

    public Collection<LatchDriver> all() {
        return drivers.values();
    }

    /** Runs a callback of a latch after the latch's earlier callbacks. */
    public void callBack(String name, Runnable callback) {
        LatchDriver driver = drivers.get(name);
        if (driver == null) {
            core.newCallbackQueue().run(callback);
        } else {
            driver.callbacks.run(callback);
        }
    }

    /** Lets all machines ask again, because the client has a new id. */
    public void renamed() {
        drivers.values().forEach(driver -> driver.post(d -> d.machine.connected(false)));
    }

    void forget(LatchDriver driver) {
        drivers.remove(driver.latch(), driver);
    }

    /** Returns the id of a new change of this client. */
    public String newChange() {
        return core.identity.id() + ':' + changes.incrementAndGet();
    }

    public void opened(LatchOpened opened) {
        postIfInUse(opened.latch(), driver -> driver.machine.opened(opened));
    }

    /** Tells the machines of partitions that a connection was made, maybe to another server. */
    public void connected(BitSet partitions, boolean toAnother) {
        if (toAnother) {
            takenOverAt = core.ticker.nanos(); // before a machine could be overlooked
        }
        forEach(partitions, driver -> driver.post(d -> d.machine.connected(toAnother)));
    }

    /** Tells the machines of partitions that the connection was lost. */
    public void disconnected(BitSet partitions) {
        forEach(partitions, driver -> driver.post(d -> d.machine.disconnected()));
    }

    private void forEach(BitSet partitions, Consumer<LatchDriver> action) {
        for (LatchDriver driver : drivers.values()) {
            if (partitions.get(driver.partition)) {
                action.accept(driver);
            }
        }
    }

    /** Dismisses all callers, because the client is being closed. */
    public void closeAll() {
        drivers.values().forEach(driver -> driver.post(d -> d.machine.close()));
    }
}
