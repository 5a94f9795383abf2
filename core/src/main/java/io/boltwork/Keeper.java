package io.boltwork;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Renews the leases of a client: visits all that are held every ninth of the shortest, and sends what is due in batches. */
final class Keeper {

    /** Renewals in one command: as many as a server executes well within a millisecond. */
    private static final int BATCH = 100;

    private static final int ROUNDS_PER_LEASE = 9;

    private final Engine engine;
    private final ConcurrentLinkedQueue<Command.Renew.Item> due = new ConcurrentLinkedQueue<>();

    /** When the next round is; {@link Ticker#NEVER} while nothing is held. */
    private final AtomicLong roundAt = new AtomicLong(Ticker.NEVER);

    /** Set while a round collects, so that its renewals go out together. */
    private volatile @Nullable Thread collecting;

    Keeper(Engine engine) {
        this.engine = engine;
    }

    /** A lease of that length is held from now on. */
    void watch(long leaseNanos) {
        long now = engine.ticker.nanos();
        long at = now + leaseNanos / ROUNDS_PER_LEASE;
        for (; ; ) {
            long next = roundAt.get();
            if (next <= at) {
                return;
            }
            if (roundAt.compareAndSet(next, at)) {
                engine.scheduler.schedule(this::round, at - now);
                return;
            }
        }
    }

    private void round() {
        long now = engine.ticker.nanos();
        long at = roundAt.get();
        if (now < at || !roundAt.compareAndSet(at, Ticker.NEVER)) {
            return; // an earlier round has been put in its place, or has done its work
        }
        long shortest = Ticker.NEVER;
        collecting = Thread.currentThread();
        for (LockDriver driver : engine.drivers()) {
            Hold hold = driver.machine.hold();
            if (hold != null) {
                if (hold.request.options.isRenewed()) {
                    shortest = Math.min(shortest, TimeUnit.MILLISECONDS.toNanos(hold.request.options.leaseMillis()));
                }
                driver.mailbox.post(d -> d.machine.keep());
            }
        }
        collecting = null;
        flush();
        if (shortest != Ticker.NEVER) {
            watch(shortest);
        }
    }

    /** Sends a renewal, together with others if this is called in a round. */
    void renew(Command.Renew.Item item) {
        due.add(item);
        if (collecting != Thread.currentThread()) {
            flush();
        }
    }

    private void flush() {
        Map<Integer, List<Command.Renew.Item>> batches = new HashMap<>();
        for (Command.Renew.Item item; (item = due.poll()) != null; ) {
            int partition = engine.backend.partition(item.lock());
            List<Command.Renew.Item> batch = batches.computeIfAbsent(partition, p -> new ArrayList<>());
            batch.add(item);
            if (batch.size() == BATCH) {
                send(batch);
                batches.remove(partition);
            }
        }
        batches.values().forEach(this::send);
    }

    private void send(List<Command.Renew.Item> batch) {
        long sent = engine.ticker.nanos();
        long valid = engine.backend.commandTimeout().toMillis();
        for (Command.Renew.Item item : batch) {
            valid = Math.min(valid, item.leaseMillis());
        }
        Command.Renew command = new Command.Renew(batch, engine.serverClock.millisAt(sent) + valid);
        engine.backend.send(command, reply -> {
            engine.heard(reply);
            if (reply instanceof Reply.Renewed renewed) {
                for (int i = 0; i < command.items().size(); i++) {
                    Command.Renew.Item item = command.items().get(i);
                    Reply.Renewed.Item result = renewed.items().get(i);
                    engine.post(item.lock(), driver -> driver.machine.renewed(item, sent, result));
                }
            } else {
                for (Command.Renew.Item item : command.items()) {
                    engine.post(item.lock(), driver -> driver.machine.renewalFailed(item.request()));
                }
            }
        });
    }
}
