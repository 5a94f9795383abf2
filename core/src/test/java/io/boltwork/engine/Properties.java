package io.boltwork.engine;

import io.boltwork.LeaseLoss;
import io.boltwork.LockException;
import io.boltwork.LockOptions;
import io.boltwork.machine.Hold;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.LockTerms;
import io.boltwork.machine.Request;
import io.boltwork.machine.Ticker;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Watches a simulated run and fails at the first event after which a {@link Property} does not hold. */
final class Properties {

    private static final long PATROL = 50 * Plan.MILLI;

    /** A late acquire may run until its not-after, and the withdrawal after that may be slow and repeated. */
    private static final long ORPHAN = 2_500 * Plan.MILLI;

    private static final long ORPHAN_AFTER_ONE_FAULT = Plan.SECOND;

    /** By how many microseconds a token may be ahead of the clock: a block for each grant that was withdrawn just now. */
    private static final long MOST_AHEAD = 20_000;

    /** The safety poll, should everything else have been lost. */
    private static final long IDLE = 6 * Plan.SECOND;

    /** With a good network, a client that is told at once. */
    private static final long IDLE_AFTER_ONE_FAULT = 300 * Plan.MILLI;

    /** Four of the longest round trips without faults, and a little. */
    private static final long LONGEST_SLICE = 3 * Plan.MILLI;

    /** So many owners may have it within half a second, by a clock that runs a percent slower at most. */
    private static final int TURNS = 8;

    private static final long LONGEST_TURNS = 505 * Plan.MILLI;

    /** A renewal that is lost is repeated after the command timeout, and its answer may be late, too. */
    private static final long RENEWAL_SLOW = 2 * Plan.SECOND;

    /** With a good network it is not lost; then a fixed lease may be told of so, for a third of it may be no less than that. */
    private static final long VERIFICATION_SLOW = 300 * Plan.MILLI;

    /** Who stands in a queue learns of an outage when the connection is lost; and the client's clock may be slow. */
    private static final long LEARNS_OF_OUTAGE = 500 * Plan.MILLI;

    private static final long LONGEST_TAKEOVER_MILLIS = 800;

    /** A lease is renewed after a third and a ninth of it; so much of it is left at least, in ninths, and a little less. */
    private static final int LEFT = 5;

    private static final long LEFT_LESS = 50 * Plan.MILLI;

    private final Simulation simulation;
    private final VirtualTime time;
    private final SimulatedCluster cluster;
    private final Plan plan;
    private final Random random;
    private final List<String> locks;

    /** Somebody always knows when a lock becomes free. */
    private boolean looksAfter;

    private final Map<String, Story> stories = new HashMap<>();
    private final Set<Wait> waiting = new LinkedHashSet<>();
    /** Through which outage of its link each of those who wait was seen to wait last. */
    private final Map<Wait, Long> outages = new HashMap<>();

    private final Map<String, Long> since = new HashMap<>();

    /** Requests from which their lock was taken by force. */
    private final Map<String, Force> forced = new HashMap<>();

    /** First tokens of grants that replicas have confirmed. */
    private final Set<Long> confirmed = new HashSet<>();

    /** Requests whose release has been executed. */
    private final Set<String> releases = new HashSet<>();

    /** When requests came to the server first, in order: numbers from 1 on. */
    private final Map<String, Integer> arrivals = new HashMap<>();

    /** What has happened to one server only; {@code null} if nothing has. */
    private @Nullable SimulatedServer struck;

    private int waits;
    int holds;
    int handovers;
    int losses;
    int failures;
    int restores;

    /** Somebody waits for an answer. */
    record Wait(int number, SimulatedClient client, Plan.Act act) {}

    private record Force(long firstToken, long at) {}

    /** A request became the owner at the server; by message with a claim of so long, else 0. */
    private record Granted(String request, long token, long at, long claimMillis) {
        Granted(String request, long token, long at) {
            this(request, token, at, 0);
        }

        boolean isShort() {
            return claimMillis <= LockBackend.SHORT_CLAIM_MILLIS;
        }

        long end() {
            return at + claimMillis * Plan.MILLI;
        }
    }

    /** One hold, as seen from outside. */
    private static final class Held {
        final SimulatedClient client;
        final Hold hold;
        final long since;
        final long grantedAt;

        /** When the server was certain to have it, last. */
        long standsSince;

        boolean ended;
        boolean leftCleanly;

        /** It has been for nearly its whole lease once. */
        boolean wasWhole;

        Held(SimulatedClient client, Hold hold, long since, long grantedAt) {
            this.client = client;
            this.hold = hold;
            this.since = since;
            this.grantedAt = grantedAt;
            this.standsSince = grantedAt;
        }

        boolean isForced(Map<String, Force> forced) {
            return forced.containsKey(hold.request.id());
        }

        @Override
        public String toString() {
            return client.id + " with token " + hold.token + " since " + since / Plan.MICRO + " µs, " + hold.request;
        }
    }

    /** What has happened to one lock. */
    private static final class Story {
        final SimulatedLock data;
        final String lock;
        final Map<String, Hold> current = new HashMap<>();
        final List<Held> live = new ArrayList<>();
        final Map<Long, Held> byToken = new HashMap<>();
        final List<Granted> grants = new ArrayList<>();

        /** Clients that are gone and had one short claim since. */
        final Set<String> excused = new HashSet<>();

        /** Clients that are gone and must not be granted anything any more. */
        final Set<String> spent = new HashSet<>();

        /** A claim of a client that was gone, while it lasts. */
        @Nullable
        Granted claimOfDead;

        /** Until when claims must be short. */
        long shortUntil;

        @Nullable
        Granted newOwner;

        final Set<Long> notHeld = new HashSet<>();

        /** Tokens of grants whose messages were lost. */
        final Set<Long> unheard = new HashSet<>();

        @Nullable
        Held newest;

        int lastGranted;
        long takenAt = -1;
        final Map<String, Long> firstOf = new HashMap<>();

        Story(SimulatedLock data) {
            this.data = data;
            this.lock = data.name;
        }

        String idle() {
            return lock + " is free although it is wanted";
        }

        String idleAtHome() {
            return idle() + " by somebody who hears of it";
        }

        /** When the request was granted first with that token. */
        long grantedAt(String request, long token) {
            return grants.stream()
                    .filter(granted -> granted.request.equals(request) && granted.token == token)
                    .mapToLong(Granted::at)
                    .findFirst()
                    .orElse(0);
        }

        boolean wasGrantedToAnother(Held held) {
            // a server that has lost all, and whose clock was set back, may give a token twice
            Request request = held.hold.request;
            return grants.stream()
                    .anyMatch(granted -> granted.at >= held.grantedAt
                            && !(granted.token == request.firstToken && granted.request.equals(request.id())));
        }
    }

    Properties(Simulation simulation, VirtualTime time, SimulatedCluster cluster) {
        this.simulation = simulation;
        this.time = time;
        this.cluster = cluster;
        this.plan = simulation.plan;
        this.random = plan.random("properties");
        this.locks = plan.locks();
        // but who keeps a lock closed alone knows until when, and may be the one that is gone
        this.looksAfter = !plan.weather().isBad()
                && plan.options().noneMatch(o -> !o.minHold().isZero());
        locks.forEach(lock -> stories.put(lock, new Story(cluster.lock(lock))));
        cluster.watch(this::executed, this::published);
    }

    void check(boolean holds, Property property, Supplier<String> what) {
        if (!holds) {
            Violation violation = new Violation(property, what.get());
            simulation.defect(violation); // who calls a callback takes what it throws
            throw violation;
        }
    }

    // ================================================================ what users see

    Wait waits(SimulatedClient client, Plan.Act act) {
        Wait wait = new Wait(waits++, client, act);
        waiting.add(wait);
        return wait;
    }

    void ended(Wait wait) {
        waiting.remove(wait);
    }

    boolean isSomebodyWaiting() {
        waiting.removeIf(wait -> wait.client.isDead());
        return !waiting.isEmpty();
    }

    /** Whether there is anything left that time could change. */
    boolean isSomebodyWaitingOrHolding() {
        return isSomebodyWaiting() || stories.values().stream().anyMatch(story -> !story.live.isEmpty());
    }

    int waiting() {
        return waiting.size();
    }

    void callEnded(String what, long took, long bound) {
        check(
                took <= bound,
                Property.CALLS_END,
                () -> what + " took " + took / Plan.MICRO + " µs of " + bound / Plan.MICRO);
    }

    /** A release said that the hold had been lost. */
    void lost(SimulatedClient client, String lock, long token, boolean wasValid) {
        losses++;
        Held held = stories.get(lock).byToken.get(token);
        SimulatedLock data = cluster.lock(lock);
        check(
                !wasValid
                        || held == null
                        || held.isForced(forced)
                        || client.mayNotKnowOfSuspension()
                        || data.hasGoneBack() // then two holds may have the same token, if data were lost, too
                        || data.losses(held.grantedAt, time.now()) > 0,
                Property.NO_FALSE_LOSS,
                () -> held + " was valid, and said to be lost at its release");
    }

    /** A listener is told; never after a release that said nothing. */
    void toldOfLoss(SimulatedClient client, String lock, long token) {
        Held held = stories.get(lock).byToken.get(token);
        check(
                held == null
                        || !held.leftCleanly
                        || client.isClosed()
                        || stories.get(lock).data.hasGoneBack()
                        || !isReleaseAwaited(held) && stories.get(lock).notHeld.contains(held.hold.request.firstToken),
                Property.NO_FALSE_LOSS,
                () -> held + " was released, and then said to be lost");
    }

    private static boolean isReleaseAwaited(Held held) {
        return held.hold.request.terms.options.release() == LockOptions.Release.AWAITED;
    }

    /** A release said nothing: then the server must have had the hold, unless its answer was lost. */
    void leftCleanly(SimulatedClient client, String lock, long token) {
        Held held = stories.get(lock).byToken.get(token);
        if (held != null) {
            held.leftCleanly = true;
        }
        check(
                plan.weather().isBad()
                        || held == null
                        || client.isClosed()
                        || stories.get(lock).data.hasGoneBack()
                        || !isReleaseAwaited(held)
                        // it was released in time, and ended on the way
                        || client.clock() >= held.hold.request.deadline()
                        || !stories.get(lock).notHeld.contains(held.hold.request.firstToken),
                Property.API,
                () -> held + " was somebody else's at the server, and its release says nothing");
    }

    void failed(SimulatedClient client, Plan.@Nullable Act act, LockException failure) {
        failures++;
        check(
                plan.weather() != Plan.Weather.FAIR || client.isClosed(),
                Property.NO_FAILURE,
                () -> "without a fault: " + failure);
        boolean patient =
                act != null && act.kind().isPatient() && plan.outagePatience().toSeconds() > 5;
        check(
                !patient || plan.weather().isBad() || client.isClosed(),
                Property.NO_FAILURE,
                () -> "one fault of a few seconds was too much for " + act + ": " + failure);
    }

    // ================================================================ what the server does

    private void executed(Command<?> command, Reply reply) {
        if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired acquired) {
            arrived(acquire, acquired);
            newOwner(acquire.lock());
        } else if (command instanceof Command.Release release && reply instanceof Reply.Released released) {
            if (release.next() != null && released.next() != null) {
                arrived(release.next(), released.next());
            }
            if (released.outcome() == Reply.Release.NOT_HELD && !releases.contains(release.request())) {
                stories.get(release.lock()).notHeld.add(release.firstToken());
            }
            releases.add(release.request());
            newOwner(release.lock());
        } else if (command instanceof Command.Withdraw withdraw) {
            newOwner(withdraw.lock());
        } else if (command instanceof Command.Replicate replicate && reply instanceof Reply.Replicated replicated) {
            if (replicated.copies() >= replicate.copies()) {
                confirmed.add(replicate.item().firstToken());
            }
        } else if (command instanceof Command.Restore restore && reply instanceof Reply.Restored restored) {
            if (restored.outcome() == Reply.Renewal.OK) {
                restored(restore);
            }
        }
    }

    private void arrived(Command.Acquire acquire, Reply.Acquired answer) {
        // where nobody listens yet it is tried first; who is granted the lock then has come to the server, too
        if (answer.verdict() != Reply.Verdict.STALE && (acquire.queue() || answer.verdict() == Reply.Verdict.GRANTED)) {
            arrivals.putIfAbsent(acquire.request(), arrivals.size() + 1);
        }
        if (answer.verdict() == Reply.Verdict.GRANTED) {
            stories.get(acquire.lock()).grants.add(new Granted(acquire.request(), answer.token(), time.now()));
        }
    }

    private void published(Grant grant) {
        stories.get(grant.lock())
                .grants
                .add(new Granted(grant.request(), grant.token(), time.now(), grant.leaseMillis()));
    }

    /** Its message is lost: for as long as the claim lasts its client cannot know. */
    void neverHeard(Grant grant) {
        stories.get(grant.lock()).unheard.add(grant.token());
    }

    /** Somebody may just have become the owner: a client that is gone costs the others little. */
    private void newOwner(String lock) {
        Story story = stories.get(lock);
        Reply.Inspected key = story.data.look();
        Granted last = story.grants.isEmpty() ? null : story.grants.get(story.grants.size() - 1);
        if (last == null || last.at != time.now() || last.token != key.token() || last == story.newOwner) {
            return;
        }
        story.newOwner = last;
        lapsed(story, last);
        SimulatedClient client = key.owner() == null ? null : clientOf(key.owner());
        if (client == null || !key.claim()) {
            return;
        }
        check(
                cluster.isSubscribed(lock, key.owner().substring(0, key.owner().lastIndexOf(':'))),
                Property.SHORT_CLAIMS,
                () -> "the lock was granted to a client that does not listen: " + key);
        check(
                key.untilMillis() - key.server().millis() <= LockBackend.CLAIM_MILLIS + LONGEST_TAKEOVER_MILLIS,
                Property.SHORT_CLAIMS,
                () -> "a grant that nobody may take keeps the lock for long: " + key);
        if (client.isDead() && !client.hasArrivedLate()) {
            story.claimOfDead = last;
            check(
                    !story.spent.contains(client.id)
                            || !forced.isEmpty() // its claim may have been taken away before it lapsed
                            || story.data.losses(0, time.now()) > 0,
                    Property.SHORT_CLAIMS,
                    () -> "a client that is gone costs the others more than one claim, or two short ones: " + key);
            if (!last.isShort() || !story.excused.add(client.id)) {
                story.spent.add(client.id);
            }
        }
        check(
                last.isShort() || time.now() >= story.shortUntil || !keepsTime(story),
                Property.SHORT_CLAIMS,
                () -> "a claim is long though another one has just lapsed: " + key);
    }

    /** There is another owner: if the claim of a client that was gone has lapsed, claims must be short from now on. */
    private void lapsed(Story story, Granted next) {
        Granted before = story.claimOfDead;
        story.claimOfDead = null;
        if (before != null && before.token() != next.token() && !before.isShort() && time.now() >= before.end()) {
            story.shortUntil = time.now() + LockBackend.SHORT_CLAIMS_LAST_MILLIS * Plan.MILLI - Plan.SECOND;
        }
    }

    /** Nothing was lost of what the server knows, and its clock has not been set. */
    private boolean keepsTime(Story story) {
        return forced.isEmpty()
                && !story.data.hasGoneBack()
                && plan.cluster().servers() == 1
                && story.data.losses(0, time.now()) == 0;
    }

    private void restored(Command.Restore restore) {
        restores++;
        Story story = stories.get(restore.lock());
        story.grants.add(new Granted(restore.request(), restore.firstToken(), time.now()));
        Held held = story.byToken.get(restore.firstToken());
        if (held != null) {
            held.standsSince = time.now();
        }
        Held newest = story.newest;
        if (newest == null || newest.hold.request.id().equals(restore.request())) {
            return;
        }
        long began = story.grantedAt(restore.request(), restore.firstToken());
        check(
                newest.hold.token < restore.firstToken()
                        || story.data.losses(began, time.now()) > 1
                        || story.data.hasGoneBack()
                        || newest.isForced(forced)
                        || forced.containsKey(restore.request()),
                Property.RESTORED_ALONE,
                () -> restore + " though " + newest + " has held since");
    }

    /** An operator takes the lock away from whoever has it, and from whom the server has forgotten. */
    void force(String lock) {
        Story story = stories.get(lock);
        story.takenAt = time.now();
        Reply.Inspected before = story.data.look();
        if (before.owner() != null) {
            forced.put(before.owner(), new Force(before.token(), time.now()));
        }
        for (Held held : story.live) {
            forced.putIfAbsent(held.hold.request.id(), new Force(held.hold.request.firstToken, time.now()));
        }
        story.newest = null;
    }

    /** Something happens to a server, or between it and a client. */
    void strikes(SimulatedServer server) {
        struck = server;
    }

    /** Whether nothing has happened at all, or one thing, and that to another server. */
    private boolean isSpared(Story story) {
        SimulatedServer other = struck;
        return switch (plan.weather()) {
            case FAIR -> true;
            case ONE_FAULT -> other != null && other != story.data.server();
            default -> false;
        };
    }

    /** Something happens to a client: if it holds a lock, the others have been told of the end of an earlier lease, perhaps. */
    void befalls(SimulatedClient client) {
        looksAfter &= locks.stream().noneMatch(lock -> {
            String owner = cluster.look(lock).owner();
            return owner != null && clientOf(owner) == client;
        });
    }

    // ================================================================ after every event

    void observe(List<SimulatedClient> clients) {
        for (Story story : stories.values()) {
            for (SimulatedClient client : clients) {
                if (!client.isDead()) {
                    LockMachine machine = client.machine(story.lock);
                    Hold hold = machine == null ? null : machine.hold();
                    if (hold != story.current.put(client.id, hold) && hold != null) {
                        begins(story, client, Objects.requireNonNull(machine), hold);
                    }
                }
            }
            exclusive(story);
        }
    }

    private void exclusive(Story story) {
        story.live.removeIf(held -> held.hold.isOver() || held.client.isDead());
        Held other = null;
        for (Held held : story.live) {
            boolean valid = held.hold.isValid() && !held.client.mayNotKnowOfSuspension();
            if (!valid && (held.hold.isValid() || held.hold.isUnverified())) {
                continue; // suspended: it is noticed within a second, and then the server is asked
            }
            check(!valid || !held.ended, Property.LEASES_END, () -> held + " is valid again after its lease had ended");
            if (!valid && !held.ended) {
                held.ended = true;
                ended(story, held);
            }
            if (!valid || held.isForced(forced)) {
                continue;
            }
            check(
                    held.client.clock() - held.hold.since <= held.hold.request.terms.maxHoldNanos,
                    Property.LEASES_END,
                    () -> held + " lasts longer than it may");
            renewedOnTime(story, held);
            if (other != null) {
                boolean inOrder = other.grantedAt <= held.grantedAt; // a grant may be heard of late
                together(story, inOrder ? other : held, inOrder ? held : other);
            }
            other = held;
            if (random.nextInt(4) == 0) {
                ownsAtServer(story, held);
            }
        }
    }

    private void renewedOnTime(Story story, Held held) {
        LockTerms options = held.hold.request.terms;
        if (!options.isRenewed || options.maxHoldNanos != Ticker.NEVER || held.hold.absence() != null) {
            return;
        }
        long lease = options.leaseMillis * Plan.MILLI;
        long left = held.hold.request.deadline() - held.client.clock();
        held.wasWhole |= left > lease - lease / 10;
        check(
                !held.wasWhole || left > lease / 9 * LEFT - LEFT_LESS || !isSpared(story) || held.client.isClosed(),
                Property.OTHERS_GO_ON,
                () -> held + " is not renewed with " + left / Plan.MICRO + " µs left");
    }

    /** A lease has ended, and its owner has not left. */
    private void ended(Story story, Held held) {
        LockTerms options = held.hold.request.terms;
        LeaseLoss loss = held.hold.loss();
        boolean taken = loss != null && loss.reason() == LeaseLoss.Reason.TAKEN;
        check(
                !taken
                        || story.data.hasGoneBack()
                        || held.isForced(forced)
                        || story.takenAt >= held.grantedAt // by force, when the server had forgotten whose it was
                        || story.wasGrantedToAnother(held)
                        || story.data.hasFailedOverSince(held.grantedAt)
                        || story.data.hasLostTimeSince(held.grantedAt),
                Property.NO_FALSE_LOSS,
                () -> held + " was lost as taken, though nobody took it");
        check(
                !isSpared(story)
                        || !options.isRenewed
                        || options.maxHoldNanos != Ticker.NEVER
                        || held.client.isClosed()
                        || held.hold.absence() != null,
                plan.weather() == Plan.Weather.FAIR ? Property.NO_FALSE_LOSS : Property.OTHERS_GO_ON,
                () -> held + " was lost without a fault of its server");
    }

    /** Two valid holders: only if the server lost the older one's data, no longer than a lease, and the tokens tell. */
    private void together(Story story, Held older, Held newer) {
        // a clock that is set back gives a claim that has lapsed its time again, if its lapse is lost
        boolean hasComeBack = story.data.hasGoneBack() && story.data.losses(newer.grantedAt, time.now()) > 0;
        check(
                story.data.losses(older.grantedAt, newer.grantedAt, older.hold.request.firstToken) > 0 || hasComeBack,
                Property.EXCLUSION,
                () -> "the lock " + story.lock + " is held by " + older + " and by " + newer);
        check(
                story.data.hasGoneBack()
                        || older.hold.token < newer.hold.token
                        || story.data.wasLostAhead(older.hold.token, older.grantedAt),
                Property.EXCLUSION,
                () -> "tokens do not tell which is newer: " + older + ", " + newer);
        long lease = Math.max(older.hold.request.terms.leaseMillis * Plan.MILLI, 2 * Plan.SECOND); // or an extension
        check(
                time.now() - Math.max(newer.grantedAt, older.since) < lease,
                Property.EXCLUSION,
                () -> older + " is valid long after " + newer + " began");
    }

    private void ownsAtServer(Story story, Held held) {
        if (story.data.losses(held.standsSince, time.now()) > 0) {
            return;
        }
        Reply.Inspected key = story.data.look();
        Request request = held.hold.request;
        check(
                request.id().equals(key.owner())
                        && story.data.server().virtual(key.untilMillis()) >= held.client.realTime(request.deadline())
                        && key.fence() >= held.hold.token,
                Property.LEASE_AT_SERVER,
                () -> held + " is valid, and at the server stands " + key);
    }

    private void begins(Story story, SimulatedClient client, LockMachine machine, Hold hold) {
        Held begun = new Held(client, hold, time.now(), story.grantedAt(hold.request.id(), hold.request.firstToken));
        simulation.timeline.add(client.id, "holds", story.lock, "token", hold.token, hold.owner());
        holds++;
        since.remove(story.idle());
        since.remove(story.idleAtHome());
        story.live.add(begun);
        story.byToken.put(hold.token, begun);
        check(
                hold.token <= story.data.server().micros() + story.data.behind() / Plan.MICRO + MOST_AHEAD,
                Property.TOKENS_GROW,
                () -> begun + " is far ahead of the clock");
        check(
                hold.request.terms.options.replication().isEmpty() || confirmed.contains(hold.token),
                Property.REPLICATED,
                () -> begun + " begins before a replica knows of it");
        check(hold.isValid() || hold.isOver(), Property.LEASES_END, () -> begun + " begins after its lease has ended");
        if (begun.isForced(forced) || client.mayNotKnowOfSuspension()) {
            return; // its client does not know yet
        }
        if (hold.token == hold.request.firstToken) {
            inOrder(story, hold.request);
        } else {
            handovers++;
            handedOver(story, begun, machine);
        }
        Held before = story.newest;
        if (before != null) {
            boolean late = story.data.losses(begun.grantedAt, time.now()) > 0; // an older grant may have been under way
            check(
                    late
                            || hold.token > before.hold.token
                            || story.data.hasGoneBack() && story.data.losses(before.grantedAt, time.now()) > 0
                            || story.data.wasLostAhead(before.hold.token, before.grantedAt),
                    Property.TOKENS_GROW,
                    () -> begun + " follows " + before);
            if (!late && story.data.losses(before.grantedAt, time.now()) == 0) {
                notTooEarly(begun, before);
            }
            if (hold.token < before.hold.token) {
                return;
            }
        }
        story.newest = begun;
    }

    /** Without faults requests are granted in the order in which they came to the server. */
    private void inOrder(Story story, Request request) {
        Integer arrival = arrivals.get(request.id());
        if (plan.weather() == Plan.Weather.FAIR && !request.tryOnly) {
            check(
                    arrival != null && arrival > story.lastGranted,
                    Property.FIFO,
                    () -> request + " came as number " + arrival + " and is granted after number " + story.lastGranted);
        }
        if (arrival != null) {
            story.lastGranted = arrival;
        }
    }

    /** A hold passes from one waiter to the next in a client for a slice only, and past nobody who wants strict order. */
    private void handedOver(Story story, Held begun, LockMachine machine) {
        Request request = begun.hold.request;
        check(
                !machine.waiters.hasOwnRequests() && !request.terms.isFifo,
                Property.FIFO,
                () -> begun + " was handed over past a FIFO request");
        check(
                request.terms.minHoldNanos == 0 && !request.extended && request.terms.isRenewed,
                Property.BOUNDS_KEPT,
                () -> begun + " was handed over");
        Held first = story.live.stream()
                .filter(h -> h.hold.request == request)
                .findFirst()
                .orElse(begun);
        long began = story.firstOf.computeIfAbsent(request.id(), id -> first.since);
        if (plan.weather() == Plan.Weather.FAIR) {
            check(
                    time.now() - began < LONGEST_SLICE
                            || begun.hold.token < request.firstToken + TURNS && time.now() - began < LONGEST_TURNS,
                    Property.BOUNDED_BYPASS,
                    () -> begun + " has been passed on since " + began / Plan.MICRO + " µs");
        }
    }

    /** Minimum holds and takeover delays are kept. */
    private void notTooEarly(Held begun, Held before) {
        LockTerms options = before.hold.request.terms;
        if (before.hold.request == begun.hold.request) {
            return;
        }
        long kept = options.minHoldNanos - options.minHoldNanos / 100;
        long end = before.client.realTime(before.hold.request.deadline());
        check(
                begun.since - before.since >= kept || !options.isRenewed && begun.since >= end,
                Property.BOUNDS_KEPT,
                () -> before + " is followed by " + begun + " within its minimum hold");
        if (before.ended && !before.client.isClosed() && options.takeoverMillis > 0) {
            long quiet = options.takeoverMillis * Plan.MILLI;
            check(
                    begun.since - end >= quiet - quiet / 100,
                    Property.BOUNDS_KEPT,
                    () -> before + " is followed by " + begun + " within its takeover delay");
        }
    }

    // ================================================================ every now and then

    /** Looks for what may be so for a while only, now and regularly. */
    void patrol() {
        for (Story story : stories.values()) {
            Reply.Inspected key = story.data.look();
            boolean taken = key.owner() != null && story.data.server().virtual(key.untilMillis()) > time.now();
            SimulatedClient owner = taken ? clientOf(key.owner()) : null;
            Force force = key.owner() == null ? null : forced.get(key.owner());
            check(
                    force == null
                            || story.data.hasGoneBack()
                            || force.firstToken != key.token()
                            || story.data.losses(force.at, time.now()) > 0,
                    Property.FORCE_IS_FINAL,
                    () -> "a lock that was taken away by force has come back: " + key);
            boolean closed = story.data.server().virtual(key.untilMillis()) > time.now(); // owned, or kept
            boolean unheard = closed && key.claim() && story.unheard.contains(key.token());
            lasting(
                    Property.NO_ORPHAN,
                    story.lock + " has the owner " + key.owner() + ", a request that its client has finished with",
                    owner != null
                            && owner.isAtHome(story.lock)
                            && !owner.knows(story.lock, key.owner())
                            && owner.isCurrent(
                                    key.owner()) // else it may be another client's, and nothing is sent for it
                            && !unheard // it lapses by itself, and whoever polls or nudges then ends it
                            && story.data.behind() < PATROL, // else a not-after may come late, and a lease lasts longer
                    plan.weather().isBad() ? ORPHAN : ORPHAN_AFTER_ONE_FAULT);
            boolean wanted = simulation.clients().stream().anyMatch(c -> c.isWell(story.lock) && c.wants(story.lock));
            boolean atHome = simulation.clients().stream().anyMatch(c -> c.isAtHome(story.lock) && c.wants(story.lock));
            lasting(Property.NOT_IDLE, story.idle(), wanted && !closed, IDLE);
            lasting(
                    Property.NOT_IDLE,
                    story.idleAtHome(),
                    atHome && !closed && looksAfter && story.data.losses(0, time.now()) == 0,
                    IDLE_AFTER_ONE_FAULT);
            for (Held held : story.live) {
                LockTerms options = held.hold.request.terms;
                // of a renewed lease, and of a fixed one, which is verified as often as one of half a minute is renewed
                long visit = Math.min(options.leaseMillis, 30_000) * Plan.MILLI * 4 / 9;
                boolean another = owner != null && !held.hold.request.id().equals(key.owner());
                lasting(
                        Property.TOLD_IN_TIME,
                        held + " is valid though it is not the owner",
                        held.client.isWell(story.lock)
                                && held.hold.isValid()
                                && held.hold.absence() == null // else nobody is there to be told
                                && another,
                        visit + (options.isRenewed || plan.weather().isBad() ? RENEWAL_SLOW : VERIFICATION_SLOW));
            }
        }
        for (Story story : stories.values()) {
            for (Held held : story.live) {
                lasting(
                        Property.TOLD_IN_TIME,
                        held + " is neither valid nor lost",
                        held.client.isAwake() && held.hold.isUnverified() && !held.hold.isOver(),
                        held.client.backend.commandTimeout().toNanos() + LEARNS_OF_OUTAGE);
            }
        }
        for (Wait wait : waiting) {
            LockMachine machine = wait.client.isDead() ? null : wait.client.machine(wait.act.lock());
            String what = wait + " waits through an outage";
            Long outage = wait.client.backend.outages(wait.act.lock());
            if (!outage.equals(outages.put(wait, outage))) {
                // it is another one: the lock was somewhere else meanwhile, or the connection was back
                since.remove(what);
            }
            lasting(
                    Property.CALLS_END,
                    what,
                    machine != null
                            && wait.act.kind().isPatient()
                            && machine.hold() == null
                            && wait.client.isAwake()
                            && !wait.client.backend.isUp(wait.act.lock()),
                    plan.outagePatience().toNanos() + LEARNS_OF_OUTAGE);
        }
        time.after(PATROL, this::patrol);
    }

    private void lasting(Property property, String what, boolean is, long bound) {
        if (!is) {
            since.remove(what);
        } else {
            long begin = since.computeIfAbsent(what, w -> time.now());
            check(
                    time.now() - begin <= bound,
                    property,
                    () -> what + " for " + (time.now() - begin) / Plan.MILLI + " ms");
        }
    }

    private @Nullable SimulatedClient clientOf(String request) {
        return simulation.clients().stream()
                .filter(client -> client.made(request))
                .findFirst()
                .orElse(null);
    }

    // ================================================================ when all is done

    void served() {
        check(!isSomebodyWaiting(), Property.SERVED, () -> "never decided: " + waiting);
    }

    void nothingLeft() {
        for (SimulatedClient client : simulation.clients()) {
            check(
                    client.isDead() || client.engine.states() == 0,
                    Property.NOTHING_LEFT,
                    () -> client + " has state left: "
                            + client.engine.drivers().stream()
                                    .map(d -> d.machine)
                                    .toList());
        }
        Set<String> dead = new HashSet<>();
        simulation.clients().stream().filter(SimulatedClient::isDead).forEach(client -> dead.add(client.id));
        for (String lock : locks) {
            SimulatedLock data = cluster.lock(lock);
            Reply.Inspected key = data.look();
            check(
                    key.owner() == null || data.hasGoneBack() || data.server().virtual(key.untilMillis()) <= time.now(),
                    Property.NOTHING_LEFT,
                    () -> "an owner is left: " + key);
            check(
                    data.hasFailedOverSince(0) // which may have undone a withdrawal; the next grant does that again
                            || key.queue().stream()
                                    .allMatch(entry -> dead.contains(entry.request()
                                            .substring(0, entry.request().indexOf(':')))),
                    Property.NOTHING_LEFT,
                    () -> "queue entries of living clients are left: " + key);
        }
    }
}
