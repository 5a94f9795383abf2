// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import io.boltwork.LockException;
import io.boltwork.LockKind;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.Waiter;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Share;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The driver of a part of a shared lock. A part is held by one owner at a time, so its machine is that of a plain lock.
 * A {@link LanePool} has the lanes of one lock, as many as the client holds and wants parts.
 */
public final class ShareLane extends LockDriver {

    private final String key;
    private final LanePool pool;
    private final boolean isOfWriters;

    /** The numbers of the requests that the pool knows to be of this lane. Used inside the mailbox only. */
    private final List<Long> numbers = new ArrayList<>(2);

    public ShareLane(String key, LockDrivers drivers) {
        super(LaneKey.nameOf(key), drivers);
        this.key = key;
        this.isOfWriters = kind() == LockKind.READ_WRITE && key.equals(ReadWritePool.writers(lock()));
        this.pool = drivers.pools.join(key);
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public LockKind kind() {
        return LaneKey.kindOf(key);
    }

    @Override
    public Share share(int permits) {
        return pool.share(permits);
    }

    // ================================================================ what concerns the other lanes, too

    @Override
    public void heard(Reply.Acquired answer) {
        pool.heard(answer);
    }

    @Override
    public void forgotten() {
        pool.forgotten(key);
    }

    @Override
    public void dismissed(LockException cause) {
        for (Waiter waiter; (waiter = pool.poll()) != null; ) {
            machine.fail(waiter, cause);
        }
    }

    @Override
    public @Nullable Waiter served(Waiter asked) {
        return pool.served(asked);
    }

    @Override
    public long newRequest() {
        long number = super.newRequest();
        numbers.add(number);
        pool.register(number, key);
        return number;
    }

    @Override
    void release(Hold left) {
        Waiter next = pool.next(key);
        if (next != null) {
            machine.request(next);
        }
        machine.release(left);
        pool.leaves(left);
    }

    @Override
    public void reads(Hold reader) {
        pool.reads(reader);
    }

    @Override
    public boolean isOfWriters() {
        return isOfWriters;
    }

    @Override
    public void elsewhere(Waiter reader) {
        pool.elsewhere(reader, key);
    }

    @Override
    public boolean settled() {
        numbers.removeIf(number -> {
            boolean over = !machine.knows(number);
            if (over) {
                pool.unregister(number);
            }
            return over;
        });
        pool.settled(key, machine);
        return super.settled();
    }

    @Override
    public void retired() {
        pool.left(key);
        super.retired();
    }

    @Override
    public String toString() {
        return "a lane of " + pool;
    }
}
