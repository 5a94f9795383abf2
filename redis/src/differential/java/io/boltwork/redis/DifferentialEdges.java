// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import java.util.List;
import java.util.stream.Stream;

/** Sequences that bring a queue exactly to the edges of its bounds. Random commands hardly ever reach them. */
final class DifferentialEdges {
    private static final int PLACES = LockBackend.PLACES_PER_STEP;

    /** A ring of at least this many places is packed, if most of its first {@link #WINDOW} places are holes. */
    private static final int LONG = 1_000;

    private static final int WINDOW = 100;

    /** Only an entry whose place is a multiple of this number packs the ring. */
    private static final int EVERY = 50;

    /** The next entry packs a ring that ends here, even if its head has moved by as many places as a step examines. */
    private static final int LAST = LONG + PLACES + EVERY - 1;

    private final DifferentialRun run;
    private final DifferentialCommands commands;
    private final MemoryServer memory;
    private final String lock;

    DifferentialEdges(DifferentialRun run, DifferentialCommands commands, MemoryServer memory) {
        this.run = run;
        this.commands = commands;
        this.memory = memory;
        lock = commands.lock();
    }

    /**
     * Executes all of the sequences.
     *
     * @param hasClock whether the test sets the clock of the servers; otherwise no time passes on purpose
     */
    void execute(boolean hasClock) throws Exception {
        theHeadIsAHole();
        halfOfTheWindowIsHoles();
        placesAreLeftForPacking(WINDOW);
        placesAreLeftForPacking(WINDOW - 1);
        aRetainedLockHasHolesInItsQueue(PLACES + WINDOW);
        aRetainedLockHasHolesInItsQueue(2 * PLACES + WINDOW);
        waitingRequestsAreRenewed();
        if (hasClock) {
            theHeadIsAMark();
            aRequestEntersAsAClaimLapses();
            for (int waiting = 1; waiting <= 2; waiting++) {
                shortClaimsEnd(waiting, 0);
                shortClaimsEnd(waiting, LockBackend.SHORT_CLAIM_MILLIS - 1);
            }
        }
    }

    private void theHeadIsAHole() throws Exception {
        start("alice:0");
        enter("bob", 1, LAST);
        for (int i = 2; i <= PLACES + 1 + WINDOW; i++) {
            withdraw("bob:" + i);
        }
        withdraw("bob:1"); // one step does not pass all the holes that follow
        step(wish("carol:1")); // packs the ring, but the window contains only holes
        step(commands.releaseOf(lock));
        nudge();
        nudge();
    }

    private void halfOfTheWindowIsHoles() throws Exception {
        start("alice:0");
        enter("bob", 1, LONG + EVERY - 1);
        for (int i = 2; i <= WINDOW; i += 2) {
            withdraw("bob:" + i);
        }
        step(wish("carol:1"));
        step(wish("carol:2"));
    }

    /** A release grants the lock to another client. It then enters a request, with this many places left to examine. */
    private void placesAreLeftForPacking(int left) throws Exception {
        start("alice:0");
        int gone = PLACES - left - 2; // the place of the new owner and the next one are also examined
        enter("ghost", 1, gone);
        enter("bob", gone + 1, gone + 1);
        enter("carol", gone + 2, LAST);
        for (int i = gone + 3; i < gone + 3 + 2 * WINDOW / 3; i++) { // more holes than entries in the window
            withdraw("carol:" + i);
        }
        Inspected held = inspect();
        step(new Command.Release(lock, "alice:0", held.token(), held.token(), 0, wish("bob:next")));
        step(wish("alice:1"));
    }

    /** The queue of a lock that may be retained has only holes, so many that steps end among them. */
    private void aRetainedLockHasHolesInItsQueue(int holes) throws Exception {
        start("alice:-1");
        enter("bob", 1, holes);
        for (int i = 2; i <= holes; i++) {
            withdraw("bob:" + i);
        }
        withdraw("bob:1");
        step(new Command.Acquire(lock, "carol:1", false, 60_000, 0, Long.MAX_VALUE));
        step(wish("carol:2"));
        step(wish("carol:3"));
    }

    /** One renewal names waiting requests of two locks. Each leaves its own queue. */
    private void waitingRequestsAreRenewed() throws Exception {
        String other = lock + ":other";
        for (String name : List.of(lock, other)) {
            run.delete(name);
            for (String request : List.of("alice:0", "bob:1", "bob:2", "carol:3")) {
                step(DifferentialRun.wish(name, request));
            }
        }
        List<Command.Renew.Item> items = Stream.of(lock, other)
                .map(name -> new Command.Renew.Item(name, "bob:1", 1, 60_000, 0))
                .toList();
        step(new Command.Renew(items, Long.MAX_VALUE));
        for (String name : List.of(lock, other)) {
            step(DifferentialRun.wish(name, "carol:4")); // its position shows where the head is
        }
    }

    /** A step stops at the mark of a client that is gone, after the time of short claims. */
    private void theHeadIsAMark() throws Exception {
        start("alice:0");
        enter("bob", 1, 2 * PLACES + 1);
        step(commands.releaseOf(lock));
        pass(LockBackend.CLAIM_MILLIS);
        nudge();
        pass(LockBackend.SHORT_CLAIMS_LAST_MILLIS + 1);
        nudge();
        step(wish("carol:1"));
        nudge();
    }

    /** A request enters in the millisecond in which a claim lapses. Later its own claim lapses. */
    private void aRequestEntersAsAClaimLapses() throws Exception {
        start("alice:0");
        step(wish("bob:lost"));
        step(wish("carol:holds"));
        step(commands.releaseOf(lock));
        pass(LockBackend.CLAIM_MILLIS);
        step(wish("alice:late"));
        step(wish("carol:holds"));
        pass(LockBackend.SHORT_CLAIMS_LAST_MILLIS - 1);
        step(commands.releaseOf(lock));
        pass(LockBackend.SHORT_CLAIM_MILLIS);
        nudge();
        nudge();
    }

    /**
     * The time of short claims ends while a short claim is outstanding. The server forgets this time when a request
     * leaves the head of the queue, before the claim lapses or in the same step.
     *
     * @param waiting the number of requests that wait behind the claim
     * @param after when the first of them leaves, in milliseconds after the time of short claims
     */
    private void shortClaimsEnd(int waiting, long after) throws Exception {
        start("alice:0");
        for (String request : new String[] {"bob:lost", "carol:holds", "alice:late"}) {
            step(wish(request));
        }
        step(commands.releaseOf(lock));
        pass(LockBackend.CLAIM_MILLIS);
        nudge();
        step(wish("carol:holds"));
        pass(LockBackend.SHORT_CLAIMS_LAST_MILLIS - 1);
        if (waiting > 1) { // otherwise the queue becomes empty and starts at place 1 again
            enter("carol", 0, waiting - 1);
        }
        step(commands.releaseOf(lock));
        if (waiting == 1) {
            step(wish("carol:0"));
        }
        pass(1 + after);
        step(new Command.Withdraw(lock, "carol:0", 0));
        pass(LockBackend.SHORT_CLAIM_MILLIS - 1 - after);
        nudge();
        step(wish("bob:last"));
        for (int i = 0; i < 4; i++) { // at least one claim for each request
            pass(Math.max(1, inspect().untilMillis() - inspect().server().millis()));
            nudge();
        }
    }

    // ================================================================ steps

    private void start(String owner) throws Exception {
        run.delete(lock);
        step(wish(owner));
    }

    private void enter(String client, int from, int to) throws Exception {
        for (int i = from; i <= to; i++) {
            run.send(wish(client + ":" + i));
        }
    }

    private void withdraw(String request) throws Exception {
        run.send(new Command.Withdraw(lock, request, 0));
    }

    private void nudge() throws Exception {
        step(new Command.Withdraw(lock, null, 0));
    }

    private void step(Command<?> command) throws Exception {
        run.step(command, false);
    }

    private void pass(long millis) throws Exception {
        run.pass(millis);
    }

    private Command.Acquire wish(String request) {
        return DifferentialRun.wish(lock, request);
    }

    private Inspected inspect() {
        return memory.execute(new Query.Inspect(lock));
    }
}
