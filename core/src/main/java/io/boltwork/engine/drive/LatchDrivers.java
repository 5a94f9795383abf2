// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.engine.client.ClientCore;
import io.boltwork.machine.latch.LatchChange;
import io.boltwork.machine.latch.LatchMachine;
import io.boltwork.machine.latch.LatchWaiter;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.LatchOpened;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLong;

/** The latches in use of one client. Thread-safe. */
public final class LatchDrivers extends Drivers<LatchDriver> {

    private final AtomicLong changes = new AtomicLong();

    /** The time at which another server took over last; {@link Ticker#NEVER} if none did. */
    private volatile long takenOverAt = Ticker.NEVER;

    public LatchDrivers(ClientCore core) {
        super(core);
    }

    @Override
    LatchDriver create(Object name) {
        LatchDriver created = new LatchDriver((String) name, this);
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

    /** Lets all machines ask again, because the client has a new id. */
    public void renamed() {
        all().forEach(driver -> driver.post(d -> d.machine.connected(false)));
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

    @Override
    void close(LatchDriver driver) {
        driver.machine.close();
    }
}
