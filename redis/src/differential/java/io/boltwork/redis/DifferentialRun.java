// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.memory.MemoryServer;
import io.boltwork.redis.DifferentialBed.Contents;
import io.boltwork.redis.DifferentialBed.Done;
import io.boltwork.spi.Announce;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One random sequence of commands, executed by a real Redis and by a {@link MemoryServer}. Both must agree on every
 * answer, on every grant, and after every step on the state of the locks and the expiry of their keys.
 *
 * <p>If the clock of Redis stands still, the test sets both clocks before each step, to the microsecond and often to
 * an edge: the end of a lease, or a moment before or after it.
 *
 * <p>Otherwise the memory server's clock follows that of Redis. Before each step it is set to the millisecond that
 * Redis answered. Within this millisecond it is set to the microsecond of the owner's token at Redis, if that token is
 * of this millisecond, because only a new token reveals the microsecond. Any other new token must be the fence's
 * successor, which the memory server finds by itself. After a force release, the fence reveals the microsecond in the
 * same way. So a token of Redis is rejected if it is below its millisecond or not above its fence.
 */
final class DifferentialRun implements DifferentialSequence {
    private static final int STEPS = 400;
    private static final int TRACE = 40;

    /** The least number of places that a ring loses when it is packed, including the new entry's place. */
    private static final int LEAST_PACKED = 49;

    private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli() * 1_000;

    /** The part that is being compared. */
    enum Part {
        ANSWER,
        GRANT,
        STATE,
        KEY
    }

    private final DifferentialBed site;
    private final long seed;
    private final DifferentialCommands commands;
    private final Map<String, Integer> counts;
    private final Map<String, ArrayDeque<Grant>> expected = new LinkedHashMap<>();
    private final DifferentialExpiry expiry = new DifferentialExpiry();
    private final Map<String, Long> announcedUntil = new HashMap<>();
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final MemoryServer memory = MemoryServer.create(() -> Instant.EPOCH.plus(this.micros, ChronoUnit.MICROS));
    private Part part = Part.ANSWER;
    private boolean error;
    private boolean hasLongQueue;
    private String firstInLine = "";
    private int lastPosition;
    private long micros;
    private long life = DifferentialExpiry.LIVES.get(0).toMillis();

    /**
     * A sequence on an empty server.
     *
     * @param counts the number of times that each situation was seen, to be added to
     */
    DifferentialRun(DifferentialBed site, long seed, Map<String, Integer> counts) throws Exception {
        this.site = site;
        this.seed = seed;
        this.counts = counts;
        commands = new DifferentialCommands(seed);
        live(0);
        if (site.clock() != null) {
            setClock(START);
        }
        site.flush();
        site.leftover();
        for (String client : DifferentialCommands.LISTENERS) {
            ArrayDeque<Grant> grants = new ArrayDeque<>();
            memory.subscribe(client, grants::add, message -> grants.add(DifferentialBed.asGrant(message)));
            expected.put(client, grants);
        }
    }

    /**
     * Executes the sequence of the seed. Of ten seeds, one has a long queue, one a queue of clients that are gone, one
     * claims that lapse, one queues at the edges of their bounds, and one conditions.
     */
    @Override
    public void execute() throws Exception {
        if (seed % 10 == 0) {
            hasLongQueue = true;
            queues().manyHoles();
            noOtherGrants();
        } else if (Math.floorMod(seed, 10) == 1) {
            hasLongQueue = true;
            queues().deadWaiters();
            noOtherGrants();
        } else if (Math.floorMod(seed, 10) == 2) {
            queues().lapses();
            noOtherGrants();
        } else if (Math.floorMod(seed, 10) == 3) {
            hasLongQueue = true;
            new DifferentialEdges(this, commands, memory).execute(site.clock() != null);
            noOtherGrants();
        } else if (Math.floorMod(seed, 10) == 4) {
            hasLongQueue = true;
            new DifferentialConditions(this, commands, memory, site.clock() != null)
                    .execute(Math.floorMod(seed, 30) == 4);
            noOtherGrants();
        } else {
            execute(STEPS);
        }
    }

    private DifferentialQueues queues() {
        return new DifferentialQueues(this, commands, memory, site.clock() != null);
    }

    private void execute(int steps) throws Exception {
        for (int i = 0; i < steps; i++) {
            String fault = site.clock() == null ? fault() : fault() + move(commands.moment(micros, expiry));
            if (commands.oneIn(10)) {
                live(commands.below(DifferentialExpiry.LIVES.size()));
            }
            Command<?> command = commands.next();
            note(i + fault, command);
            step(command, commands.oneIn(20));
            if (commands.oneIn(4)) {
                step(commands.lookAtAll(), false);
            }
        }
        noOtherGrants();
    }

    static Command.Acquire wish(String lock, String request) {
        return new Command.Acquire(lock, request, true, 60_000, 0, Long.MAX_VALUE);
    }

    /** Returns the part that differed, or that there was no answer. */
    @Override
    public String difference(Throwable failure) {
        if (!(failure instanceof AssertionError)) {
            return "no answer";
        }
        return error ? "error" : part.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return String.join("\n", trace);
    }

    void note(String when, Command<?> command) {
        trace.add(when + " " + command);
        if (trace.size() > TRACE) {
            trace.remove();
        }
    }

    /** Continues as another client, which has another idle life. */
    private void live(int which) {
        site.live(which);
        Duration idleLife = DifferentialExpiry.LIVES.get(which);
        memory.setIdleLife(idleLife);
        life = idleLife.toMillis();
    }

    /** Deletes the key of a lock at both servers. */
    void delete(String lock) throws Exception {
        site.delete(lock);
        memory.delete(lock);
        expiry.remove(lock);
    }

    private String fault() throws Exception {
        if (commands.oneIn(100)) {
            site.flush();
            memory.flush();
            expiry.clear();
            announcedUntil.clear();
            return " after FLUSHALL";
        } else if (commands.oneIn(30)) {
            String lock = commands.lock();
            delete(lock);
            return " after DEL " + lock;
        } else if (site.clock() != null) {
            return "";
        } else if (commands.oneIn(100)) {
            site.forgetScripts();
            return " after SCRIPT FLUSH";
        } else if (commands.oneIn(5)) {
            TimeUnit.MILLISECONDS.sleep(3); // lets leases lapse
            return " after a pause";
        }
        return "";
    }

    /**
     * Sets the clock, but never to a millisecond at which one server has dropped something and the other will drop it
     * in the next.
     */
    private String move(long to) throws Exception {
        if (to == micros) {
            return "";
        }
        long target = to;
        while (announcedUntil.containsValue(target / 1_000)) {
            target += 1_000;
        }
        setClock(target);
        forget();
        return " at " + target;
    }

    /** Moves both clocks. Requires that the test sets the clock of Redis. */
    void pass(long millis) throws Exception {
        move(micros + millis * 1_000);
    }

    /** Moves both clocks to the beginning of a millisecond. Requires that the test sets the clock of Redis. */
    void passUntil(long millis) throws Exception {
        move(millis * 1_000);
    }

    private void setClock(long to) throws Exception {
        micros = to;
        site.clock().set(to);
        commands.at(to / 1_000);
    }

    /** Checks that expired keys are gone at both servers. */
    private void forget() throws Exception {
        long now = micros / 1_000;
        for (String lock : commands.locks()) {
            if (!expiry.isKnown(lock)) {
                continue;
            }
            part = Part.KEY;
            Contents look = site.look(lock);
            boolean gone = now > expiry.expiresAt(lock);
            assertThat(look.fields().isEmpty())
                    .as("the key of %s has expired", lock)
                    .isEqualTo(gone);
            assertThat(isBlank(memory.execute(new Query.Inspect(lock))))
                    .as("%s has expired in memory", lock)
                    .isEqualTo(gone);
            if (gone) {
                memory.delete(lock); // otherwise it would exist again when the clock goes back
                expiry.remove(lock);
            }
        }
        if (announcedUntil.values().stream().anyMatch(end -> end <= now)) {
            step(new Query.Identify(DifferentialCommands.CLIENTS), false);
            announcedUntil.values().removeIf(end -> end <= now);
        }
    }

    /** Executes one command and compares its answer and the state afterwards. */
    void step(Command<?> command, boolean full) throws Exception {
        if (command instanceof Announce announce) {
            announcedUntil.put(announce.card().id(), micros / 1_000 + announce.lifeMillis());
        }
        part = Part.ANSWER;
        List<String> locks = locks(command);
        Done done = site.execute(command, locks, full);
        Reply actual = done.reply();
        if (actual instanceof Reply.Failed failed) {
            error = true;
            refused(command, failed, full);
            error = false;
            compare(locks, done.looks());
            return;
        }
        long millis = ((Reply.Answer) actual).server().millis();
        if (site.clock() == null) {
            micros = millis * 1_000;
        } else {
            assertThat(millis).as("the server's clock").isEqualTo(micros / 1_000);
        }
        Map<String, Contents> looks = done.looks();
        looks.forEach((lock, look) -> {
            commands.saw(lock, look.lock());
            long moment = moment(command, actual, look.lock());
            if (site.clock() == null && moment / 1_000 == millis) {
                micros = moment;
            }
        });
        Map<String, Inspected> before = new HashMap<>();
        for (String lock : locks) {
            before.put(lock, memory.execute(new Query.Inspect(lock)));
        }
        Reply answer = execute(command);
        assertThat(((Reply.Answer) answer).server().millis()).isEqualTo(millis);
        assertThat(Timeless.of(actual)).isEqualTo(Timeless.of(answer));
        compareGrants();
        for (String lock : locks) {
            expire(command, answer, lock, before.get(lock), millis);
        }
        compare(locks, looks);
        learn(command, answer);
        count(command, answer, before);
    }

    /** Executes one command and compares only its answer. */
    void send(Command<?> command) throws Exception {
        note("", command);
        part = Part.ANSWER;
        String lock = locks(command).get(0);
        Reply actual = site.send(command);
        error = !(actual instanceof Reply.Answer);
        assertThat(actual).isInstanceOf(Reply.Answer.class);
        if (site.clock() == null) {
            long millis = ((Reply.Answer) actual).server().millis();
            micros = actual instanceof Acquired acquired && acquired.token() > 0 ? acquired.token() : millis * 1_000;
        }
        Reply answer = execute(command);
        assertThat(Timeless.of(actual)).isEqualTo(Timeless.of(answer));
        learn(command, answer);
        Inspected after = memory.execute(new Query.Inspect(lock));
        expire(command, answer, lock, after, micros / 1_000);
        if (answer instanceof Acquired acquired && acquired.verdict() == Reply.Verdict.QUEUED && !acquired.known()) {
            pack(after.queue().get(0).request(), acquired.position());
        }
    }

    /** Detects that a ring was packed: a new entry is further to the front than the previous one. */
    private void pack(String first, int position) {
        if (first.equals(firstInLine) && position <= lastPosition - LEAST_PACKED) {
            seen("a ring was packed");
        }
        firstInLine = first;
        lastPosition = position;
    }

    /**
     * Checks that a command for a key of another type, or one that needs memory, was not executed and that the answer
     * says so.
     */
    private void refused(Command<?> command, Reply.Failed failed, boolean full) throws Exception {
        boolean broken = List.of(DifferentialBed.BROKEN).equals(command.locks());
        assertThat(failed.executed()).as("%s", failed).isFalse();
        if (broken) {
            assertThat(failed.cause()).hasMessageContaining("WRONGTYPE");
            assertThat(site.isBrokenIntact()).isTrue();
            seen("refused: no lock");
        } else {
            assertThat(full).as("%s", failed).isTrue();
            assertThat(command).isInstanceOfAny(Command.Acquire.class, Announce.class);
            assertThat(failed.cause()).hasMessageContaining("OOM");
            seen("refused: no memory");
        }
        if (command instanceof Announce announce) {
            announcedUntil.remove(announce.card().id());
            memory.execute(new Announce(announce.card(), 0, ""));
            Reply forgotten = site.send(new Announce(announce.card(), 0, ""));
            assertThat(forgotten).isInstanceOf(Reply.Announced.class);
        }
    }

    /** Returns the memory server's answer, which has no keys of another type. */
    private Reply execute(Command<?> command) {
        if (!(command instanceof Command.Renew renew)) {
            return memory.execute(command);
        }
        List<Command.Renew.Item> items = renew.items();
        Reply.Renewed answer = memory.execute(
                new Command.Renew(items.stream().filter(item -> !isBroken(item)).toList(), renew.notAfter()));
        List<Reply.Renewed.Item> outcomes = new ArrayList<>(answer.items());
        for (int i = 0; i < items.size(); i++) {
            if (isBroken(items.get(i))) {
                outcomes.add(i, new Reply.Renewed.Item(Reply.Renewal.BROKEN, null));
            }
        }
        return new Reply.Renewed(answer.server(), outcomes);
    }

    private static boolean isBroken(Command.Renew.Item item) {
        return item.lock().equals(DifferentialBed.BROKEN);
    }

    private void compare(List<String> locks, Map<String, Contents> looks) {
        for (String lock : locks) {
            part = Part.STATE;
            Inspected snapshot = memory.execute(new Query.Inspect(lock));
            Contents look = looks.get(lock);
            assertThat(Timeless.of(look.lock())).as("the lock %s", lock).isEqualTo(Timeless.of(snapshot));
            part = Part.KEY;
            DifferentialRing.check(look.fields(), snapshot.queue(), !hasLongQueue);
            if (isBlank(snapshot)) {
                assertThat(look.fields()).isEmpty();
            } else {
                assertThat(look.fields()).containsEntry("x", "" + expiry.expiresAt(lock));
                long left = expiry.expiresAt(lock) - look.lock().server().millis();
                if (site.clock() == null) {
                    assertThat(look.ttl()).isBetween(left - Slack.seconds(5).toMillis(), left + 1_000);
                } else {
                    assertThat(look.ttl()).isEqualTo(left);
                }
            }
        }
    }

    /** Records the expiry of a key after a command. */
    private void expire(Command<?> command, Reply answer, String lock, Inspected before, long now) {
        Inspected after = memory.execute(new Query.Inspect(lock));
        if (isBlank(after)
                || now > notAfter(command)
                || !renewal(command, answer, lock).isHeld()) {
            return;
        }
        long left = Math.max(0, after.untilMillis() - now);
        if (command instanceof ForceRelease force
                && (force.expectedToken() == 0 || ((Reply.Forced) answer).released())) {
            expiry.forced(lock, now, left, Math.max(0, before.untilMillis() - now), life);
        } else {
            expiry.used(lock, now, left, life);
        }
    }

    /** Returns the time after which the command leaves the key as it is. */
    private static long notAfter(Command<?> command) {
        if (command instanceof Command.Acquire acquire) {
            return acquire.notAfter();
        } else if (command instanceof Command.Restore restore) {
            return restore.notAfter();
        } else if (command instanceof Command.Renew renew) {
            return renew.notAfter();
        }
        return Long.MAX_VALUE;
    }

    /** Returns the outcome of a lock's renewal, and OK for all other commands. */
    private static Reply.Renewal renewal(Command<?> command, Reply answer, String lock) {
        if (command instanceof Command.Renew renew) {
            int index = renew.items().stream()
                    .map(Command.Renew.Item::lock)
                    .toList()
                    .indexOf(lock);
            return ((Reply.Renewed) answer).items().get(index).outcome();
        }
        return Reply.Renewal.OK;
    }

    private static boolean isBlank(Inspected lock) {
        return lock.owner() == null
                && lock.untilMillis() == 0
                && lock.fence() == 0
                && lock.queue().isEmpty();
    }

    /**
     * Returns the microsecond revealed by a new token, or by a new fence after a force release, whose next owner has
     * the following token.
     */
    private static long moment(Command<?> command, Reply answer, Inspected after) {
        if (command instanceof ForceRelease force
                && (force.expectedToken() == 0 || ((Reply.Forced) answer).released())) {
            return after.owner() == null ? after.fence() : after.token() - 1;
        }
        return after.token();
    }

    private void compareGrants() throws Exception {
        part = Part.GRANT;
        for (Map.Entry<String, ArrayDeque<Grant>> granted : expected.entrySet()) {
            for (Grant wanted = granted.getValue().poll();
                    wanted != null;
                    wanted = granted.getValue().poll()) {
                Grant actual = site.nextGrant(granted.getKey());
                assertThat(actual).as("the grant %s", wanted).isNotNull();
                assertThat(actual.server().millis()).isEqualTo(wanted.server().millis());
                assertThat(Timeless.of(actual)).isEqualTo(Timeless.of(wanted));
                if (actual.leaseMillis() == DifferentialBed.TAKEN) {
                    seen("taken");
                } else if (actual.leaseMillis() == DifferentialBed.WANTED) {
                    seen("wanted");
                } else {
                    commands.saw(actual);
                    seen("grant");
                }
            }
        }
        part = Part.ANSWER;
    }

    private void noOtherGrants() throws Exception {
        part = Part.GRANT;
        assertThat(site.leftover()).as("grants by Redis alone").isEmpty();
    }

    private void learn(Command<?> command, Reply reply) {
        if (command instanceof Command.Acquire acquire) {
            commands.saw(acquire.request(), (Acquired) reply);
        } else if (command instanceof Command.Release release && release.next() != null) {
            commands.saw(release.next().request(), ((Reply.Released) reply).next());
        }
    }

    private void count(Command<?> command, Reply reply, Map<String, Inspected> before) {
        if (command instanceof Command.Renew renew) {
            Reply.Renewed renewed = (Reply.Renewed) reply;
            for (int i = 0; i < renew.items().size(); i++) {
                Command.Renew.Item item = renew.items().get(i);
                seen(
                        isBroken(item)
                                ? "renew: BROKEN"
                                : DifferentialSituation.of(
                                        item,
                                        before.get(item.lock()),
                                        renewed.items().get(i),
                                        renewed.server().millis()));
            }
            long kinds = renewed.items().stream()
                    .map(Reply.Renewed.Item::outcome)
                    .distinct()
                    .count();
            if (kinds > 1) {
                seen("renew: " + kinds + " outcomes");
            }
        } else if (reply instanceof Reply.Announced announced) {
            seen(announced.before().isEmpty() ? "announce" : "announce anew");
        } else if (reply instanceof QueryReply.Identified identified) {
            seen("identify " + (identified.clients().isEmpty() ? "none" : "some"));
        } else if (reply instanceof QueryReply.ScannedLocks scanned) {
            if (scanned.locks().isEmpty()) {
                seen("scan no lock");
            }
            scanned.locks().forEach(lock -> seen("scan a lock " + (lock.holders() == 0 ? "without owner" : "owned")));
        } else if (reply instanceof QueryReply.ScannedClients scanned) {
            seen("scan " + (scanned.clients().isEmpty() ? "no client" : "a client"));
        } else {
            seen(DifferentialSituation.of(command, before.get(locks(command).get(0)), reply));
        }
    }

    private void seen(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    /** Returns the locks of a command, without the key of another type. */
    private static List<String> locks(Command<?> command) {
        return command.locks().stream()
                .filter(lock -> !lock.equals(DifferentialBed.BROKEN))
                .toList();
    }
}
