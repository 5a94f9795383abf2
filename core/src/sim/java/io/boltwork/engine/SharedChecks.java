// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLostException;
import io.boltwork.engine.drive.LockDriver;
import io.boltwork.machine.request.Hold;
import io.boltwork.machine.request.MissedTime;
import io.boltwork.machine.request.Request;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the shared locks of a simulated run: the {@link Property properties} of plain locks, with weights. Calls that
 * must end, and the state at the end, are checked as for plain locks.
 */
final class SharedChecks {

    /** An extension may be longer than the lease. */
    private static final long LONGEST_EXTENSION = 2 * Plan.SECOND;

    /** A claim whose message was lost, and a safety poll. */
    private static final long LONGEST_IDLE = 9 * Plan.SECOND;

    /** A late acquire may be executed until its not-after, and the withdrawal after that may be slow and repeated. */
    private static final long LONGEST_ORPHAN = 2_500 * Plan.MILLI;

    /** Four of the longest round trips without faults, and a little more. */
    private static final long LONGEST_SLICE = 3 * Plan.MILLI;

    private static final int ONE_IN = 4;

    private final Simulation simulation;
    private final VirtualTime time;
    private final Random random;

    /** True if no state is to be passed over. */
    private final boolean isExhaustive;

    private final Map<String, SharedLockHistory> locks = new LinkedHashMap<>();

    /** Observes the holds by which users have begun to work in this event. */
    private final List<Runnable> used = new ArrayList<>();

    /** The conditions that hold just now and must not last, and since when. */
    private final Map<String, Long> since = new HashMap<>();

    SharedChecks(Simulation simulation) {
        this.simulation = simulation;
        this.time = simulation.time;
        this.isExhaustive = time instanceof Exploration;
        this.random = simulation.plan.random("shared properties");
        for (String lock : simulation.plan.locks()) {
            if (SharedName.isShared(lock)) {
                locks.put(lock, new SharedLockHistory(simulation.cluster.lock(lock)));
            }
        }
    }

    private void require(boolean condition, Property property, Supplier<String> violation) {
        simulation.require(condition, property, violation);
    }

    // ================================================================ commands and faults

    void executed(Command<?> command, Reply reply) {
        if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired answer) {
            granted(acquire, answer);
        } else if (command instanceof Command.Release release
                && reply instanceof Reply.Released answer
                && release.next() != null
                && answer.next() != null) {
            granted(release.next(), answer.next());
        } else if (command instanceof Command.Withdraw withdraw && withdraw.request() != null) {
            locks.get(withdraw.lock()).withdrawn.add(withdraw.request());
        } else if (command instanceof Command.Restore restore
                && reply instanceof Reply.Restored answer
                && answer.outcome() == Reply.Renewal.OK) {
            simulation.history.restores++;
            for (ObservedHold hold : locks.get(restore.lock()).live) {
                if (hold.hold.request.id().equals(restore.request())) {
                    hold.knownToServerSince = time.now();
                }
            }
        }
    }

    private void granted(Command.Acquire acquire, Reply.Acquired answer) {
        if (answer.verdict() == Reply.Verdict.GRANTED) {
            granted(locks.get(acquire.lock()), acquire.request(), answer.token());
        }
    }

    void published(Grant grant) {
        granted(locks.get(grant.lock()), grant.request(), grant.token());
    }

    void grantLost(Grant grant) {
        locks.get(grant.lock()).lostGrants.add(grant.token());
    }

    private void granted(SharedLockHistory lock, String request, long token) {
        boolean repeated =
                lock.granted.stream().anyMatch(before -> before.request().equals(request) && before.token() == token);
        if (repeated) {
            return;
        }
        SharedLockHistory.Granted last = lock.granted.isEmpty() ? null : lock.granted.get(lock.granted.size() - 1);
        require(
                last == null
                        || last.token() < token
                        || last.at() == time.now() // by the same command, which publishes before it answers
                        || lock.data.hasGoneBack()
                        || lock.data.wasLostAhead(last.token() + 1, last.at()), // or in the same microsecond
                Property.TOKENS_GROW,
                () -> lock.name + " was granted with token " + token + " to " + request + " after " + last);
        lock.granted.add(new SharedLockHistory.Granted(request, token, time.now()));
    }

    void forceRelease(String name) {
        SharedLockHistory lock = locks.get(name);
        lock.data.look().holders().forEach(holder -> lock.forced.add(holder.request()));
        lock.live.forEach(hold -> lock.forced.add(hold.hold.request.id()));
    }

    // ================================================================ after every event

    /** Records a hold under which a user works, even if its machine does not have it. */
    void used(SimulatedClient client, String name, Hold hold) {
        used.add(() -> observe(locks.get(name), client, hold));
    }

    private void observe(SharedLockHistory lock, SimulatedClient client, Hold hold) {
        if (lock.isNew(client, hold, time.now())) {
            begins(lock, lock.seen(hold));
        }
    }

    /** Returns whether a living client has a hold that is not over. */
    boolean hasHolds() {
        return locks.values().stream().anyMatch(lock -> !lock.live.isEmpty());
    }

    void afterEvent(List<SimulatedClient> clients) {
        if (locks.isEmpty()) {
            return;
        }
        for (SimulatedClient client : clients) {
            if (!client.isDead()) {
                for (LockDriver driver : client.engine.drivers.all()) {
                    for (Hold hold : driver.machine.owners()) {
                        observe(locks.get(driver.lock()), client, hold);
                    }
                }
            }
        }
        used.forEach(Runnable::run); // mostly known by now
        used.clear();
        locks.values().forEach(this::afterEvent);
    }

    private void begins(SharedLockHistory lock, ObservedHold begun) {
        simulation.history.holds++;
        simulation.timeline.add(begun.client.id, "holds", lock.name, "token", begun.hold.token, begun.hold.owner());
        Request request = begun.hold.request;
        if (begun.hold.token == request.firstToken) {
            return;
        }
        simulation.history.handovers++;
        boolean joins = begun.hold.isReader() && request.terms.permits == 1; // otherwise its thread is the writer
        if (joins && simulation.plan.weather() == Plan.Weather.FAIR) {
            long began = lock.live.stream()
                    .filter(hold -> hold.hold.request == request)
                    .mapToLong(hold -> hold.since)
                    .min()
                    .orElse(begun.since);
            require(
                    begun.since - began < LONGEST_SLICE,
                    Property.BOUNDED_BYPASS,
                    () -> begun + " joins a hold that began at " + began / Plan.MICRO + " µs");
        }
    }

    private void afterEvent(SharedLockHistory lock) {
        lock.live.removeIf(hold -> hold.hold.isOver() || hold.client.isDead());
        List<ObservedHold> valid = new ArrayList<>();
        for (ObservedHold hold : lock.live) {
            if (hold.hold.isValid() && !hold.client.mayNotKnowOfSuspension()) {
                if (!lock.forced.contains(hold.hold.request.id())) {
                    valid.add(hold);
                }
            } else if (!hold.ended && !hold.hold.isValid() && !hold.hold.isUnverified()) {
                hold.ended = true;
                ended(hold);
            }
        }
        together(lock, valid);
        for (ObservedHold hold : valid) {
            if (isExhaustive || random.nextInt(ONE_IN) == 0) {
                leaseAtServer(lock, hold);
            }
        }
    }

    /** Checks that the holds have no more than there is, and that their tokens differ, unless the server lost data. */
    private void together(SharedLockHistory lock, List<ObservedHold> valid) {
        if (valid.size() < 2) {
            return;
        }
        Map<String, ObservedHold> byRequest = new HashMap<>();
        Set<Long> tokens = new HashSet<>();
        long oldest = Long.MAX_VALUE;
        long newest = 0;
        long longest = LONGEST_EXTENSION;
        for (ObservedHold hold : valid) {
            byRequest.merge(
                    hold.hold.request.id(), hold, (one, other) -> lock.weight(one) > lock.weight(other) ? one : other);
            oldest = Math.min(oldest, hold.grantedAt);
            newest = Math.max(newest, hold.grantedAt);
            longest = Math.max(longest, hold.hold.request.terms.leaseMillis * Plan.MILLI);
        }
        long weights = byRequest.values().stream().mapToLong(lock::weight).sum();
        if (weights > lock.capacity) {
            long from = oldest;
            long latest = valid.stream().mapToLong(hold -> hold.since).max().orElse(0);
            long bound = longest;
            require(
                    lock.data.losses(from, time.now()) > 0 || lock.data.hasGoneBack(),
                    Property.EXCLUSION,
                    () -> "of " + lock.name + " " + weights + " are held, by " + valid);
            require(
                    time.now() - latest < bound,
                    Property.EXCLUSION,
                    () -> "of " + lock.name + " " + weights + " are held for long, by " + valid);
        }
        for (ObservedHold hold : valid) {
            boolean shares = hold.hold.isReader() && hold.hold.request.terms.permits != 1; // the token of its writer
            require(
                    tokens.add(hold.hold.token) || shares || lock.data.losses(0, time.now()) > 0,
                    Property.TOKENS_GROW,
                    () -> hold + " has the token of another hold: " + valid);
        }
        writersAndReaders(lock, valid);
    }

    /** Checks that of holds that exclude each other the one that was granted later has the larger token. */
    private void writersAndReaders(SharedLockHistory lock, List<ObservedHold> valid) {
        for (ObservedHold writer : valid) {
            if (lock.isWriter(writer)) {
                valid.stream()
                        .filter(other -> other.hold.request != writer.hold.request)
                        .sorted(Comparator.comparingLong(other -> other.hold.token))
                        .forEach(other -> require(
                                other.grantedAt < writer.grantedAt == other.hold.token < writer.hold.token
                                        || lock.data.hasGoneBack()
                                        || lock.data.wasLostAhead(
                                                Math.max(other.hold.token, writer.hold.token),
                                                Math.min(other.grantedAt, writer.grantedAt)),
                                Property.TOKENS_GROW,
                                () -> "tokens do not tell which hold is newer: " + writer + ", " + other));
            }
        }
    }

    private void leaseAtServer(SharedLockHistory lock, ObservedHold hold) {
        if (lock.data.losses(hold.knownToServerSince, time.now()) > 0) {
            return;
        }
        Request request = hold.hold.request;
        MissedTime missed = request.missedTime();
        long end = hold.client.realTime(request.deadline()) - (missed == null ? 0 : missed.missed());
        QueryReply.Inspected record = lock.data.look();
        require(
                record.holders().stream()
                        .anyMatch(holder -> holder.request().equals(request.id())
                                && holder.permits() >= lock.weight(hold)
                                && lock.data.server().virtual(holder.untilMillis()) >= end
                                && record.fence() >= hold.hold.token),
                Property.LEASE_AT_SERVER,
                () -> hold + " is valid until " + end / Plan.MICRO + " µs, and the server has " + record);
    }

    private void ended(ObservedHold hold) {
        Request request = hold.hold.request;
        LeaseLoss loss = hold.hold.loss();
        boolean hasOwnTime =
                !hold.hold.isReader() || request.terms.permits == 1; // a writer's counts for its reading, too
        if (hasOwnTime && loss != null && loss.reason() == LeaseLoss.Reason.MAX_HOLD) {
            require(
                    time.now() - hold.since >= request.terms.maxHoldNanos * 99 / 100,
                    Property.BOUNDS_KEPT,
                    () -> hold + " has reached its longest time early");
        }
        require(
                simulation.plan.weather() != Plan.Weather.FAIR
                        || !request.terms.isRenewed
                        || request.terms.maxHoldNanos != Ticker.NEVER
                        || hold.client.isClosed()
                        || hold.hold.absence() != null,
                Property.NO_FALSE_LOSS,
                () -> hold + " was lost without a fault: " + loss);
    }

    // ================================================================ what users see

    void releaseReportedLoss(SimulatedClient client, String name, boolean wasValid, Throwable failure) {
        SharedLockHistory lock = locks.get(name);
        boolean clone =
                failure instanceof LeaseLostException lost && lost.loss().reason() == LeaseLoss.Reason.CLONED;
        require(
                !wasValid
                        || clone
                        || !lock.forced.isEmpty()
                        || client.mayNotKnowOfSuspension()
                        || lock.data.hasGoneBack()
                        || lock.data.losses(0, time.now()) > 0,
                Property.NO_FALSE_LOSS,
                () -> "a hold of " + name + " was valid, and its release reports " + failure);
    }

    // ================================================================ regularly

    void regularly() {
        for (SharedLockHistory lock : locks.values()) {
            QueryReply.Inspected record = lock.data.look();
            head(lock, record);
            orphans(lock, record);
        }
    }

    private void requireBrief(String condition, boolean holds, long bound, Property property) {
        if (!holds) {
            since.remove(condition);
        } else {
            long begin = since.computeIfAbsent(condition, c -> time.now());
            require(
                    time.now() - begin <= bound,
                    property,
                    () -> condition + " for " + (time.now() - begin) / Plan.MILLI + " ms");
        }
    }

    /** Checks that the first request in the queue does not wait for long if it fits. */
    private void head(SharedLockHistory lock, QueryReply.Inspected record) {
        if (record.queue().isEmpty()) {
            since.keySet().removeIf(condition -> condition.startsWith(waits(lock, "")));
            return;
        }
        QueryReply.Inspected.Waiting head = record.queue().get(0);
        String condition = waits(lock, head.request());
        since.keySet().removeIf(other -> other.startsWith(waits(lock, "")) && !other.equals(condition));
        long used = record.holders().stream()
                .filter(holder -> lock.data.server().virtual(holder.untilMillis()) > time.now())
                .mapToLong(QueryReply.Inspected.Holder::permits)
                .sum();
        boolean kept = lock.data.server().virtual(record.keptUntilMillis()) > time.now();
        boolean well = simulation.clients().stream()
                .anyMatch(client -> client.isCurrent(head.request())
                        && client.isWell(lock.name)
                        && client.engine.drivers.all().stream()
                                .anyMatch(driver -> driver.lock().equals(lock.name)
                                        && isWanted(driver.machine.find(head.request()))));
        requireBrief(
                condition, well && !kept && used + head.permits() <= lock.capacity, LONGEST_IDLE, Property.NOT_IDLE);
    }

    private static boolean isWanted(@Nullable Request request) {
        return request != null && request.state == Request.State.WANTED;
    }

    private static String waits(SharedLockHistory lock, String request) {
        return "the first in the queue of " + lock.name + " fits and waits: " + request;
    }

    /** Checks that no request holds that its client has finished. */
    private void orphans(SharedLockHistory lock, QueryReply.Inspected record) {
        Set<String> now = new HashSet<>();
        for (QueryReply.Inspected.Holder holder : record.holders()) {
            SimulatedClient owner = simulation.clientOf(holder.request());
            boolean unheard = lock.lostGrants.contains(holder.token());
            boolean undone = lock.data.hasFailedOverSince(0) && lock.withdrawn.contains(holder.request());
            boolean orphan = owner != null
                    && lock.data.server().virtual(holder.untilMillis()) > time.now()
                    && owner.isAtHome(lock.name)
                    && owner.isCurrent(holder.request())
                    && !unheard
                    && !undone
                    && lock.data.behind() < SimulationChecks.PERIOD
                    && owner.engine.drivers.all().stream()
                            .noneMatch(driver ->
                                    driver.lock().equals(lock.name) && driver.machine.knows(holder.request()));
            if (orphan) {
                now.add(orphan(lock, holder.request()));
            }
        }
        since.keySet().removeIf(condition -> condition.startsWith(orphan(lock, "")) && !now.contains(condition));
        now.forEach(condition -> requireBrief(condition, true, LONGEST_ORPHAN, Property.NO_ORPHAN));
    }

    private static String orphan(SharedLockHistory lock, String request) {
        return lock.name + " is held by a request that its client has finished: " + request;
    }
}
