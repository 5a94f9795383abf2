package io.boltwork;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Renews the leases of a client: visits all that are held every ninth of the shortest, and sends what is due in batches. */
final class Keeper {

    /** Renewals in one command: as many as a server executes well within a millisecond. */
    private static final int BATCH = 100;

    private static final int ROUNDS_PER_LEASE = 9;

    private final Engine engine;
    private final ConcurrentLinkedQueue<Command.Renew.Item> due = new ConcurrentLinkedQueue<>();

    /** The next round, or none while nothing is held. */
    private final AtomicReference<@Nullable Round> next = new AtomicReference<>();

    /** Who collects renewals at the moment, so that they go out together. */
    private volatile @Nullable Thread collecting;

    /** A round and its time; identity counts. */
    private static final class Round {
        final long at;

        Round(long at) {
            this.at = at;
        }
    }

    Keeper(Engine engine) {
        this.engine = engine;
    }

    /** A lease of that length is held from now on. */
    void watch(long leaseNanos) {
        long at = engine.ticker.nanos() + leaseNanos / ROUNDS_PER_LEASE;
        for (; ; ) {
            Round planned = next.get();
            if (planned != null && planned.at <= at) {
                return;
            }
            Round earlier = new Round(at);
            if (next.compareAndSet(planned, earlier)) { // the planned one finds that it is not the next any more
                schedule(earlier);
                return;
            }
        }
    }

    private void schedule(Round round) {
        engine.scheduler.schedule(() -> round(round), round.at - engine.ticker.nanos());
    }

    private void round(Round round) {
        if (engine.ticker.nanos() < round.at) {
            schedule(round);
            return;
        }
        if (!next.compareAndSet(round, null)) {
            return; // another one was put in its place
        }
        together(() -> {
            long now = engine.ticker.nanos();
            long shortest = Ticker.NEVER;
            for (LockDriver driver : engine.drivers()) {
                Hold hold = driver.machine.hold();
                if (hold != null) {
                    if (hold.request.options.isRenewed()) {
                        shortest = Math.min(shortest, hold.request.options.leaseMillis);
                    }
                    // two of three visits find nothing to do, and the way to the machine costs more than the look
                    if (hold.request.isToBeKept(now)) {
                        driver.mailbox.post(d -> d.machine.keep());
                    }
                }
            }
            if (shortest != Ticker.NEVER) {
                watch(TimeUnit.MILLISECONDS.toNanos(shortest));
            }
        });
    }

    /** Lets the renewals that {@code events} cause on this thread go out together. */
    void together(Runnable events) {
        collecting = Thread.currentThread();
        events.run();
        collecting = null;
        flush();
    }

    /** Sends a renewal, at once, or {@linkplain #together together} with others. */
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
                send(partition, batch);
                batches.remove(partition);
            }
        }
        batches.forEach(this::send);
    }

    private void send(int partition, List<Command.Renew.Item> batch) {
        long sent = engine.ticker.nanos();
        long valid = engine.backend.commandTimeout().toMillis();
        for (Command.Renew.Item item : batch) {
            valid = Math.min(valid, item.leaseMillis());
        }
        Command.Renew command =
                new Command.Renew(batch, engine.clocks.of(partition).millisAt(sent) + valid);
        engine.backend.send(command, reply -> {
            engine.heard(partition, reply);
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
