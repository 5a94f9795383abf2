// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Shrunk;
import io.boltwork.spi.rules.ShareState;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * One random sequence of commands about a shared lock, executed by a real Redis whose clock stands still and by a
 * {@link MemoryServer}. Both must agree on every answer, on every message, and after every step on the whole record of
 * the lock and its expiry.
 */
final class ShareDifferentialRun implements DifferentialSequence {
    private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() * 1_000;
    private static final int TRACE = 60;
    private static final List<Long> EXPIRIES =
            List.of(IdleLife.DEFAULT.toMillis() / 2, IdleLife.DEFAULT.toMillis() / 8 * 7, IdleLife.SET_MILLIS / 2);

    /** A lock whose key is a string. */
    static final String BROKEN = "broken";

    private final ShareDifferentialBed site;
    private final long seed;
    private final ShareDifferentialCommands commands;
    private final Map<String, Integer> counts;
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final Map<String, List<Object>> expected = new TreeMap<>();
    private final MemoryServer memory = MemoryServer.create(() -> Instant.EPOCH.plus(this.micros, ChronoUnit.MICROS));
    private final boolean ages;
    private String part = "";
    private long micros = START;

    /**
     * A sequence on an empty server.
     *
     * @param counts the number of times that each answer was seen, to be added to
     */
    ShareDifferentialRun(ShareDifferentialBed site, long seed, Map<String, Integer> counts) throws Exception {
        this.site = site;
        this.seed = seed;
        this.counts = counts;
        commands = new ShareDifferentialCommands(seed);
        ages = Math.floorMod(seed / ShareDifferentialSequences.KINDS, 2) == 1;
        for (String client : ShareDifferentialCommands.LISTENERS) {
            List<Object> messages = new ArrayList<>();
            expected.put(client, messages);
            memory.subscribe(
                    client, grant -> messages.add(Timeless.of(grant)), message -> messages.add(timeless(message)));
        }
        pass(0);
        site.flush();
    }

    static HolderMessage timeless(HolderMessage message) {
        ServerTime never = new ServerTime(0, "");
        if (message instanceof Shrunk shrunk) {
            return new Shrunk(shrunk.lock(), shrunk.request(), shrunk.capacity(), never, shrunk.kind());
        }
        HoldTaken taken = (HoldTaken) message; // shared locks are not retained
        return new HoldTaken(taken.lock(), taken.request(), taken.token(), never, taken.kind());
    }

    /** Executes the sequence of a seed. */
    @Override
    public void execute() throws Exception {
        new ShareDifferentialSequences(this, commands).executeKindOf(seed);
        step(commands.burial(now())); // the last millisecond in which the restore may be executed
        part = "message";
        site.awaitMessages();
        site.ears()
                .forEach((client, ear) ->
                        assertThat(ear.heard).as("other messages to " + client).isEmpty());
    }

    // ================================================================ state and time

    /** Returns a lock as the memory server sees it. */
    Inspected state(String lock) {
        return memory.execute(new Query.Inspect(lock, commands.kind));
    }

    /** Returns the clock of both servers, in milliseconds. */
    long now() {
        return micros / 1_000;
    }

    void pass(long more) throws Exception {
        micros += more;
        site.clock().set(micros);
    }

    /** Moves both clocks to a millisecond, unless it is in the past. */
    void moveTowards(long millis) throws Exception {
        pass(Math.max(0, millis * 1_000 - micros));
    }

    /** Deletes the key of the lock at both servers. */
    void delete() throws Exception {
        memory.delete(commands.lock);
        site.delete(commands.kind, commands.lock);
        trace.add("deleted");
    }

    // ================================================================ comparison

    void step(Command<?> command) throws Exception {
        step(command, false);
    }

    /**
     * Executes one command, and compares its answer, its messages and the state afterwards.
     *
     * @param full whether Redis has no memory left meanwhile
     */
    void step(Command<?> command, boolean full) throws Exception {
        age(command);
        if (full) {
            site.full(true);
        }
        try {
            send(command, full);
        } finally {
            if (full) {
                site.full(false);
            }
        }
        for (String lock : Set.copyOf(command.locks())) {
            if (!lock.equals(BROKEN)) {
                compare(lock, command);
            }
        }
        compareScan(command);
    }

    private void compareScan(Command<?> command) throws Exception {
        part = "scan";
        Query.ScanLocks scan = new Query.ScanLocks("*", "", 1_000);
        QueryReply.ScannedLocks found = memory.execute(scan);
        assertThat(Timeless.of(site.send(scan)))
                .as("the locks after " + command)
                .isEqualTo(Timeless.of(found));
        found.locks()
                .forEach(lock -> count("Scan " + (lock.holders() == 0 ? "unheld" : lock.claim() ? "claimed" : "held")));
    }

    private void compare(String lock, Command<?> command) throws Exception {
        part = "state";
        assertThat(Timeless.of(site.send(new Query.Inspect(lock, commands.kind))))
                .as("the state after " + command)
                .isEqualTo(Timeless.of(state(lock)));
        Map<String, String> fields = ShareState.of(memory, commands.kind, lock, now());
        assertThat(ShareState.of(site.fields(commands.kind, lock)))
                .as("the fields after " + command)
                .isEqualTo(fields);
        if (!fields.isEmpty()) {
            part = "expiry";
            assertThat(site.timeToLive(commands.kind, lock))
                    .as("the time to live after " + command)
                    .isEqualTo(Long.parseLong(fields.get("x")) - now());
        }
    }

    /** Executes one command, and compares its answer and its messages. */
    void send(Command<?> command) throws Exception {
        age(command);
        send(command, false);
    }

    /**
     * Lets the keys of a command's locks expire soon, in some runs before about every second command. The scripts then
     * take their general way, because only that renews the expiry. The second time is the last one at which that is not
     * due yet, and the third one is due only for a lock whose capacity was set.
     */
    private void age(Command<?> command) throws Exception {
        if (ages && commands.oneIn(2)) {
            long soon = now() + commands.oneOf(EXPIRIES);
            for (String lock : Set.copyOf(command.locks())) {
                if (!lock.equals(BROKEN)) {
                    ShareState.expire(memory, commands.kind, lock, now(), soon);
                    site.expire(commands.kind, lock, soon);
                }
            }
        }
    }

    private void send(Command<?> command, boolean full) throws Exception {
        trace.add((micros - START) / 1_000.0 + " ms " + command + (full ? " without memory" : ""));
        if (trace.size() > TRACE) {
            trace.remove();
        }
        part = "answer";
        Reply rediss = site.send(command);
        if (full && rediss instanceof Reply.Failed failed) {
            assertThat(command).as("a command that fails without memory").isInstanceOf(Command.Acquire.class);
            assertThat(failed.executed()).isFalse();
            assertThat(failed.cause()).hasMessageContaining("memory is full");
            count("Acquire failed");
            return;
        }
        Reply memorys = execute(command);
        part = rediss instanceof Reply.Failed ? "error" : "answer";
        assertThat(Timeless.of(rediss)).as("the answer to " + command).isEqualTo(memorys);
        if (rediss instanceof Reply.Answer answer) {
            assertThat(answer.server().millis()).as("the server's clock").isEqualTo(now());
        }
        learn(command, memorys);
        compareMessages(command);
    }

    private void compareMessages(Command<?> command) throws Exception {
        part = "message";
        for (String client : ShareDifferentialCommands.LISTENERS) {
            for (Object message : expected.get(client)) {
                assertThat(site.ears().get(client).next())
                        .as("a message to " + client + " of " + command)
                        .isEqualTo(message);
                count(message.getClass().getSimpleName());
                if (message instanceof Grant grant) {
                    commands.granted(grant.lock(), grant.request(), grant.token(), grant.blockEnd(), weightOf(grant));
                }
            }
            expected.get(client).clear();
        }
    }

    private int weightOf(Grant grant) {
        return state(grant.lock()).holders().stream()
                .filter(holder -> holder.request().equals(grant.request()))
                .mapToInt(Inspected.Holder::permits)
                .findAny()
                .orElse(1);
    }

    /** Executes a command in memory. A renewal of a broken key has its own outcome at Redis only. */
    private Reply execute(Command<?> command) {
        if (command instanceof Command.Renew renew) {
            List<Command.Renew.Item> whole = renew.items().stream()
                    .filter(item -> !item.lock().equals(BROKEN))
                    .toList();
            List<Reply.Renewed.Item> items = new ArrayList<>(
                    memory.execute(new Command.Renew(whole, renew.notAfter())).items());
            if (items.size() < renew.items().size()) {
                boolean isStale = now() > renew.notAfter();
                items.add(
                        renew.locks().indexOf(BROKEN),
                        new Reply.Renewed.Item(isStale ? Reply.Renewal.STALE : Reply.Renewal.BROKEN, null));
            }
            return Timeless.of(new Reply.Renewed(new ServerTime(0, ""), items));
        }
        return Timeless.of(memory.execute(command));
    }

    private void learn(Command<?> command, Reply reply) {
        count(describe(command, reply));
        if (command instanceof Command.Acquire acquire && reply instanceof Acquired acquired) {
            learn(acquire, acquired);
        } else if (reply instanceof Reply.Released released && released.next() != null) {
            learn(((Command.Release) command).next(), released.next());
        } else if (reply instanceof Reply.Resized resized) {
            commands.resized(resized.set());
        }
    }

    private void learn(Command.Acquire wish, Acquired acquired) {
        if (acquired.verdict() == Reply.Verdict.GRANTED) {
            commands.granted(
                    wish.lock(),
                    wish.request(),
                    acquired.token(),
                    acquired.share().blockEnd(),
                    acquired.share().permits());
        }
    }

    // ================================================================ reports

    private void count(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    private static String describe(Command<?> command, Reply reply) {
        String name = command.getClass().getSimpleName();
        if (reply instanceof Acquired acquired) {
            return (((Command.Acquire) command).queue() ? "Acquire " : "Try ") + of(acquired);
        } else if (reply instanceof Reply.Released released) {
            String next = released.next() == null ? "" : ", next " + of(released.next());
            return name + " " + released.outcome() + next + claim(released.claimMillis());
        } else if (reply instanceof Reply.Withdrawn withdrawn) {
            boolean isNudge = ((Command.Withdraw) command).request() == null;
            return (isNudge ? "Nudge" : name) + (withdrawn.known() ? " known" : "") + claim(withdrawn.claimMillis());
        } else if (reply instanceof Reply.Renewed renewed) {
            Reply.Renewed.Item first = renewed.items().get(renewed.items().size() - 1);
            return name + " " + first.outcome() + claim(first.claimMillis());
        } else if (reply instanceof Reply.Restored restored) {
            return name + " " + restored.outcome() + claim(restored.claimMillis());
        } else if (reply instanceof Reply.Forced forced) {
            return name + (forced.released() ? "" : " nothing") + claim(forced.claimMillis());
        } else if (reply instanceof Reply.Resized resized) {
            return name + claim(resized.claimMillis());
        }
        return name;
    }

    private static String of(Acquired acquired) {
        boolean more = acquired.verdict() == Reply.Verdict.GRANTED && acquired.remainingMillis() == Reply.AGAIN;
        return acquired.verdict() + (acquired.known() ? " known" : "") + (more ? " again" : "");
    }

    private static String claim(long millis) {
        return millis == 0 ? "" : millis < 0 ? " again" : " claims";
    }

    /** Returns the part that differed, or that there was no answer. */
    @Override
    public String difference(Throwable failure) {
        return failure instanceof AssertionError ? part : "no answer";
    }

    @Override
    public String toString() {
        return commands.kind + " of " + commands.capacity + "\n" + String.join("\n", trace);
    }
}
