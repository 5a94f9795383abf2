package io.boltwork;

import io.boltwork.LeaseLoss.Reason;
import io.boltwork.Request.State;
import io.boltwork.Waiter.Denied;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** All that one client knows of one lock: who holds it here, who wants it, what the backend has been asked and has answered. */
final class LockMachine {

    /*
     * A state machine without threads, clocks or connections: events are method calls (never two at a time, see Mailbox),
     * what they cause goes out through Effects. docs/synchronization.md draws the states and lists the races.
     *
     * Two halves meet in pump():
     *
     *   local    `waiters`, first come first served, and `hold`, who of them has the lock. A hold that is given back goes to
     *            the next waiter directly while its slice lasts (release), else the backend is told.
     *   remote   `requests`, by id. At most one is `wanted`: it stands at the backend for the first waiter and all behind
     *            him with equal options. At most one is HELD. Any number may be on their way out (RELEASING, UNDOING).
     *
     * Everything that is sent is answered, or given up after the command timeout and sent again. What an answer means depends
     * on the request alone, not on which of several answers it is: they may be late, doubled, or in another order.
     *
     * Deadlines. Each is counted from a moment at which the server cannot have begun to count yet: the sending of the
     * command. 1 % of the span and 2 ms are taken off for clocks that run at different rates and for rounding.
     */

    private static final System.Logger LOG = System.getLogger("io.boltwork");

    /** In any case a queued request asks again after this time, should the message of its grant have been lost. */
    static final long SAFETY_POLL = TimeUnit.SECONDS.toNanos(5);

    /** How long the state of an unused lock is kept, so that a lock in use is not built anew each time. */
    static final long IDLE = TimeUnit.SECONDS.toNanos(1);

    /** The slice is at least this many round trips, or giving the lock back would cost more than using it. */
    private static final int SLICE_ROUND_TRIPS = 4;

    private static final long LONGEST_SLICE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long FIRST_RETRY = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int RETRY_DOUBLINGS = 5;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    final String name;
    private final Timing timing;
    private final Effects effects;

    private final ArrayDeque<Waiter> waiters = new ArrayDeque<>();
    private final Map<String, Request> requests = new LinkedHashMap<>();
    private @Nullable Request wanted;

    private volatile @Nullable Hold hold;

    private final LostHolds lostHolds = new LostHolds();

    /** When to look whether the grantee that this client saw last has taken its grant. */
    private long nudgeAt = Ticker.NEVER;

    private final Outage outage;

    /** How often the backend, or a hold here, has said that the lock is taken. */
    private long refusals;

    private long roundTrip;
    private long lastEvent;
    private boolean closed;

    /** Times a client has to keep, in nanoseconds. */
    record Timing(long commandTimeout, long slice, long outagePatience) {}

    LockMachine(String name, Timing timing, Effects effects) {
        this.name = name;
        this.timing = timing;
        this.effects = effects;
        this.outage = new Outage(timing.outagePatience);
    }

    // ================================================================ events: local

    /** Somebody wants the lock. */
    void request(Waiter waiter) {
        lastEvent = effects.now();
        if (closed) {
            effects.decide(waiter.outcome, new Waiter.Failed(closed("was asked for")));
            return;
        }
        boolean taken = hold != null || wanted != null && wanted.known;
        if (waiter.tryOnly && (taken || wanted != null || !waiters.isEmpty())) {
            effects.decide(waiter.outcome, Denied.REFUSED);
            return;
        }
        warnOfSelf(waiter);
        if (waiters.isEmpty()) {
            outage.restart();
        }
        waiter.refusalsBefore = taken ? refusals - 1 : refusals;
        waiters.add(waiter);
        pump();
    }

    private void warnOfSelf(Waiter waiter) {
        Hold held = hold;
        if (held != null && held.thread == null && waiter.thread == held.asker) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Thread ''{0}'' waits for the lock ''{1}'', which an asynchronous lease holds that it asked for itself;"
                            + " asynchronous leases are not reentrant: release the lease, or hold the lock by thread",
                    waiter.asker.getName(),
                    name);
        }
    }

    /** Somebody does not want the lock any more. Without effect once the waiter has its verdict. */
    void cancel(Waiter waiter, boolean timedOut) {
        lastEvent = effects.now();
        if (!waiters.remove(waiter)) {
            return;
        }
        effects.decide(
                waiter.outcome,
                !timedOut
                        ? Denied.CANCELLED
                        : refusals > waiter.refusalsBefore
                                ? Denied.REFUSED
                                : new Waiter.Failed(
                                        outage.unknown(name, "within the time that the caller was willing to wait")));
        pump();
    }

    /** The owner has left the outermost level of its hold; or has unwound a lost one. */
    void release(Hold left) {
        lastEvent = effects.now();
        Request request = left.request;
        if (hold == left) {
            hold = null;
        } else {
            lostHolds.remove(left);
        }
        boolean clean = left.loss() == null;
        if (requests.get(request.id) != request || request.state != State.HELD && request.state != State.LOST) {
            effects.decide(
                    left.released, Optional.empty()); // nothing can be left of it, or it is being released already
        } else if (clean && handOver(request)) {
            effects.decide(left.released, Optional.empty());
        } else {
            request.releaser = left;
            startRelease(request);
        }
        pump();
    }

    /** The deadline of a hold has passed, and somebody noticed. */
    void expired(Hold noticed) {
        if (hold == noticed) {
            lose(noticed.request, Reason.EXPIRED);
            pump();
        }
    }

    /** The client is being closed: nobody gets the lock any more, and everything is given back. */
    void close() {
        closed = true;
        for (Waiter waiter; (waiter = waiters.poll()) != null; ) {
            effects.decide(waiter.outcome, new Waiter.Failed(closed("was waited for")));
        }
        Hold held = hold;
        if (held != null) {
            hold = null;
            held.lose(Reason.CLOSED);
            startRelease(held.request);
        }
        for (Request request : List.copyOf(requests.values())) {
            if (request.state == State.LOST) {
                startRelease(request);
            }
        }
        lostHolds.clear();
        pump();
    }

    // ================================================================ events: from the backend

    /** The reply to a command, awaited or not. */
    void answered(Command command, long sent, Reply reply) {
        long now = effects.now();
        lastEvent = now;
        if (reply instanceof Reply.Failed failed) {
            failed(command, sent, failed);
        } else {
            nudgeAt = Ticker.NEVER;
            outage.over();
            if (command instanceof Command.Acquire acquire && reply instanceof Reply.Acquired acquired) {
                measured(now - sent);
                acquired(requests.get(acquire.request()), command, acquire, sent, acquired);
                ownerNamed(acquired.owner());
            } else if (command instanceof Command.Release release && reply instanceof Reply.Released released) {
                measured(now - sent);
                released(release, sent, released);
                ownerNamed(released.owner());
            } else if (command instanceof Command.Withdraw withdraw && reply instanceof Reply.Withdrawn withdrawn) {
                withdrawn(withdraw, withdrawn);
                ownerNamed(withdrawn.owner());
            } else if (command instanceof Command.Restore restore && reply instanceof Reply.Restored restored) {
                // refused because an earlier try, whose answer was lost, had restored it? Then a renewal will tell
                boolean twice = restored.outcome() == Reply.Renewal.LOST
                        && restore.request().equals(restored.owner());
                Reply.Renewal outcome = twice ? Reply.Renewal.STALE : restored.outcome();
                prolonged(restore.request(), restore.firstToken(), restore.leaseMillis(), sent, outcome);
                ownerNamed(restored.owner());
            } else {
                throw new IllegalArgumentException(reply + " is no reply to " + command);
            }
        }
        pump();
    }

    /** The result of one renewal. */
    void renewed(Command.Renew.Item item, long sent, Reply.Renewed.Item result) {
        lastEvent = effects.now();
        outage.over();
        prolonged(item.request(), item.firstToken(), item.leaseMillis(), sent, result.outcome());
        ownerNamed(result.owner());
        pump();
    }

    /** The backend has given the lock to a waiting request. */
    void granted(Grant grant) {
        long now = effects.now();
        lastEvent = now;
        nudgeAt = Ticker.NEVER;
        Request request = requests.get(grant.request());
        if (request == null) {
            stray(grant.request());
            return;
        }
        request.known = true;
        if (request.state != State.WANTED) {
            owns(request, Long.MIN_VALUE, grant.token(), false);
        } else {
            long origin = request.firstSent;
            long given = origin;
            if (request.answered != null) {
                origin = request.answeredSent;
                given = origin + (grant.server().millis() - request.answered.millis()) * MILLI;
            }
            boolean comparable = request.answered == null
                    ? origin != Ticker.NEVER
                    : request.answered.run().equals(grant.server().run());
            boolean current = grant.server().run().equals(effects.serverClock().run());
            if (comparable && current) {
                long from = Math.min(given, now);
                owns(request, from + Request.safe(grant.leaseMillis(), from - origin), grant.token(), false);
            } else {
                ask(request); // by another server's clock, or one that has been replaced since: confirm it first
            }
        }
        pump();
    }

    /** A connection was replaced; messages and answers may have been lost, and the server may be another one. */
    void connected() {
        for (Request request : List.copyOf(requests.values())) {
            switch (request.state) {
                case WANTED -> {
                    if (request.answered == null) {
                        request.firstSent = Ticker.NEVER;
                    }
                    if (!request.tryOnly) {
                        ask(request);
                    }
                }
                case HELD -> request.verify(effects.now());
                case RELEASING, UNDOING -> {
                    if (request.awaited == null) {
                        request.dueAt = effects.now();
                    }
                }
                case LOST -> {}
            }
        }
        tick();
    }

    /** An answered release may have been lost by a server that took over; it is undone once more. */
    void releaseAgain(String request, long lastToken) {
        if (!requests.containsKey(request)) {
            undoing(request, lastToken);
        }
    }

    // ================================================================ events: time

    /** The keeper's round. */
    void keep() {
        Hold held = hold;
        if (held != null) {
            renewIfDue(held.request, effects.now());
            pump();
        }
    }

    /** Does whatever is due. */
    void tick() {
        long now = effects.now();
        for (Request request : List.copyOf(requests.values())) {
            if (request.isOverdue(now, timing.commandTimeout)) {
                unanswered(request);
            }
            switch (request.state) {
                case WANTED -> {
                    if (request.isDue(now)) {
                        ask(request);
                    }
                }
                case HELD -> {
                    if (now >= request.deadline || !request.confirmed || request.renewals > 1) {
                        renewIfDue(request, now);
                    }
                }
                case LOST -> {
                    if (now >= request.giveUpAt) {
                        requests.remove(request.id);
                    }
                }
                case RELEASING, UNDOING -> {
                    if (now >= request.giveUpAt) {
                        gone(request);
                    } else if (request.isDue(now)) {
                        if (request.state == State.RELEASING) {
                            sendRelease(request, null);
                        } else {
                            sendWithdraw(request);
                        }
                    }
                }
            }
        }
        if (now >= nudgeAt) {
            nudgeAt = Ticker.NEVER;
            effects.send(new Command.Withdraw(name, null, 0));
        }
        if (now >= outage.patienceEnds()) {
            failAll(outage.unknown(name, "for as long as the client's outage patience"));
        }
        lostHolds.tick(now);
        pump();
    }

    /** When {@link #tick()} must come next; {@link Ticker#NEVER} if nothing is due at any time. */
    long wakeAt() {
        long at = Math.min(nudgeAt, lostHolds.wakeAt());
        for (Request request : requests.values()) {
            at = Math.min(at, request.wakeAt(timing.commandTimeout));
        }
        if (!waiters.isEmpty()) {
            at = Math.min(at, outage.patienceEnds());
        }
        return at;
    }

    /** Nothing would be lost by forgetting this machine. */
    boolean isIdle() {
        return hold == null
                && waiters.isEmpty()
                && requests.isEmpty()
                && lostHolds.isEmpty()
                && (nudgeAt == Ticker.NEVER || closed); // who waits asks again when the lease it was told of runs out
    }

    /** When it was used last. */
    long lastEvent() {
        return lastEvent;
    }

    boolean isClosed() {
        return closed;
    }

    /** Whether that request is under way here. */
    boolean knows(String request) {
        return requests.containsKey(request);
    }

    /** Whether the lock is being asked for. */
    boolean isWanted() {
        return wanted != null;
    }

    // ================================================================ for any thread

    /** The hold of a thread, valid or lost and not unwound; or {@code null}. */
    @Nullable
    Hold holdOf(Thread thread) {
        Hold held = hold;
        if (held != null && held.thread == thread && !held.isOver()) {
            return held;
        }
        return lostHolds.of(thread);
    }

    /** Who holds the lock here. */
    @Nullable
    Hold hold() {
        return hold;
    }

    // ================================================================ local and remote meet

    /** Sees to it that exactly what is wanted here is asked for at the backend. */
    private void pump() {
        Waiter first = waiters.peek();
        if (wanted != null && (first == null || !wanted.serves(first))) {
            Request unwanted = wanted;
            wanted = null;
            undo(unwanted);
        }
        if (first != null && wanted == null && hold == null) {
            wanted = newRequest(first);
            ask(wanted);
        }
    }

    private Request newRequest(Waiter waiter) {
        Request request = new Request(name, effects.newRequestId(), waiter.options, waiter.tryOnly, State.WANTED);
        request.firstSent = effects.now();
        requests.put(request.id, request);
        return request;
    }

    /** A request is the owner at the backend, until the deadline at least. */
    private void owns(Request request, long deadline, long token, boolean confirmed) {
        switch (request.state) {
            case WANTED -> {
                if (effects.now() >= deadline) {
                    ask(request); // too late to count; neither a hold nor a loss
                } else {
                    begin(request, deadline, token, confirmed);
                }
            }
            case HELD -> {
                if (effects.now() >= request.deadline) {
                    lose(request, Reason.EXPIRED);
                } else if (token > request.firstToken) {
                    lose(request, Reason.TAKEN); // granted a second time: the first grant had ended
                } else if (token == request.firstToken && deadline > request.deadline) {
                    request.deadline = deadline;
                    request.confirmed |= confirmed;
                }
            }
            case UNDOING -> undoAgain(request);
            case LOST, RELEASING -> {} // its release is under way, or comes when the owner has unwound
        }
    }

    private void begin(Request request, long deadline, long token, boolean confirmed) {
        request.begin(deadline, token, confirmed, effects.now() + slice());
        wanted = null;
        refusals++;
        occupy(request);
    }

    /** Gives the lock to the first waiter. */
    private void occupy(Request request) {
        Waiter waiter = waiters.remove(); // wanted implies a waiter: pump() keeps it so
        Hold held = effects.hold(request, waiter);
        hold = held;
        if (request.fixedEnd == Ticker.NEVER) {
            effects.keep(TimeUnit.MILLISECONDS.toNanos(request.options.leaseMillis()));
        }
        effects.decide(waiter.outcome, new Waiter.Granted(held));
    }

    /** Passes a hold to the next waiter without the backend, if that is allowed. */
    private boolean handOver(Request request) {
        Waiter next = waiters.peek();
        long now = effects.now();
        if (next == null
                || closed
                || request.state != State.HELD
                || !request.options.isRenewed()
                || !request.options.equals(next.options)
                || now >= request.sliceEnd
                || now >= request.deadline
                || request.lastToken - request.firstToken >= LockBackend.TOKENS_PER_HOLD - 1) {
            return false;
        }
        request.lastToken++;
        occupy(request);
        return true;
    }

    private long slice() {
        return Math.max(timing.slice, Math.min(LONGEST_SLICE, SLICE_ROUND_TRIPS * roundTrip));
    }

    private void measured(long nanos) {
        roundTrip = roundTrip == 0 ? nanos : roundTrip + (nanos - roundTrip) / 8;
    }

    /** A hold has ended against its owner's will. The backend is told when the owner has unwound. */
    private void lose(Request request, Reason reason) {
        Hold held = hold;
        if (held == null || held.request != request) {
            return;
        }
        held.lose(reason);
        if (held.loss() == null) {
            return; // its owner was faster: the release is in the mailbox
        }
        hold = null;
        request.state = State.LOST;
        request.giveUpAt = request.nothingLeft(effects.now(), timing.commandTimeout);
        lostHolds.add(held, effects.now());
    }

    private void failAll(LockException cause) {
        outage.restart();
        for (Waiter waiter; (waiter = waiters.poll()) != null; ) {
            effects.decide(waiter.outcome, new Waiter.Failed(cause));
        }
    }

    // ================================================================ asking

    private void ask(Request request) {
        Command.Acquire acquire = acquire(request);
        request.sent(acquire, effects.now());
        effects.send(acquire);
    }

    private Command.Acquire acquire(Request request) {
        return request.acquire(effects.serverClock(), effects.now(), timing.commandTimeout);
    }

    /** {@code command} is what the acquire travelled in: itself, or a release. */
    private void acquired(
            @Nullable Request request, Command command, Command.Acquire acquire, long sent, Reply.Acquired answer) {
        if (request == null) {
            if (answer.verdict() == Reply.Verdict.GRANTED || answer.verdict() == Reply.Verdict.QUEUED) {
                stray(acquire.request());
            }
            return;
        }
        request.unanswered--;
        request.answeredTo(command);
        switch (answer.verdict()) {
            case GRANTED -> {
                request.known = true;
                owns(request, sent + Request.safe(acquire.leaseMillis(), 0), answer.token(), true);
            }
            case QUEUED -> {
                if (request.state == State.UNDOING) {
                    undoAgain(request);
                } else if (request.state == State.WANTED) {
                    queued(request, sent, answer);
                }
            }
            case REFUSED -> {
                if (request.state == State.WANTED) {
                    wanted = null;
                    effects.decide(waiters.remove().outcome, Denied.REFUSED);
                    undo(request);
                }
            }
            case STALE -> {
                if (request.state == State.WANTED && request.awaited == null) {
                    // at once: this very answer has set the estimate of the server's clock right
                    request.dueAt = effects.now() + (request.failures == 0 ? 0 : retryDelay(request));
                    request.failures++;
                }
            }
        }
    }

    private void queued(Request request, long sent, Reply.Acquired answer) {
        long now = effects.now();
        refusals++;
        request.known = true;
        request.failures = 0;
        if (request.answered == null || sent >= request.answeredSent) {
            request.answeredSent = sent;
            request.answered = answer.server();
        }
        if (request.awaited == null) {
            // when the lease it was told of runs out, the first in the queue first
            long stagger = 1 + Math.min(answer.position() - 1, 100) * 2L;
            request.dueAt = Math.min(now + SAFETY_POLL, now + (answer.remainingMillis() + stagger) * MILLI);
        }
    }

    // ================================================================ renewing

    private void renewIfDue(Request request, long now) {
        if (now >= request.deadline) {
            lose(request, Reason.EXPIRED);
        } else if (request.isRenewalDue(now, timing.commandTimeout) && !isAbandoned(request)) {
            effects.renew(request.renewal(now));
        }
    }

    /** What nobody can release any more ends with its lease. */
    private boolean isAbandoned(Request request) {
        Hold held = hold;
        if (held == null || !held.isAbandoned()) {
            return false;
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "The lock ''{0}'' is not renewed any more: {1} has ended without releasing it",
                name,
                held);
        request.renewAt = Ticker.NEVER;
        return true;
    }

    private void prolonged(String id, long firstToken, long leaseMillis, long sent, Reply.Renewal outcome) {
        Request request = requests.get(id);
        long now = effects.now();
        if (request == null || request.state != State.HELD || request.firstToken != firstToken) {
            return;
        }
        request.renewing = Ticker.NEVER;
        if (now >= request.deadline) {
            lose(request, Reason.EXPIRED);
            return;
        }
        switch (outcome) {
            case OK -> request.prolonged(sent, leaseMillis);
            case FORGOTTEN -> effects.send(request.restore(effects.serverClock(), now, timing.commandTimeout));
            case LOST -> lose(request, Reason.TAKEN);
            case STALE ->
                request.verify(now); // at once: this very answer has set the estimate of the server's clock right
            case BROKEN -> {} // the keeper tries again until the deadline
        }
    }

    // ================================================================ giving back

    private void startRelease(Request request) {
        request.state = State.RELEASING;
        request.giveUpAt = request.nothingLeft(effects.now(), timing.commandTimeout);
        request.failures = 0;
        Waiter first = waiters.peek();
        Request next = null;
        if (first != null && wanted == null && !closed) {
            next = newRequest(first);
            wanted = next;
        }
        sendRelease(request, next);
    }

    private void sendRelease(Request request, @Nullable Request next) {
        request.releases++;
        Command.Release release = new Command.Release(
                name, request.id, request.firstToken, request.lastToken, 0, next == null ? null : acquire(next));
        request.sent(release, effects.now());
        if (next != null) {
            next.sent(release, effects.now());
        }
        effects.send(release);
    }

    private void released(Command.Release release, long sent, Reply.Released answer) {
        Request request = requests.get(release.request());
        if (request != null && request.state == State.RELEASING) {
            request.answeredTo(release);
            // not held, and that before its lease ended, and not because an earlier try had released it: it had been
            // lost
            boolean lost = answer.outcome() == Reply.Release.NOT_HELD
                    && request.releases == 1
                    && effects.now() < request.deadline;
            Hold releaser = request.releaser;
            if (releaser != null) {
                effects.decide(
                        releaser.released,
                        lost && releaser.loss() == null
                                ? Optional.of(new LeaseLoss(name, releaser.token, Reason.TAKEN, Instant.now()))
                                : Optional.empty());
            }
            gone(request);
            effects.released(request);
        }
        Command.Acquire acquire = release.next();
        if (acquire != null) {
            Request next = requests.get(acquire.request());
            if (answer.next() != null) {
                acquired(next, release, acquire, sent, answer.next());
            } else if (next != null) { // it was not entered
                next.unanswered--;
                next.answeredTo(release);
                if (next.state == State.WANTED && next.awaited == null) {
                    ask(next);
                }
            }
        }
        if (answer.next() == null || answer.next().verdict() != Reply.Verdict.QUEUED) {
            nudgeAfter(answer.claimMillis());
        }
    }

    /** Nobody may be there to take the grant that this client has caused: look after it, once. */
    private void nudgeAfter(long claimMillis) {
        if (claimMillis > 0) {
            nudgeAt = effects.now() + (claimMillis + 1) * MILLI;
        }
    }

    /** A request has been given back; if bytes of it may still run, it is withdrawn, too. */
    private void gone(Request request) {
        if (request.state == State.RELEASING && request.unanswered > 0) {
            undo(request);
        } else {
            requests.remove(request.id);
        }
    }

    // ================================================================ undoing

    private void undo(Request request) {
        if (request.unanswered == 0 && !request.known) {
            requests.remove(request.id); // the server has never heard of it
            return;
        }
        request.state = State.UNDOING;
        request.giveUpAt = Math.max(request.notAfterHere, effects.now() + timing.commandTimeout)
                + request.options.leaseMillis() * MILLI;
        sendWithdraw(request);
    }

    private void undoAgain(Request request) {
        if (request.awaited == null) {
            sendWithdraw(request);
        } else {
            request.withdrawAgain = true;
        }
    }

    private void sendWithdraw(Request request) {
        Command.Withdraw withdraw = new Command.Withdraw(name, request.id, request.lastToken);
        request.withdrawAgain = false;
        request.sent(withdraw, effects.now());
        effects.send(withdraw);
    }

    private void withdrawn(Command.Withdraw withdraw, Reply.Withdrawn answer) {
        Request request = withdraw.request() == null ? null : requests.get(withdraw.request());
        if (request != null && request.state == State.UNDOING && request.awaited == withdraw) {
            request.awaited = null;
            request.failures = 0;
            ServerTime server = answer.server();
            if (request.withdrawAgain) {
                sendWithdraw(request);
            } else if (request.isTainted(server)) {
                request.dueAt = effects.now() + (request.notAfter - server.millis() + 1) * MILLI;
            } else {
                requests.remove(request.id);
            }
        }
        nudgeAfter(answer.claimMillis());
    }

    /** The backend speaks of a request that nobody here wants: it is withdrawn. */
    private void stray(String id) {
        undoing(id, 0);
    }

    private void undoing(String id, long lastToken) {
        Request request = new Request(name, id, LockOptions.defaults(), false, State.UNDOING);
        request.lastToken = lastToken;
        request.known = true;
        requests.put(id, request);
        undo(request);
    }

    private void ownerNamed(@Nullable String owner) {
        if (owner != null && !requests.containsKey(owner) && effects.isOurs(owner)) {
            stray(owner);
        }
    }

    // ================================================================ no answer

    private void failed(Command command, long sent, Reply.Failed failed) {
        outage.failed(sent, failed.cause());
        if (command instanceof Command.Acquire acquire) {
            acquireFailed(command, acquire, failed);
        } else if (command instanceof Command.Release release) {
            retryLater(release.request(), command);
            if (release.next() != null) {
                acquireFailed(command, release.next(), failed);
            }
        } else if (command instanceof Command.Withdraw withdraw && withdraw.request() != null) {
            retryLater(withdraw.request(), command);
        } else if (command instanceof Command.Restore restore) {
            renewalFailed(restore.request());
        }
    }

    private void acquireFailed(Command command, Command.Acquire acquire, Reply.Failed failed) {
        Request request = requests.get(acquire.request());
        if (request == null) {
            return;
        }
        if (!failed.executed()) {
            request.unanswered--;
        }
        boolean current = request.awaited == command;
        retryLater(request.id, command);
        if (request.state != State.WANTED) {
            return;
        }
        if (!failed.cause().isRetryable()) {
            failAll(failed.cause());
        } else if (request.tryOnly && current) {
            wanted = null;
            effects.decide(waiters.remove().outcome, new Waiter.Failed(failed.cause()));
            undo(request);
        }
    }

    private void retryLater(String id, Command command) {
        Request request = requests.get(id);
        if (request != null && request.answeredTo(command)) {
            request.dueAt = effects.now() + retryDelay(request);
            request.failures++;
            leaveReleaser(request);
        }
    }

    /** A renewal was not answered: the keeper repeats it. */
    void renewalFailed(String id) {
        Request request = requests.get(id);
        if (request != null && request.state == State.HELD) {
            request.renewing = effects.now(); // so that it is not repeated at once
        }
    }

    private long retryDelay(Request request) {
        long delay = FIRST_RETRY << Math.min(request.failures, RETRY_DOUBLINGS);
        return delay / 2 + effects.random(delay / 2);
    }

    /** The command timeout has passed. The answer may still come, and is an event like any other then. */
    private void unanswered(Request request) {
        outage.failed(request.awaitedSince, null);
        request.awaited = null;
        request.failures++;
        request.dueAt = effects.now();
        leaveReleaser(request);
        if (request.state == State.WANTED && request.tryOnly) {
            wanted = null;
            effects.decide(
                    waiters.remove().outcome, new Waiter.Failed(outage.unknown(name, "within its command timeout")));
            undo(request);
        }
    }

    /** Who gave the lock back does not wait for retries. */
    private void leaveReleaser(Request request) {
        if (request.state == State.RELEASING && request.releaser != null) {
            effects.decide(request.releaser.released, Optional.empty());
        }
    }

    private ClientClosedException closed(String what) {
        return new ClientClosedException("The lock '" + name + "' " + what + " through a client that is closed");
    }

    @Override
    public String toString() {
        return "lock '" + name + "': hold " + hold + ", " + waiters.size() + " waiting, requests " + requests.values();
    }
}
