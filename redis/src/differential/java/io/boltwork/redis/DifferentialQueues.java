// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import java.util.List;

/** Sequences about the queue of one lock: a long queue with holes, dead waiters, and claims that lapse. */
final class DifferentialQueues {
    private static final int LAPSES = 400;

    private final DifferentialRun run;
    private final DifferentialCommands commands;
    private final MemoryServer memory;
    private final String lock;
    private final boolean hasClock;

    /** @param hasClock whether the test sets the clock of the servers; otherwise no time passes on purpose */
    DifferentialQueues(DifferentialRun run, DifferentialCommands commands, MemoryServer memory, boolean hasClock) {
        this.run = run;
        this.commands = commands;
        this.memory = memory;
        this.hasClock = hasClock;
        lock = commands.lock();
    }

    /** Executes a queue of many hundreds with many holes in it, which is served to its end. */
    void manyHoles() throws Exception {
        step(wish("alice:0"));
        if (hasClock) {
            lapseAtTheHead();
        }
        String before = "none:0";
        int wishes = 1_020 + commands.below(100);
        for (int i = 1; i <= wishes; i++) {
            String request = enter(i);
            boolean early = i < 100; // while a ring with many holes is still small
            if (early != commands.oneIn(early ? 10 : 3)) { // removes the previous entry, which leaves a hole
                run.send(new Command.Withdraw(lock, before, 0));
            }
            before = request;
        }
        thin(2);
        for (int i = 1; i <= 60; i++) {
            enter(wishes + i); // one entry in 50 finds more holes than entries
        }
        thin(3);
        step(new ForceRelease(lock, 0));
        for (int i = 0; i < 40; i++) {
            if (commands.oneIn(6) && hasClock) {
                run.pass(3_000); // the claim lapses, and all requests of its client are dropped
                step(commands.oneIn(2) ? commands.newerRestore(lock) : new Command.Withdraw(lock, null, 0));
            }
            step(commands.releaseOf(lock));
        }
    }

    /**
     * Leaves the traces of lapsed claims at the head of a queue: an entry that does not count, the end entry of the
     * gone client, and an entry that is there for the second time.
     */
    private void lapseAtTheHead() throws Exception {
        for (String request : List.of("bob:lost", "carol:late", "alice:keep", "carol:stay", "bob:gone")) {
            run.send(wish(request));
        }
        step(commands.releaseOf(lock));
        for (long claim : List.of(LockBackend.CLAIM_MILLIS, LockBackend.SHORT_CLAIM_MILLIS)) {
            run.pass(claim);
            step(new Command.Withdraw(lock, null, 0));
        }
        step(wish("alice:keep"));
    }

    /** Executes a short queue of clients that confirm their claims, or do not, over a few minutes. */
    void lapses() throws Exception {
        List<Long> pauses = List.of(1L, 299L, 300L, 301L, 3_000L, 10_000L, 29_000L, 30_000L);
        step(new Command.Withdraw(lock, null, 0));
        for (int i = 0; i < LAPSES; i++) {
            Inspected now = inspect();
            if (hasClock && commands.oneIn(2)) {
                boolean atTheEnd = now.claim() && !commands.oneIn(3);
                long pause = pauses.get(commands.below(pauses.size()));
                if (atTheEnd) {
                    run.passUntil(now.untilMillis());
                } else {
                    run.pass(pause);
                }
            }
            String client = DifferentialCommands.LISTENERS.get(commands.below(3));
            long lease = commands.oneIn(5) ? 250 : 60_000;
            Command<?> wish = new Command.Acquire(
                    lock, client + ":" + i, !commands.oneIn(4), lease, commands.oneIn(4) ? 5 : 0, Long.MAX_VALUE);
            int dice = commands.below(10);
            Command<?> command = wish;
            if (dice < 2) {
                command = commands.releaseOf(lock);
            } else if (dice == 2) {
                command = new Command.Withdraw(lock, null, 0);
            } else if (dice == 3 && now.owner() != null) { // confirms its claim
                command = wish(now.owner());
            } else if (dice < 6 && !now.queue().isEmpty()) {
                String waiting =
                        now.queue().get(commands.below(now.queue().size())).request();
                command = commands.oneIn(3) ? new Command.Withdraw(lock, waiting, 0) : wish(waiting);
            } else if (dice == 6 && commands.oneIn(3)) {
                command = commands.newerRestore(lock);
            } else if (dice == 7 && now.fence() > 0) {
                // the owner renews, or a request that waits again because its claim has lapsed
                String request = now.owner() != null && commands.oneIn(2)
                                || now.queue().isEmpty()
                        ? now.owner()
                        : now.queue().get(commands.below(now.queue().size())).request();
                command = commands.renewalOf(lock, request == null ? client + ":0" : request);
            }
            run.note("" + i, command);
            step(command);
        }
    }

    /** Executes a queue in which hundreds in a row do not listen, or do not confirm their claims. */
    void deadWaiters() throws Exception {
        run.send(wish("alice:0"));
        int number = 0;
        for (int part = 0; part < 4; part++) {
            String client = part > 0 && commands.oneIn(3) ? "bob" : "ghost";
            int wishes = part == 0 ? 1_500 : 1 + commands.below(commands.oneIn(2) ? 100 : 400);
            for (int i = 0; i < wishes; i++) {
                String request = (client.equals("ghost") ? client + commands.below(3) : client) + ":" + ++number;
                run.send(new Command.Acquire(lock, request, true, 60_000, commands.oneIn(9) ? 5 : 0, Long.MAX_VALUE));
            }
            run.send(wish("carol:" + ++number));
        }
        step(new Command.Withdraw(lock, "ghost:0", 0));
        Inspected held = inspect();
        Command.Acquire next = wish("bob:next");
        // more waiters are gone than one command skips, or than three skip
        step(new Command.Release(lock, "alice:0", held.token(), held.token(), 0, next));
        step(new Command.Acquire(lock, "carol:try", false, 60_000, 0, Long.MAX_VALUE));
        step(wish("carol:wish"));
        for (int i = 0; i < 60; i++) {
            Inspected now = inspect();
            if (now.claim() && hasClock && !commands.oneIn(3)) { // the claim lapses
                run.passUntil(now.untilMillis());
            }
            String carol = "carol:" + (commands.oneIn(2) ? number : number + i);
            Command.Acquire wish = new Command.Acquire(lock, carol, commands.oneIn(2), 60_000, 0, Long.MAX_VALUE);
            switch (commands.below(5)) {
                case 0 -> step(wish);
                case 1 -> step(new Command.Withdraw(lock, null, 0));
                case 2 ->
                    step(
                            now.owner() == null
                                    ? wish
                                    : new Command.Release(
                                            lock, now.owner(), now.token(), now.token(), 0, wish("bob:0")));
                case 3 -> step(new Command.Withdraw(lock, "bob:" + commands.below(number), 0));
                default -> step(commands.releaseOf(lock));
            }
        }
    }

    /** Adds a request to a queue, which now and then asks again. */
    private String enter(int number) throws Exception {
        String request = DifferentialCommands.CLIENTS.get(commands.below(4)) + ":" + number;
        Command.Acquire wish = new Command.Acquire(lock, request, true, 3_000, 0, Long.MAX_VALUE);
        run.send(wish);
        if (commands.oneIn(50)) {
            step(wish);
        }
        return request;
    }

    /** Removes all but one in {@code n} requests from a queue. */
    private void thin(int n) throws Exception {
        Inspected full = inspect();
        for (Inspected.Waiting waiting : full.queue()) {
            if (!commands.oneIn(n)) {
                run.send(new Command.Withdraw(lock, waiting.request(), 0));
            }
        }
    }

    private void step(Command<?> command) throws Exception {
        run.step(command, false);
    }

    private Command.Acquire wish(String request) {
        return DifferentialRun.wish(lock, request);
    }

    private Inspected inspect() {
        return memory.execute(new Query.Inspect(lock));
    }
}
