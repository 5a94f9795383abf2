package io.boltwork.machine;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.LeaseLoss;
import io.boltwork.LeaseLoss.Reason;
import io.boltwork.LockException;
import io.boltwork.LockListener;
import io.boltwork.Replication;
import io.boltwork.machine.Request.State;
import io.boltwork.machine.Waiter.Denied;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Reply;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Taken;
import java.time.Instant;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** All that one client knows of one lock: who holds it here, who wants it, what the backend has been asked and has answered. */
public final class LockMachine {

    /*
     * A state machine without threads, clocks or connections: events are method calls (never two at a time, see Mailbox),
     * what they cause goes out through Effects. docs/synchronization.md draws the states and lists the races.
     *
     * Two halves meet in pump():
     *
     *   local    `waiters`, first come first served, and `hold`, who of them has the lock. A hold that is given back goes to
     *            the next waiter directly while its slice lasts (release), else the backend is told.
     *   remote   `requests`, by id. At most one is `wanted`: it stands at the backend for the first of those waiters who share
     *            and all behind him with equal options. A FIFO waiter has a request of his own, asked for at once, whoever
     *            holds the lock here; the oldest of these polls for all. At most one request is HELD. Any number may be on
     *            their way out (RELEASING, UNDOING); Undoing sees to those that nobody wants any more.
     *
     * Everything that is sent is answered, or given up after the command timeout and sent again. What an answer means depends
     * on the request alone, not on which of several answers it is: they may be late, doubled, or in another order.
     *
     * Deadlines. Each is counted from a moment at which the server cannot have begun to count yet: the sending of the
     * command. 1 % of the span and 2 ms are taken off for clocks that run at different rates and for rounding.
     */

    /** In any case a queued request asks again after this time, should the message of its grant have been lost. */
    static final long SAFETY_POLL = TimeUnit.SECONDS.toNanos(5);

    /** How long the state of an unused lock is kept, so that a lock in use is not built anew each time. */
    public static final long IDLE = TimeUnit.SECONDS.toNanos(1);

    /** The slice is at least this many round trips, or giving the lock back would cost more than using it. */
    private static final int SLICE_ROUND_TRIPS = 4;

    /** In place of the time at which an acquire was sent that the backend has answered. */
    private static final long BY_MESSAGE = Long.MIN_VALUE;

    private static final long LONGEST_SLICE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RETRY_DOUBLINGS = 5;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    private final Effects effects;

    public final Waiters waiters = new Waiters();
    public final Requests requests = new Requests();

    @Nullable
    Request wanted;

    private volatile @Nullable Hold hold;

    /** Made when there is something to undo or to look after: most locks never need it. */
    private @Nullable Withdrawing withdrawing;

    private volatile LostHolds lostHolds = LostHolds.NONE;

    /** Extensions under way, and who waits for them. */
    private Map<Command<?>, Promise<Extension>> extensions = Collections.emptyMap();

    /** When the oldest of the waiters' own requests asks again, for all of them. */
    private long pollAt = Ticker.NEVER;

    private LockOutage outage = LockOutage.NONE;

    /** How often the backend, or a hold here, has said that the lock is taken; it may overflow. */
    private int refusals;

    private long roundTrip;
    private long lastEvent;
    private boolean closed;

    /** Commands of one lock that are under way at a time; other requests wait in line. */
    public static final int UNDER_WAY = 64;

    /**
     * Times a client has to keep, in nanoseconds.
     *
     * @param underWay how many commands of one lock may be under way at a time
     */
    public record Timing(long commandTimeout, long slice, long outagePatience, int underWay) {}

    public LockMachine(Effects effects) {
        this.effects = effects;
    }

    // ================================================================ events: local

    /** Somebody wants the lock. */
    public void request(Waiter waiter) {
        lastEvent = effects.now();
        waiter.since = withdrawing == null ? lastEvent : withdrawing.afterDismissal(lastEvent);
        if (closed) {
            decide(waiter, new Waiter.Failed(closed("cannot be acquired")));
            return;
        }
        boolean taken = hold != null || wanted != null && wanted.known;
        if (waiter.tryOnly && (taken || wanted != null || !waiters.isEmpty())) {
            decide(waiter, Denied.REFUSED);
            return;
        }
        Hold held = hold;
        if (held != null && held.thread == null && waiter.thread == held.asker) {
            LockEvents.waitsForItself(effects, waiter);
        }
        if (waiters.isEmpty()) {
            outage = outage.restarted();
        }
        waiter.refusalsBefore = taken ? refusals - 1 : refusals;
        if (waiter.terms.isFifo && !waiter.tryOnly) {
            Request request = newRequest(waiter);
            waiter.request = request;
            waiters.add(waiter);
            ask(request);
            if (requests.isInLine(request) && Objects.requireNonNull(waiters.oldest()).known) {
                waiter.refusalsBefore = refusals - 1; // it will not be told by an answer of its own for a while
            }
        } else {
            waiters.add(waiter);
        }
        pump();
    }

    /** Somebody does not want the lock any more. Without effect once the waiter has its verdict. */
    public void cancel(Waiter waiter, boolean timedOut) {
        lastEvent = effects.now();
        boolean polls = waiters.oldest() == waiter.request && waiter.request != null;
        if (!waiters.remove(waiter) && waiter.outcome.isDecided()) {
            return; // else an error has cut short what was to enter it, or to decide it
        }
        decide(
                waiter,
                !timedOut
                        ? Denied.CANCELLED
                        : refusals - waiter.refusalsBefore > 0
                                ? Denied.REFUSED
                                : new Waiter.Failed(outage.unknown(
                                        effects.lock(), "within the time that the caller was willing to wait")));
        if (waiter.request != null) {
            withdrawing().undo(waiter.request);
        }
        othersPoll(polls);
        pump();
    }

    /** A wish has come to its end. */
    void decide(Waiter waiter, Waiter.WaitResult verdict) {
        effects.decide(waiter.outcome, verdict);
        LockEvents.waited(effects, waiter, verdict);
    }

    /** The owner has left the outermost level of its hold; or has unwound a lost one. */
    public void release(Hold left) {
        lastEvent = effects.now();
        Request request = left.request;
        if (hold != null && hold != left && hold.request == request) {
            effects.decide(left.released(), Optional.empty()); // handed over since: it was released already
            return;
        }
        if (hold == left) {
            hold = null;
        } else {
            lostHolds = lostHolds.without(left);
        }
        boolean clean = left.loss() == null;
        if (clean) {
            LockEvents.released(effects, left);
        }
        if (requests.get(request.number) != request || request.state != State.HELD && request.state != State.LOST) {
            effects.decide(
                    left.released(), Optional.empty()); // nothing can be left of it, or it is being released already
        } else if (clean && handOver(request, left)) {
            effects.decide(left.released(), Optional.empty());
        } else {
            request.exchange().releaser = left;
            startRelease(request);
        }
        pump();
    }

    /** The owner wants the hold to last for {@code nanos} from now on at least. */
    public void extend(Hold held, long nanos, Promise<Extension> outcome) {
        lastEvent = effects.now();
        Request request = held.request;
        if (hold == held && lastEvent >= request.deadline()) {
            lose(request, request.reasonOfEnd());
        }
        if (hold != held) {
            effects.decide(outcome, Extension.LOST);
        } else {
            extend(request, request.extension(lastEvent, Request.covering(nanos)), outcome);
        }
        pump();
    }

    private void extend(Request request, Command.Renew.Item item, Promise<Extension> outcome) {
        Command.Renew renew = new Command.Renew(List.of(item), extensionStale(request));
        if (extensions.isEmpty()) {
            extensions = new IdentityHashMap<>();
        }
        extensions.put(renew, outcome);
        effects.send(renew);
    }

    /** The owner wants to know whether the backend still knows the hold: an extension that prolongs nothing. */
    public void verify(Hold held, Promise<Extension> outcome) {
        lastEvent = effects.now();
        Request request = held.request;
        if (hold == held && lastEvent >= request.deadline()) {
            lose(request, request.reasonOfEnd());
        }
        if (hold != held) {
            effects.decide(outcome, Extension.LOST);
        } else {
            extend(request, request.verification(), outcome);
        }
        pump();
    }

    private long extensionStale(Request request) {
        return effects.serverClock().millisAt(lastEvent)
                + Math.min(commandTimeout() / MILLI, request.terms.leaseMillis);
    }

    /** The owner does not wait for that extension any more. */
    public void extensionGivenUp(Promise<Extension> outcome) {
        extensions.values().remove(outcome);
    }

    /** The deadline of a hold has passed, and somebody noticed. */
    public void expired(Hold noticed) {
        if (hold == noticed) {
            lose(noticed.request, noticed.request.reasonOfEnd());
            pump();
        }
    }

    /** Its caller sleeps on, and looks whether it is still known here. If an error has cut it off, it is entered again. */
    public void lookAfter(Waiter waiter) {
        if (waiter.outcome.isDecided() || waiters.contains(waiter)) {
            return;
        }
        Hold held = hold;
        if (held != null && held.taker() == waiter) {
            decide(waiter, new Waiter.Granted(held));
        } else {
            request(waiter);
        }
    }

    /** The owner of a lost hold has tried to go one level deeper, so it is going to unwind. */
    public void nested(Hold lost) {
        expired(lost);
        lostHolds = lostHolds.untilUnwound(lost);
    }

    /** Returns what threads have to leave: they are told of the loss then, if the client is closed meanwhile. */
    public LostHolds holdsToLeave() {
        return hold == null ? lostHolds : lostHolds.with(hold, effects.now());
    }

    /** The client is being closed: nobody gets the lock any more, and everything is given back. */
    public void close() {
        closed = true;
        ManyRequests many = requests.many();
        if (many != null) {
            many.stopAsking();
        }
        dismissAll(closed("cannot be acquired"));
        Hold held = hold;
        if (held != null) {
            hold = null;
            held.lose(Reason.CLOSED);
            startRelease(held.request);
        }
        for (Request request : many == null ? requests.all() : many.lost(commandTimeout())) {
            if (request.state == State.LOST) {
                startRelease(request);
            }
        }
        lostHolds = LostHolds.NONE;
        pump();
    }

    /**
     * Another living client has this one's id, which is changed: nothing may be sent any more for what was asked for under the
     * old one, since it may be the other's. The hold is lost; the waiters ask anew.
     */
    public void disowned() {
        Hold held = hold;
        if (held != null) {
            lose(held.request, Reason.CLONED);
            hold = null;
        }
        for (Request request : requests.all()) {
            request.settle(counted -> counted.done());
            disowned(request);
            requests.remove(request);
        }
        extensions.values().forEach(outcome -> effects.decide(outcome, Extension.LOST));
        extensions = Collections.emptyMap();
        Request before = wanted;
        wanted = null;
        pollAt = Ticker.NEVER;
        for (Waiter waiter : waiters.queued()) {
            Request again = newRequest(waiter);
            waiter.request = again;
            ask(again);
        }
        pump();
        if (before != null && wanted != null) {
            wanted.exchange().since = before.exchange().since; // a try ends when it would have ended
        }
    }

    /** A lock that is being given back was perhaps the other client's, too. */
    private void disowned(Request request) {
        Hold releaser = request.state == State.RELEASING ? request.exchange().releaser : null;
        if (releaser != null) {
            LeaseLoss loss = new LeaseLoss(effects.lock(), releaser.token, Reason.CLONED, Instant.now());
            releaser.tellLost(loss);
            effects.decide(releaser.released(), Optional.of(loss));
        }
    }

    // ================================================================ events: from the backend

    /** The reply to a command, awaited or not. */
    public void answered(Command<?> command, long sent, Reply reply) {
        long now = effects.now();
        lastEvent = now;
        if (reply instanceof Reply.Failed failed) {
            failed(command, sent, failed);
        } else {
            if (!(reply instanceof Reply.Acquired acquired && acquired.verdict() == Reply.Verdict.REFUSED)) {
                heard(); // a refused try does not come back to look after the lock
            }
            over();
            if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired acquired) {
                measured(now - sent);
                acquired(find(acquire.request()), command, acquire, sent, acquired);
                named(acquired.owner());
            } else if (command instanceof Command.Release release && reply instanceof Reply.Released released) {
                measured(now - sent);
                released(release, sent, released);
                named(released.owner());
            } else if (command instanceof Command.Withdraw withdraw && reply instanceof Reply.Withdrawn withdrawn) {
                withdrawn(withdraw, withdrawn);
                named(withdrawn.owner());
            } else if (command instanceof Command.Restore restore && reply instanceof Reply.Restored restored) {
                // refused because an earlier try, whose answer was lost, had restored it? Then a renewal will tell
                boolean twice = restored.outcome() == Reply.Renewal.LOST
                        && restore.request().equals(restored.owner());
                Reply.Renewal outcome = twice ? Reply.Renewal.STALE : restored.outcome();
                if (prolonged(restore.request(), restore.firstToken(), restore.leaseMillis(), sent, outcome)
                        && outcome == Reply.Renewal.OK) {
                    LockEvents.restored(effects, hold);
                }
                named(restored.owner());
            } else if (command instanceof Command.Replicate replicate && reply instanceof Reply.Replicated replicated) {
                replicated(replicate, sent, replicated);
                named(replicated.owner());
            } else if (command instanceof Command.Renew renew && reply instanceof Reply.Renewed renewed) {
                extended(renew, sent, renewed.items().get(0));
            } else {
                throw new IllegalArgumentException(reply + " is no reply to " + command);
            }
        }
        pump();
    }

    /** The result of one renewal. */
    public void renewed(Command.Renew.Item item, long sent, Reply.Renewed.Item result) {
        Hold held = hold;
        lastEvent = effects.now();
        over();
        prolonged(item.request(), item.firstToken(), item.leaseMillis(), sent, result.outcome());
        named(result.owner());
        pumpUnless(held);
    }

    /** The backend has given the lock to a waiting request. */
    public void granted(Grant grant) {
        long now = effects.now();
        lastEvent = now;
        heard();
        Request request = find(grant.request());
        if (request == null) {
            stray(grant.request());
            return;
        }
        request.known = true;
        request.standing = true;
        if (request.state != State.WANTED) {
            owns(request, Long.MIN_VALUE, grant.token(), BY_MESSAGE);
        } else {
            Pending exchange = request.exchange();
            ServerTime answered = exchange.answered;
            long origin = exchange.firstSent;
            long given = origin;
            if (answered != null) {
                origin = exchange.answeredSent;
                given = origin + (grant.server().millis() - answered.millis()) * MILLI;
            }
            if (origin != Ticker.NEVER) {
                given -= effects.missedSince(origin);
            }
            boolean comparable = answered == null
                    ? origin != Ticker.NEVER
                    : answered.run().equals(grant.server().run());
            boolean current = grant.server().run().equals(effects.serverClock().run());
            exchange.claimMillis = grant.leaseMillis();
            if (comparable && current) {
                long from = Math.min(given, now);
                owns(request, from + Request.safe(grant.leaseMillis(), from - origin), grant.token(), BY_MESSAGE);
            } else {
                askNow(request); // by another server's clock, or one that has been replaced since: confirm it first
            }
        }
        pump();
    }

    /** The lock was taken away by force, from what is held here if run, request and token are those of the hold. */
    public void taken(Taken taken) {
        Hold held = hold;
        lastEvent = effects.now();
        if (held != null
                && held.request.number == effects.number(taken.request())
                && held.request.firstToken == taken.token()
                && taken.server().run().equals(effects.serverClock().run())) {
            displace(held);
            pump();
        }
    }

    /** A connection was replaced; messages and answers may have been lost, and the server may be another one. */
    public void connected(RecoveryTally recovery) {
        long now = effects.now();
        ManyRequests many = requests.many();
        if (many == null) {
            requests.all().forEach(request -> connected(request, now, recovery));
        } else {
            if (hold != null) {
                connected(hold.request, now, recovery);
            }
            many.connected(now, recovery);
        }
        tick();
    }

    private void connected(Request request, long now, RecoveryTally recovery) {
        switch (request.state) {
            case WANTED -> {
                request.connectionReplaced(now);
                if (!request.tryOnly) {
                    recovery.askedAgain();
                    ask(request);
                }
            }
            case HELD -> {
                request.recovers(recovery);
                request.verify(now);
            }
            case RELEASING, UNDOING -> request.repeatsAt(now);
            case LOST -> {}
        }
    }

    /** The machine was suspended for so long, or a clock was set: the server is asked about the hold. */
    public void suspended(long missed) {
        Hold held = hold;
        if (held != null) {
            held.request.suspended(missed, effects.now(), commandTimeout());
            tick();
        }
    }

    /** A connection was lost. Who stands in the queue asks: if it is an outage, the patience counts from here. */
    public void disconnected() {
        Request request = wanted;
        if (request != null && !request.isAwaiting()) {
            request.exchange().dueAt = effects.now();
        }
        if (waiters.hasOwnRequests()) {
            pollAt = effects.now();
        }
        tick();
    }

    /** An answered release may have been lost by a server that took over; it is undone once more. */
    public void releaseAgain(long request, long lastToken) {
        if (!requests.contains(request)) {
            withdrawing().releaseAgain(request, lastToken);
            sendWaiting();
        }
    }

    // ================================================================ looks

    /** How many callers wait. */
    public int waiting() {
        return waiters.size();
    }

    /** By how much the renewal of the hold is late, in nanoseconds. */
    public long renewalLag() {
        Hold held = hold;
        return held == null ? 0 : held.request.renewalLag(effects.now());
    }

    // ================================================================ events: time

    /** The keeper's round. */
    public void keep() {
        Hold held = hold;
        if (held != null) {
            renewIfDue(held.request, effects.now());
            pumpUnless(held);
        }
    }

    /** When the keeper is to come; {@link Ticker#NEVER} while there is nothing to renew. */
    public long keepAt() {
        Hold held = hold;
        return held == null ? Ticker.NEVER : held.request.keepAt(commandTimeout());
    }

    /** About a third of that, in nanoseconds, is between the keeper's visits to what is held. */
    public long watchedLease() {
        return Objects.requireNonNull(hold).request.watchedNanos();
    }

    /** Does whatever is due. */
    public void tick() {
        long now = effects.now();
        for (Request request : requests.due(now, commandTimeout())) {
            tick(request, now);
        }
        if (hold != null && requests.many() != null) {
            tick(hold.request, now);
        }
        if (now >= pollAt) {
            pollAt = Ticker.NEVER;
            Request oldest = waiters.oldest();
            if (oldest != null && !oldest.isAwaiting()) {
                askNow(oldest);
            }
        }
        if (withdrawing != null) {
            withdrawing.tick(now);
        }
        if (now >= outage.patienceEnds(effects.timing().outagePatience)) {
            failAll(outage.unknown(effects.lock(), "for as long as the client's outage patience"));
        }
        lostHolds = lostHolds.looked(now);
        pump();
    }

    /** Does what is due of one request. */
    private void tick(Request request, long now) {
        if (request.isOverdue(now, commandTimeout())) {
            unanswered(request);
        }
        switch (request.state) {
            case WANTED -> {
                if (request.isDue(now)) {
                    askNow(request);
                }
            }
            case HELD -> {
                boolean lost = doubt(request, now);
                if (!lost && (now >= request.deadline() || !request.confirmed || request.isRenewedInVain())) {
                    renewIfDue(request, now);
                }
            }
            case LOST -> {
                if (now >= request.exchange().giveUpAt) {
                    requests.remove(request);
                } else if (request.isDue(now)) {
                    startRelease(request);
                }
            }
            case RELEASING, UNDOING -> {
                if (now >= request.exchange().giveUpAt) {
                    gone(request);
                } else if (request.isDue(now)) {
                    if (request.state == State.RELEASING) {
                        request.exchange().repeated = true;
                        sendRelease(request, null);
                    } else {
                        withdrawing().send(request);
                    }
                }
            }
        }
    }

    /** When {@link #tick()} must come next; {@link Ticker#NEVER} if nothing is due at any time. */
    public long wakeAt() {
        long at = Math.min(Math.min(nudgeAt(), pollAt), lostHolds.lookAt());
        at = Math.min(at, requests.wakeAt(effects.now(), commandTimeout()));
        if (hold != null && requests.many() != null) {
            at = Math.min(at, hold.request.wakeAt(commandTimeout()));
        }
        if (withdrawing != null && withdrawing.dismissal != null) {
            at = Math.min(at, effects.now());
        }
        if (outage != LockOutage.NONE && !waiters.isEmpty()) {
            at = Math.min(at, outage.patienceEnds(effects.timing().outagePatience));
        }
        return at;
    }

    /** Nothing would be lost by forgetting this machine. */
    public boolean isIdle() {
        // at close nobody waits for the nudge: who waits asks again when the lease it was told of runs out
        return hold == null
                && waiters.isEmpty()
                && requests.isEmpty()
                && lostHolds.isEmpty()
                && (closed || nudgeAt() == Ticker.NEVER);
    }

    /** When it was used last. */
    public long lastEvent() {
        return lastEvent;
    }

    public boolean isClosed() {
        return closed;
    }

    /** Whether that request is under way here. */
    public boolean knows(String request) {
        return find(request) != null;
    }

    /** Whether the lock is being asked for. */
    public boolean isWanted() {
        return wanted != null || waiters.hasOwnRequests();
    }

    // ================================================================ for any thread

    /** The hold of a thread, valid or lost and not unwound; or {@code null}. */
    @Nullable
    public Hold holdOf(Thread thread) {
        Hold held = hold;
        if (held != null && held.thread == thread && !held.isOver()) {
            return held;
        }
        return lostHolds.of(thread);
    }

    /** Lost holds whose threads have not unwound. */
    LostHolds lostHolds() {
        return lostHolds;
    }

    /** Who holds the lock here. */
    @Nullable
    public Hold hold() {
        return hold;
    }

    // ================================================================ undoing

    Withdrawing withdrawing() {
        Withdrawing made = withdrawing;
        if (made == null) {
            made = new Withdrawing(requests, effects);
            withdrawing = made;
        }
        return made;
    }

    /** The backend speaks of a request that nobody here remembers. If another client made it, it is not for us to undo. */
    private void stray(@Nullable String id) {
        long number = effects.number(id);
        if (number != RequestId.NONE) {
            withdrawing().stray(number);
        }
    }

    /** The backend says who owns the lock. */
    private void named(@Nullable String owner) {
        if (owner != null && find(owner) == null) {
            stray(owner);
        }
    }

    /** The lock was heard of: whoever is in charge of it now looks after it. */
    private void heard() {
        if (withdrawing != null) {
            withdrawing.heard();
        }
    }

    /**
     * The lock was given to a request that has so much time to confirm it, through this client; its client may be gone. Or the
     * server has to be asked {@linkplain Reply#AGAIN again}.
     */
    public void nudgeAfter(long claimMillis) {
        if (claimMillis != 0) {
            withdrawing().nudgeAfter(claimMillis);
        }
    }

    private long nudgeAt() {
        return withdrawing == null ? Ticker.NEVER : withdrawing.nudgeAt();
    }

    // ================================================================ local and remote meet

    /**
     * Nothing but this hold was seen to: unless it is lost, there is nothing to ask for. There may be very many that are
     * renewed, and to look who waits would be one more object to fetch from memory for each.
     */
    private void pumpUnless(@Nullable Hold held) {
        if (hold != held) {
            pump();
        }
    }

    /** Sees to it that exactly what is wanted here is asked for at the backend. */
    private void pump() {
        dismissSome();
        Waiter first = waiters.first();
        if (wanted != null && (first == null || !wanted.serves(first))) {
            Request unwanted = wanted;
            wanted = null;
            withdrawing().undo(unwanted);
        }
        Request oldest = waiters.oldest();
        if (oldest != null
                && pollAt == Ticker.NEVER
                && !oldest.isAwaiting()
                && oldest.exchange().dueAt == Ticker.NEVER) {
            pollAt = effects.now() + SAFETY_POLL;
        }
        if (first != null && wanted == null && hold == null && !closed) {
            wanted = newRequest(first);
            ask(wanted);
        }
        sendWaiting();
    }

    /** Sends what waited in line, as far as there is room for it. */
    private void sendWaiting() {
        ManyRequests many = requests.many();
        if (many == null) {
            return;
        }
        many.begin();
        for (Request next; (next = many.next(commandTimeout())) != null; ) {
            if (next.state == State.WANTED) {
                askNow(next);
            } else {
                withdrawing().sendNow(next);
            }
        }
    }

    private @Nullable Request find(@Nullable String id) {
        return requests.get(effects.number(id));
    }

    private Request newRequest(Waiter waiter) {
        Request request = Request.of(effects, effects.newRequest(), waiter, effects.now());
        requests.add(request, effects.timing().underWay());
        return request;
    }

    /**
     * A request is the owner at the backend, until the deadline at least: so it was said by the answer to an acquire that was
     * sent then, which confirms it for the whole lease, or {@linkplain #BY_MESSAGE by message}.
     */
    private void owns(Request request, long until, long token, long sent) {
        boolean confirmed = sent != BY_MESSAGE;
        long deadline = confirmed ? until - effects.missedSince(sent) : until;
        switch (request.state) {
            case WANTED -> {
                Hold before = hold;
                boolean outdated = before != null && token < before.request.firstToken && sent <= before.since;
                if (closed) {
                    refuse(request, new Waiter.Failed(closed("cannot be acquired")));
                } else if (outdated || !request.suffices(deadline, effects.now(), confirmed)) {
                    // older than the present hold, too late, or too short to count: neither a hold nor a loss
                    askNow(request);
                } else if (request.needsReplicas(token)) {
                    replicate(request, token);
                } else {
                    begin(request, deadline, token, confirmed);
                }
            }
            case HELD -> {
                if (effects.now() >= request.deadline()) {
                    lose(request, request.reasonOfEnd());
                } else if (token > request.firstToken) {
                    lose(request, Reason.TAKEN); // granted a second time: the first grant had ended
                } else if (token == request.firstToken) {
                    request.lasts(deadline);
                    if (confirmed) {
                        request.confirm(sent);
                    }
                }
            }
            case UNDOING -> withdrawing().again(request);
            case LOST, RELEASING -> {} // its release is under way, or comes when the owner has unwound
        }
    }

    private void begin(Request request, long deadline, long token, boolean confirmed) {
        Hold before = hold;
        if (before != null) {
            displace(before);
        }
        long now = effects.now();
        request.begin(deadline, token, confirmed, now);
        if (request == wanted) {
            wanted = null;
        }
        refusals++;
        occupy(request, now);
        if (!confirmed) {
            renewIfDue(request, now); // at once if the claim is short
        }
    }

    /** The backend has taken the lock away, or given it to another request, so that hold has ended there. */
    private void displace(Hold before) {
        Request request = before.request;
        lose(request, effects.now() >= request.deadline() ? request.reasonOfEnd() : Reason.TAKEN);
        if (hold != null) { // its owner was faster: the release is in the mailbox
            hold = null;
            lost(request);
        }
    }

    /** Gives the lock to whom the request is for. */
    private void occupy(Request request, long now) {
        Waiter waiter = waiters.of(request);
        request.occupied(now);
        Hold held = new Hold(request, request.lastToken, waiter, now);
        Waiter.Granted granted = new Waiter.Granted(held);
        hold = held;
        waiters.remove(waiter);
        decide(waiter, granted);
        LockEvents.acquired(effects, held, waiter);
    }

    /** Passes a hold to the next waiter without the backend, if that is allowed. */
    private boolean handOver(Request request, Hold from) {
        Waiter next = waiters.first();
        long now = effects.now();
        if (next == null
                || closed
                || request.state != State.HELD
                || !request.mayBeHandedOver(now, slice())
                || !request.terms.equals(next.terms)
                || waiters.hasOwnRequests()) {
            return false;
        }
        request.lastToken++;
        LockEvents.handedOver(effects, from, next, request.lastToken);
        occupy(request, now);
        return true;
    }

    /** For how long a lock that was granted now would be passed on inside the client. */
    public long slice() {
        return Math.max(effects.timing().slice, Math.min(LONGEST_SLICE, SLICE_ROUND_TRIPS * roundTrip));
    }

    private long commandTimeout() {
        return effects.timing().commandTimeout;
    }

    private void measured(long nanos) {
        roundTrip = roundTrip == 0 ? nanos : roundTrip + (nanos - roundTrip) / 8;
    }

    /** A hold has ended against its owner's will. The backend is told when the owner has unwound. */
    void lose(Request request, Reason reason) {
        Hold held = hold;
        if (held == null || held.request != request) {
            return;
        }
        held.lose(reason);
        if (held.loss() == null) {
            return; // its owner was faster: the release is in the mailbox
        }
        lostHolds = lostHolds.with(held, effects.now()); // first, so that its thread finds it at any moment
        hold = null;
        lost(request);
        if (reason == Reason.MAX_HOLD) {
            request.quiet(effects.now());
            startRelease(request); // the bound is for the others: they do not wait for its owner
        } else if (reason == Reason.EXPIRED) {
            request.exchange().dueAt = request.closedUntil; // who waits may have been told of an earlier lease's end
        }
    }

    private void lost(Request request) {
        request.settle(RecoveryTally::lost);
        request.state = State.LOST;
        request.exchange().dueAt = Ticker.NEVER;
        request.exchange().giveUpAt = request.nothingLeft(effects.now(), commandTimeout());
    }

    private void failAll(LockException cause) {
        outage = outage.restarted();
        dismissAll(cause);
    }

    private void dismissAll(LockException cause) {
        if (!waiters.isEmpty()) {
            withdrawing().dismissal = new Withdrawing.Dismissal(cause, effects.now());
            dismissSome();
        }
    }

    /** Dismisses some of those that are to be dismissed; the others follow in the next event, at once. */
    private void dismissSome() {
        Withdrawing.Dismissal dismissal = withdrawing == null ? null : withdrawing.dismissal;
        if (dismissal == null) {
            return;
        }
        for (int i = 0; i < effects.timing().underWay; i++) {
            Waiter waiter = waiters.poll(dismissal.until());
            if (waiter == null) {
                withdrawing().dismissal = null;
                return;
            }
            decide(waiter, new Waiter.Failed(dismissal.cause()));
            if (waiter.request != null) {
                withdrawing().undo(waiter.request);
            }
        }
    }

    // ================================================================ asking

    /** Asks as soon as a command may be sent, in the order of these calls. A try does not wait. */
    private void ask(Request request) {
        if (request.tryOnly || requests.admits(request)) {
            askNow(request);
        } else if (outage != LockOutage.NONE) {
            outage = outage.failed(effects.now(), null); // no failure of its own will begin its patience
        }
    }

    private void askNow(Request request) {
        request.exchange().askAgain = false;
        Command.Acquire acquire = acquire(request);
        request.sent(acquire, effects.now());
        effects.send(acquire);
    }

    private Command.Acquire acquire(Request request) {
        return request.acquire(effects.serverClock(), effects.now(), commandTimeout());
    }

    /** {@code command} is what the acquire travelled in: itself, or a release. */
    private void acquired(
            @Nullable Request request, Command<?> command, Command.Acquire acquire, long sent, Reply.Acquired answer) {
        if (request == null) {
            if (answer.verdict() == Reply.Verdict.GRANTED || waits(acquire, answer)) {
                stray(acquire.request());
            }
            return;
        }
        request.acquireEnded();
        request.answeredTo(command);
        // it did not know what it knew; or it gave the lock to a newcomer, so nobody stood in the queue
        boolean forgotten = !answer.known() && (request.standing || answer.verdict() == Reply.Verdict.GRANTED);
        request.standing = answer.verdict() == Reply.Verdict.GRANTED || waits(acquire, answer);
        if (forgotten) {
            askOthers(request);
        }
        switch (answer.verdict()) {
            case GRANTED -> {
                request.known = true;
                owns(request, sent + Request.safe(acquire.leaseMillis(), 0), answer.token(), sent);
            }
            case QUEUED -> {
                if (request.state == State.UNDOING) {
                    withdrawing().again(request);
                } else if (request.state == State.WANTED) {
                    refusals++;
                    queued(request, sent, answer);
                }
            }
            case AGAIN -> {
                if (request.state == State.UNDOING && waits(acquire, answer)) {
                    withdrawing().again(request);
                } else if (request.state == State.WANTED && !request.tryOnly) {
                    request.exchange().askAgain = true;
                    queued(request, sent, answer);
                } else if (request.state == State.WANTED && !request.isAwaiting()) {
                    ask(request);
                }
            }
            case REFUSED -> {
                if (request.state == State.WANTED && request.tryOnly) {
                    refuse(request, Denied.REFUSED);
                } else if (request.state == State.WANTED) {
                    refusals++;
                    if (!request.isAwaiting()) {
                        ask(request); // the backend is prepared for its grant now
                    }
                }
            }
            case STALE -> {
                if (request.state == State.WANTED && !request.isAwaiting()) {
                    askSoon(request, sent);
                }
            }
        }
    }

    /** Whether the answer says that the request stands in the queue. */
    private static boolean waits(Command.Acquire acquire, Reply.Acquired answer) {
        return answer.verdict() == Reply.Verdict.QUEUED || answer.verdict() == Reply.Verdict.AGAIN && acquire.queue();
    }

    /** At once: this very answer has set the estimate of the server's clock right. Then with pauses, unless it was long under way. */
    private void askSoon(Request request, long sent) {
        long now = effects.now();
        boolean late = now - sent >= commandTimeout() / 2; // behind an outage, which is over
        Pending exchange = request.exchange();
        exchange.dueAt = now + (late || exchange.failures == 0 ? 0 : retryDelay(exchange));
        exchange.failures++;
    }

    private void queued(Request request, long sent, Reply.Acquired answer) {
        long now = effects.now();
        request.known = true;
        Pending exchange = request.exchange();
        exchange.failures = 0;
        if (exchange.answered == null || sent >= exchange.answeredSent) {
            exchange.answeredSent = sent;
            exchange.answered = answer.server();
        }
        if (exchange.awaited != null) {
            return;
        }
        if (exchange.askAgain) {
            ask(request);
            return;
        }
        // when the lease it was told of runs out, the first in the queue first
        long stagger = 1 + Math.min(answer.position() - 1, 100) * 2L;
        long at = Math.min(now + SAFETY_POLL, now + (answer.remainingMillis() + stagger) * MILLI);
        if (request.waiter == null) {
            exchange.dueAt = at;
        } else {
            pollAt = request == waiters.oldest() ? at : Math.min(pollAt, at);
        }
    }

    /**
     * The server has forgotten a request that it knew: a claim of this client has lapsed, and the client's other requests went
     * with it, or all is lost.
     */
    private void askOthers(Request forgotten) {
        if (waiters.isEmpty()) {
            return;
        }
        ManyRequests many = requests.many();
        if (many != null) {
            many.askOthers(forgotten, effects.now());
            return;
        }
        for (Request other : requests.all()) {
            if (other != forgotten && other.state == State.WANTED && other.standing) {
                other.standing = false;
                if (!other.isAwaiting()) {
                    ask(other);
                } else {
                    other.exchange().askAgain = true;
                }
            }
        }
    }

    // ================================================================ replicas

    private void replicate(Request request, long token) {
        Replication wanted = request.terms.options.replication().orElse(null);
        if (wanted != null && !request.isReplicating(token)) {
            long now = effects.now();
            Command.Replicate replicate =
                    request.replicate(effects.serverClock(), now, commandTimeout(), token, wanted);
            request.sent(replicate, now);
            effects.send(replicate);
        }
    }

    private void replicated(Command.Replicate replicate, long sent, Reply.Replicated answer) {
        Command.Renew.Item item = replicate.item();
        Request request = find(item.request());
        if (request == null || !request.answeredTo(replicate) || request.state != State.WANTED) {
            return; // nobody waits for it any more, or it has been asked anew
        }
        if (answer.outcome() != Reply.Renewal.OK) { // it is not the owner any more, or came too late: see who is
            askSoon(request, sent);
        } else if (answer.copies() < replicate.copies()) {
            refuse(request, new Waiter.Failed(LockOutage.refused(effects.lock(), tooFew(replicate, answer))));
        } else {
            request.exchange().replicated = item.firstToken();
            owns(request, sent + Request.safe(item.leaseMillis(), 0), item.firstToken(), sent);
        }
    }

    private static BackendException tooFew(Command.Replicate wanted, Reply.Replicated answer) {
        if (wanted.onDisk()) {
            return new BackendException(
                    "The server's disk has not confirmed the lock within the " + wanted.withinMillis()
                            + " ms that Replication.onDisk allows",
                    true,
                    null);
        }
        return new BackendException(
                "Only " + answer.copies() + " of the " + wanted.copies()
                        + " replicas that Replication.atLeast asks for have confirmed the lock within "
                        + wanted.withinMillis() + " ms",
                true,
                null);
    }

    /** Whoever it is for does not get the lock. */
    private void refuse(Request request, Waiter.WaitResult verdict) {
        if (request == wanted) {
            wanted = null;
        }
        boolean polls = waiters.oldest() == request;
        decide(waiters.takeFor(request), verdict);
        withdrawing().undo(request);
        othersPoll(polls);
    }

    /** The one that polled for all is gone; its answer would have said when to ask again. */
    private void othersPoll(boolean itPolled) {
        if (itPolled && pollAt == Ticker.NEVER && waiters.hasOwnRequests()) {
            pollAt = lastEvent;
        }
    }

    // ================================================================ renewing

    private void renewIfDue(Request request, long now) {
        request.hear();
        if (now >= request.deadline()) {
            lose(request, request.reasonOfEnd());
        } else if (request.isRenewalDue(now, commandTimeout())) {
            if (request.isOnlyVerified() || !isAbandoned(request)) {
                Command.Renew.Item item = request.renewal(now);
                boolean tacit = outage == LockOutage.NONE && request.mayBeTacit(item);
                request.begun(effects.renew(item, tacit), tacit);
            } else if (!request.confirmed) {
                effects.renew(request.verification(), false);
            }
        }
    }

    /** Looks whether the lease may have ended while the machine was suspended. Returns whether it counts as lost. */
    private boolean doubt(Request request, long now) {
        MissedTime missedTime = request.missedTime();
        Hold held = hold;
        if (missedTime == null || held == null || held.request != request) {
            return false;
        }
        if (missedTime.isInVain(now, request.deadline())) {
            lose(request, Reason.EXPIRED);
            return true;
        }
        if (missedTime.isDoubtful(now, request.deadline())) {
            held.doubt();
        }
        return false;
    }

    /** The server has answered for the lease, to what was sent then. */
    private void trust(Request request, long sent, long leaseMillis) {
        MissedTime missedTime = request.missedTime();
        if (missedTime != null && missedTime.isAnsweredBy(sent)) {
            request.answeredFor(missedTime.missed(), sent, leaseMillis);
            Hold held = hold;
            if (held != null) {
                held.trust();
            }
        }
    }

    /** What nobody can release any more ends with its lease. */
    private boolean isAbandoned(Request request) {
        Hold held = hold;
        LockListener.Absence absence = held == null ? null : held.absence();
        if (held == null || absence == null) {
            return false;
        }
        request.renewAt = Ticker.NEVER;
        if (!request.abandoned) { // it is looked at again when a connection was replaced
            request.abandoned = true;
            LockEvents.abandoned(effects, held, absence);
        }
        return true;
    }

    /** {@code false} if the answer concerns nothing that is held. */
    private boolean prolonged(String id, long firstToken, long leaseMillis, long sent, Reply.Renewal outcome) {
        Request request = find(id);
        long now = lastEvent;
        if (request == null || request.state != State.HELD || request.firstToken != firstToken) {
            return false;
        }
        request.heardOf();
        if (now >= request.deadline()) {
            lose(request, request.reasonOfEnd());
            return false;
        }
        switch (outcome) {
            case OK -> {
                trust(request, sent, leaseMillis);
                request.prolonged(sent, leaseMillis);
                request.verified();
            }
            case FORGOTTEN -> {
                if (request.abandoned) {
                    lose(request, Reason.EXPIRED); // nobody is there for whom it would be restored
                } else {
                    request.forgotten();
                    effects.send(request.restore(effects.serverClock(), now, commandTimeout()));
                }
            }
            case LOST -> {
                lose(request, Reason.TAKEN);
                askOthers(request);
            }
            case STALE ->
                request.verify(now); // at once: this very answer has set the estimate of the server's clock right
            case BROKEN -> {} // the keeper tries again until the deadline
        }
        return true;
    }

    /** The answer to an extension, which is a renewal too. */
    private void extended(Command.Renew renew, long sent, Reply.Renewed.Item result) {
        Command.Renew.Item item = renew.items().get(0);
        boolean held = prolonged(item.request(), item.firstToken(), item.leaseMillis(), sent, result.outcome());
        named(result.owner());
        Promise<Extension> outcome = extensions.remove(renew);
        if (outcome != null) {
            effects.decide(
                    outcome,
                    !held || result.outcome() == Reply.Renewal.LOST
                            ? Extension.LOST
                            : result.outcome() == Reply.Renewal.OK ? Extension.DONE : Extension.AGAIN);
        }
    }

    // ================================================================ giving back

    void startRelease(Request request) {
        if (effects.now() >= request.deadline()) {
            request.quietAfterLease();
        }
        request.settle(RecoveryTally::done);
        request.state = State.RELEASING;
        request.exchange().giveUpAt = request.nothingLeft(effects.now(), commandTimeout());
        request.exchange().failures = 0;
        Waiter first = waiters.first();
        Request next = null;
        if (first != null && wanted == null && !closed && !requests.isFull()) {
            next = newRequest(first);
            wanted = next;
        }
        sendRelease(request, next);
    }

    private void sendRelease(Request request, @Nullable Request next) {
        Command.Release release = new Command.Release(
                effects.lock(),
                request.id(),
                request.firstToken,
                request.lastToken,
                request.keepMillis(effects.now()),
                next == null ? null : acquire(next));
        request.sent(release, effects.now());
        if (next != null) {
            next.sent(release, effects.now());
        }
        effects.send(release);
    }

    private void released(Command.Release release, long sent, Reply.Released answer) {
        Request request = find(release.request());
        if (request != null && request.state == State.RELEASING) {
            request.answeredTo(release);
            if (answer.outcome() != Reply.Release.RELEASED) {
                askOthers(request);
            }
            // not held, and that before its lease ended: it had been lost, unless an earlier sending has given it back
            boolean lost = answer.outcome() == Reply.Release.NOT_HELD && effects.now() < request.deadline();
            Hold releaser = request.exchange().releaser;
            if (releaser != null) {
                Optional<LeaseLoss> loss = lost && !request.exchange().repeated && releaser.loss() == null
                        ? Optional.of(new LeaseLoss(effects.lock(), releaser.token, Reason.TAKEN, Instant.now()))
                        : Optional.empty();
                if (loss.isPresent()) {
                    releaser.tellLost(loss.get());
                }
                effects.decide(releaser.released(), loss);
            }
            gone(request);
            effects.released(request);
        }
        Command.Acquire acquire = release.next();
        if (acquire != null) {
            Request next = find(acquire.request());
            if (answer.next() != null) {
                acquired(next, release, acquire, sent, answer.next());
            } else if (next != null) { // it was not entered
                next.acquireEnded();
                next.answeredTo(release);
                if (next.state == State.WANTED && !next.isAwaiting()) {
                    ask(next);
                }
            }
        }
        if (answer.next() == null || !waits(Objects.requireNonNull(acquire), answer.next())) {
            nudgeAfter(answer.claimMillis());
        }
    }

    /** A request has been given back; if bytes of it may still run, it is withdrawn, too. */
    private void gone(Request request) {
        if (request.state == State.RELEASING && request.unanswered() > 0) {
            withdrawing().undo(request);
        } else {
            requests.remove(request);
        }
    }

    private void withdrawn(Command.Withdraw withdraw, Reply.Withdrawn answer) {
        Request forgotten = withdrawing().withdrawn(withdraw, answer);
        if (forgotten != null) {
            askOthers(forgotten);
        }
        if (withdraw.request() == null && waiters.hasOwnRequests()) {
            pollAt = Math.min(pollAt, effects.now()); // a claim that lapsed may have been this client's
        }
    }

    // ================================================================ no answer

    /** The backend has answered. */
    private void over() {
        if (outage != LockOutage.NONE) { // a reference that is written is work for the collector
            outage = LockOutage.NONE;
        }
    }

    private void failed(Command<?> command, long sent, Reply.Failed failed) {
        outage = outage.failed(sent, failed.cause());
        if (command instanceof Command.Acquire acquire) {
            acquireFailed(command, acquire, failed);
        } else if (command instanceof Command.Replicate replicate) {
            wishFailed(command, find(replicate.item().request()), failed);
        } else if (command instanceof Command.Release release) {
            retryLater(find(release.request()), command);
            if (release.next() != null) {
                acquireFailed(command, release.next(), failed);
            }
        } else if (command instanceof Command.Withdraw withdraw) {
            if (withdraw.request() == null) {
                withdrawing().nudgeFailed();
            } else {
                retryLater(find(withdraw.request()), command);
                withdrawing().refused(withdraw.request(), failed.cause(), commandTimeout());
            }
        } else if (command instanceof Command.Restore restore) {
            renewalFailed(restore.request());
        } else if (command instanceof Command.Renew) {
            Promise<Extension> outcome = extensions.remove(command);
            if (outcome != null) {
                effects.decide(outcome, new Extension.Failed(failed.cause()));
            }
        }
    }

    private void acquireFailed(Command<?> command, Command.Acquire acquire, Reply.Failed failed) {
        Request request = find(acquire.request());
        if (request != null && !failed.executed()) {
            request.acquireEnded();
        }
        wishFailed(command, request, failed);
    }

    private void wishFailed(Command<?> command, @Nullable Request request, Reply.Failed failed) {
        if (request == null) {
            return;
        }
        boolean current = request.isAwaiting(command);
        retryLater(request, command);
        if (request.state != State.WANTED) {
            return;
        }
        if (!failed.cause().isRetryable()) {
            failAll(LockOutage.refused(effects.lock(), failed.cause()));
        } else if (request.tryOnly && current) {
            refuse(request, new Waiter.Failed(LockOutage.refused(effects.lock(), failed.cause())));
        }
    }

    private void retryLater(@Nullable Request request, Command<?> command) {
        if (request != null && request.answeredTo(command)) {
            Pending exchange = request.exchange();
            exchange.dueAt = effects.now() + retryDelay(exchange);
            exchange.failures++;
            leaveReleaser(request);
        }
    }

    /** A renewal was not answered: the keeper repeats it. */
    public void renewalFailed(String id) {
        Request request = find(id);
        if (request != null && request.state == State.HELD) {
            request.begun(effects.now(), false); // so that it is not repeated at once
        }
    }

    private long retryDelay(Pending exchange) {
        long delay = FIRST_RETRY << Math.min(exchange.failures, RETRY_DOUBLINGS);
        return delay / 2 + effects.random(delay / 2);
    }

    /** The command timeout has passed. The answer may still come, and is an event like any other then. */
    private void unanswered(Request request) {
        Pending exchange = request.exchange();
        outage = outage.failed(exchange.awaitedSince, null);
        exchange.awaited = null;
        exchange.failures++;
        exchange.dueAt = effects.now();
        leaveReleaser(request);
        if (request.state == State.WANTED && request.tryOnly) {
            refuse(request, new Waiter.Failed(outage.unknown(effects.lock(), "within its command timeout")));
        }
    }

    /** Who gave the lock back does not wait for retries. */
    private void leaveReleaser(Request request) {
        Hold releaser = request.exchange().releaser;
        if (request.state != State.RELEASING || releaser == null) {
            return;
        }
        request.exchange().releaser = null; // once; by its own clock it may have left already
        effects.decide(releaser.released(), Optional.empty());
        LockEvents.releaseFailed(effects, releaser);
    }

    private ClientClosedException closed(String what) {
        return new ClientClosedException("The lock '" + effects.lock() + "' " + what + ": its client is closed");
    }

    @Override
    public String toString() {
        return "lock '" + Printable.text(effects.lock()) + "': hold " + hold + ", " + waiters.size()
                + " waiting, requests " + requests;
    }
}
