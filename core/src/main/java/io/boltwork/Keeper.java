package io.boltwork;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Renews the leases of a client: visits all that are held every ninth of the shortest, and sends what is due in batches. */
final class Keeper {

    /** Renewals in one command: as many as a server executes within about a millisecond. */
    private static final int BATCH = 128;

    private static final int ROUNDS_PER_LEASE = 9;

    private final Engine engine;

    /** The next round, or none while nothing is held. */
    private final AtomicReference<@Nullable Round> next = new AtomicReference<>();

    /** What a thread collects that has begun to, so that it goes out together. */
    private final ThreadLocal<@Nullable Batches> collected = new ThreadLocal<>();

    /** A round and its time; identity counts. */
    private static final class Round {
        final long at;

        Round(long at) {
            this.at = at;
        }
    }

    /** What is to be renewed, and whose it is. */
    private record Due(LockDriver driver, Command.Renew.Item item) {}

    /** Renewals by partition; what is full goes out. */
    private final class Batches {
        private final Map<Integer, List<Due>> open = new HashMap<>();

        void add(Due due) {
            int partition = due.driver.partition;
            List<Due> batch = open.computeIfAbsent(partition, p -> new ArrayList<>());
            batch.add(due);
            if (batch.size() == BATCH) {
                open.remove(partition);
                send(partition, batch);
            }
        }

        void sendRest() {
            open.forEach(Keeper.this::send);
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
                shortest = Math.min(shortest, driver.renewedLease);
                if (now >= driver.keepAt) {
                    driver.post(d -> d.machine.keep());
                }
            }
            if (shortest != Ticker.NEVER) {
                watch(shortest);
            }
        });
    }

    /** Lets the renewals that {@code events} cause on this thread go out together. */
    void together(Runnable events) {
        Batches batches = new Batches();
        collected.set(batches);
        try {
            events.run();
        } finally {
            collected.remove();
        }
        batches.sendRest();
    }

    /** Sends a renewal, at once, or {@linkplain #together together} with others. */
    void renew(LockDriver driver, Command.Renew.Item item) {
        Due due = new Due(driver, item);
        Batches batches = collected.get();
        if (batches == null) {
            send(driver.partition, List.of(due));
        } else {
            batches.add(due);
        }
    }

    private void send(int partition, List<Due> batch) {
        long sent = engine.ticker.nanos();
        long valid = engine.backend.commandTimeout().toMillis();
        List<Command.Renew.Item> items = new ArrayList<>(batch.size());
        for (Due due : batch) {
            items.add(due.item);
            valid = Math.min(valid, due.item.leaseMillis());
        }
        Command.Renew command =
                new Command.Renew(items, engine.clocks.of(partition).millisAt(sent) + valid);
        engine.backend.send(command, reply -> {
            engine.heard(partition, reply);
            for (int i = 0; i < batch.size(); i++) {
                Due due = batch.get(i);
                if (reply instanceof Reply.Renewed renewed) {
                    Reply.Renewed.Item result = renewed.items().get(i);
                    engine.post(due.driver, driver -> driver.machine.renewed(due.item, sent, result));
                } else {
                    engine.post(due.driver, driver -> driver.machine.renewalFailed(due.item.request()));
                }
            }
        });
    }
}
