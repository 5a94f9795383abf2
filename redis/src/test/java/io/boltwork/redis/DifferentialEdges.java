package io.boltwork.redis;

import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply.Inspected;
import java.util.List;
import java.util.stream.Stream;

/** Sequences that bring a queue exactly to the edges of its bounds, which random commands hardly ever reach. */
final class DifferentialEdges {
    private static final int PLACES = LockBackend.PLACES_PER_STEP;

    /** The number of places that are examined when a ring is packed. */
    private static final int WINDOW = 100;

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
     * Executes all of them.
     *
     * @param hasClock whether the test sets the clock of the servers
     */
    void execute(boolean hasClock) throws Exception {
        theHeadIsAHole();
        halfOfTheWindowIsHoles();
        placesAreLeftForPacking(WINDOW);
        placesAreLeftForPacking(WINDOW - 1);
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
        enter("bob", 1, 1_299);
        for (int i = 2; i <= PLACES + WINDOW + 10; i++) {
            withdraw("bob:" + i);
        }
        withdraw("bob:1"); // more holes follow than one step passes
        step(wish("carol:1")); // looks for holes: the window has nothing else
        step(commands.releaseOf(lock));
        nudge();
        nudge();
    }

    private void halfOfTheWindowIsHoles() throws Exception {
        start("alice:0");
        enter("bob", 1, 1_049);
        for (int i = 2; i <= WINDOW; i += 2) {
            withdraw("bob:" + i);
        }
        step(wish("carol:1"));
        step(wish("carol:2"));
    }

    /** A release gives the lock to another client, and enters a request with just so many places left. */
    private void placesAreLeftForPacking(int left) throws Exception {
        start("alice:0");
        int gone = PLACES - left - 2; // the new owner's place and the next one are examined too
        enter("ghost", 1, gone);
        enter("bob", gone + 1, gone + 1);
        enter("carol", gone + 2, 1_299);
        for (int i = gone + 3; i < gone + 3 + 2 * WINDOW / 3; i++) {
            withdraw("carol:" + i);
        }
        Inspected held = inspect();
        step(new Command.Release(lock, "alice:0", held.token(), held.token(), 0, wish("bob:next")));
        step(wish("alice:1"));
    }

    /** One renewal names waiting requests of two locks: both leave their queues, which have nothing in common. */
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
            step(DifferentialRun.wish(name, "carol:4")); // its position tells where the head is
        }
    }

    /** A step stops at the mark of a client that is gone, at a time when claims are not short any more. */
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

    /** The claim of a request that entered in the millisecond in which another claim lapsed lapses too. */
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
     * The time of short claims ends while a short claim is outstanding. That time is forgotten when a request leaves the head of
     * the queue, before the claim lapses or in the same step.
     *
     * @param waiting how many requests wait behind the claim
     * @param after when a request leaves, in milliseconds from the end of that time on
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
        if (waiting > 1) { // else the queue is empty in between, and begins anew
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
        for (int i = 0; i < 4; i++) {
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
        return memory.execute(new Command.Inspect(lock));
    }
}
