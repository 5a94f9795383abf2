package io.boltwork.machine;

import io.boltwork.LeaseLoss;
import io.boltwork.Replication;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.ServerTime;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One wish for a lock at the backend, from the first acquire to the last withdrawal. Belongs to its {@link LockMachine}; only
 * the deadline is read by others. Times are the client's, in nanoseconds, unless they are called server times.
 */
public final class Request {

    /** 1 % of the span for clocks of different rates, and 2 ms for times in whole milliseconds. */
    private static final int DRIFT_PART = 100;

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long ROUNDING = 2 * MILLI;

    /**
     * A slice lasts for so many owners if they need longer than its time, as in lock cohorting (Dice, Marathe, Shavit: Lock
     * Cohorting, PPoPP 2012): a hand-off to another client every time would cost those who work for milliseconds a good part of
     * them. With eight, one that takes 2 ms is half a percent of 50 ms of work each.
     */
    private static final int SLICE_TURNS = 8;

    /** But not for longer than that: eight times 62 ms, and who works for longer than these hardly feels a hand-off. */
    private static final long LONGEST_TURNS = 500 * MILLI;

    /** A fixed lease that is longer is verified as often as a lease of that time is renewed. */
    private static final long LONGEST_UNVERIFIED_MILLIS = 30_000;

    /** The lease of a renewal that only verifies: it prolongs nothing. */
    private static final long NO_LEASE = 0;

    private static final AtomicLongFieldUpdater<Request> DEADLINE =
            AtomicLongFieldUpdater.newUpdater(Request.class, "deadline");
    private static final AtomicLongFieldUpdater<Request> TACIT =
            AtomicLongFieldUpdater.newUpdater(Request.class, "tacit");

    /** Where a request stands. docs/synchronization.md draws the ways between. */
    enum State {
        /** Asks for the lock and waits for it. */
        WANTED,
        /** Owns the lock. */
        HELD,
        /** Owned the lock; its owner here has not unwound yet. */
        LOST,
        /** Gives the lock back and waits for the answer. */
        RELEASING,
        /** Nobody wants it; it is being withdrawn. */
        UNDOING
    }

    final LockContext context;

    /** Which of the client's requests it is. */
    public final long number;

    public final LockTerms terms;
    public final boolean tryOnly;

    State state;

    /** What is said about it; nothing about a lease that is just held. */
    private @Nullable Pending exchange;

    /** Whose wish alone it is (FIFO), until it is fulfilled; {@code null} if it stands for whoever is first in the client. */
    @Nullable
    Waiter waiter;

    /** Its place among others if they are more than a few; {@code null} if not. */
    ManyRequests.@Nullable Entry entry;

    /** The server has said that it knows the request. */
    boolean known;

    /** Nothing has happened since that may have made the server forget it. */
    boolean standing;

    /** When the last of what was written, if the server executes it at once, would cease to keep others out. */
    long reach;

    // ---- holding

    /** As far as this request knows; see {@link #deadline()}. */
    private volatile long deadline = Ticker.NEVER;

    /** When the lease ends, as the server has answered for it: not before that. */
    private long leaseEnd;

    /** When the lock is free for others if the hold just ends: lease and takeover delay, counted from when they began at the latest. */
    public long closedUntil;

    final HoldBounds bounds;

    /** Somebody wanted it longer than its options say. */
    public boolean extended;

    public long firstToken;
    public long lastToken;

    /** Whether the server has answered for the whole lease, and on this connection; else it is asked soon. */
    boolean confirmed;

    /** When the lease is to be renewed. */
    long renewAt;

    /** Nobody is left who could release it, and that has been told. */
    boolean abandoned;

    /** When the renewal was begun, or failed, of which nothing else is known; {@link Ticker#NEVER} if there is none. */
    long renewing = Ticker.NEVER;

    /** The same if its success is not told. */
    private volatile long tacit = Ticker.NEVER;

    /** Renewals that were sent since the last answer: none, one, or more. */
    private byte renewals;

    /** When it was granted. */
    private long began;

    private Request(LockContext context, long number, LockTerms terms, boolean tryOnly, State state) {
        this.context = context;
        this.number = number;
        this.terms = terms;
        this.tryOnly = tryOnly;
        this.state = state;
        this.bounds = HoldBounds.of(terms);
    }

    /** A new wish, for {@code waiter}, and if it is not FIFO for those behind. */
    public static Request of(LockContext context, long number, Waiter waiter, long now) {
        Request request = new Request(context, number, waiter.terms, waiter.tryOnly, State.WANTED);
        if (waiter.terms.isFifo && !waiter.tryOnly) {
            request.waiter = waiter;
        }
        Pending exchange = request.exchange();
        exchange.since = now;
        exchange.firstSent = now;
        return request;
    }

    /** One that nobody here remembers and the server may know. */
    static Request unwanted(LockContext context, long number, long lastToken) {
        Request request = new Request(context, number, LockTerms.DEFAULTS, false, State.UNDOING);
        request.lastToken = lastToken;
        request.known = true;
        return request;
    }

    public String lock() {
        return context.lock();
    }

    /** What the backend knows it by. */
    public String id() {
        return RequestId.of(context.client(), number);
    }

    // ================================================================ sending and hearing

    /** To be looked at and changed by the lock's machine. */
    Pending exchange() {
        if (entry != null) {
            entry.changed();
        }
        Pending open = exchange;
        if (open == null) {
            open = new Pending();
            exchange = open;
        }
        return open;
    }

    /** What is said about it, or {@code null} if nothing is. */
    @Nullable
    Pending exchangeIfAny() {
        return exchange;
    }

    void sent(Command<?> command, long now) {
        exchange().sent(command, now);
        if (entry != null) {
            entry.sent();
        }
    }

    /** Returns whether a command about it is under way, or about to be repeated. */
    boolean isUnderWay() {
        return exchange != null
                && state != State.HELD
                && state != State.LOST
                && (exchange.awaited != null || exchange.failures > 0 && exchange.dueAt != Ticker.NEVER);
    }

    /** The connection was replaced at that time, while it waits. */
    void connectionReplaced(long at) {
        Pending open = exchange();
        if (open.answered == null && open.firstSent <= at) {
            open.firstSent = Ticker.NEVER;
        }
        standing = false;
    }

    /** What was not answered is to be repeated then, unless an answer is awaited. */
    void repeatsAt(long at) {
        if (!isAwaiting()) {
            exchange().dueAt = at;
        }
    }

    /** No answer is awaited any more, since the connection was replaced. A try hears of that. */
    void givesUpAnswer(long now) {
        if (state == State.WANTED && tryOnly) {
            return;
        }
        Pending open = exchange();
        open.awaited = null;
        open.failures = 0;
        open.dueAt = state == State.WANTED ? Ticker.NEVER : now;
    }

    /** Whether an answer is awaited. */
    boolean isAwaiting() {
        return exchange != null && exchange.awaited != null;
    }

    /** Whether the answer to that command is awaited. */
    boolean isAwaiting(Command<?> command) {
        return exchange != null && exchange.awaited == command;
    }

    /** Whether that is the command whose answer was awaited; it is not any more. */
    boolean answeredTo(Command<?> command) {
        boolean current = isAwaiting(command);
        if (current) {
            exchange().awaited = null;
        }
        return current;
    }

    boolean isOverdue(long now, long commandTimeout) {
        return isAwaiting() && now >= patienceEnds(exchange(), commandTimeout);
    }

    /** When what is awaited counts as not answered. Who only tries waits no longer because it has to ask again. */
    private long patienceEnds(Pending open, long commandTimeout) {
        return (tryOnly && state == State.WANTED ? open.since : open.awaitedSince) + commandTimeout;
    }

    /** Whether what was not answered, or comes later, is to be sent now. */
    boolean isDue(long now) {
        return exchange != null && exchange.awaited == null && now >= exchange.dueAt;
    }

    /** Acquires that were written and not answered: their bytes may still run. */
    int unanswered() {
        return exchange == null ? 0 : exchange.unanswered;
    }

    /** One of them has been answered, or will never run. */
    void acquireEnded() {
        if (unanswered() > 0) {
            exchange().unanswered--;
            fallSilent();
        }
    }

    /** Forgets what was said, if the lease is just held. */
    private void fallSilent() {
        if (state == State.HELD && exchange != null && exchange.isOver()) {
            exchange = null;
        }
    }

    Command.Acquire acquire(ServerClock clock, long now, long commandTimeout) {
        Pending open = exchange();
        if (open.awaitedSince == Ticker.NEVER) { // it may have waited in line until now
            open.firstSent = now;
        }
        open.unanswered++;
        long stale = notAfter(clock, now, commandTimeout);
        reaches(now, terms.leaseMillis);
        return new Command.Acquire(lock(), id(), !tryOnly, terms.leaseMillis, terms.takeoverMillis, stale);
    }

    /** To find out whether replicas know of the grant that this token came with. */
    Command.Replicate replicate(ServerClock clock, long now, long commandTimeout, long token, Replication wanted) {
        prolongs(now, terms.leaseMillis);
        Command.Renew.Item item = new Command.Renew.Item(lock(), id(), token, terms.leaseMillis, terms.takeoverMillis);
        long stale = notAfter(clock, now, commandTimeout);
        int copies = wanted.onDisk() ? 1 : wanted.replicas();
        return new Command.Replicate(
                item, copies, wanted.onDisk(), wanted.within().toMillis(), stale);
    }

    /** Whether replicas are wanted that have not confirmed that grant. */
    boolean needsReplicas(long token) {
        return terms.options.replication().isPresent() && exchange().replicated != token;
    }

    /** Whether it is being found out whether replicas know of that grant. */
    boolean isReplicating(long token) {
        return exchange().awaited instanceof Command.Replicate replicate
                && replicate.item().firstToken() == token;
    }

    /** A renewal; of a lease that must not last longer a {@linkplain #verification verification}. */
    Command.Renew.Item renewal(long now) {
        if (confirmed && (isFixed() || deadline() >= bounds.maxEnd)) {
            return verification();
        }
        renewals = (byte) Math.min(renewals + 1, 2);
        return item(now, leaseToSend(now));
    }

    /**
     * Whether it need not hear of its success before it is renewed again: it is the whole lease that is prolonged, or a fixed
     * one that is verified, and nobody waits for that. The second in a row is told of, or one after the other would be forgotten
     * where answers take long.
     */
    boolean mayBeTacit(Command.Renew.Item renewal) {
        return renewing == Ticker.NEVER
                && confirmed
                && exchange == null
                && (isFixed() || bounds.isNone() && renewal.leaseMillis() == terms.leaseMillis);
    }

    /** Whether the lease ends by itself, unless it is extended. */
    private boolean isFixed() {
        return !terms.isRenewed;
    }

    /** Whether the keeper only verifies it, for the lease ends whether or not its owner is there. */
    boolean isOnlyVerified() {
        return confirmed && isFixed();
    }

    /** A renewal was begun then, or has failed, or with {@link Ticker#NEVER}, nothing is open. */
    void begun(long at, boolean tacitly) {
        if (exchange != null && exchange.missedTime != null && at != Ticker.NEVER) {
            exchange.missedTime.asked(at);
        }
        long before = tacit;
        renewing = at;
        TACIT.lazySet(this, tacitly ? at : Ticker.NEVER);
        if (succeededTacitly(before) && !isFixed()) { // since it was looked at last
            lasts(before + safe(terms.leaseMillis, 0));
        }
    }

    /** A tacit renewal may have succeeded. */
    void hear() {
        if (succeededTacitly(tacit)) {
            prolonged(tacit, isFixed() ? NO_LEASE : terms.leaseMillis);
            begun(Ticker.NEVER, false); // last: others read the deadline
        }
    }

    private boolean succeededTacitly(long begun) {
        return begun != Ticker.NEVER && context.renewedAt(begun) < deadline;
    }

    /** There is an answer, or it does not matter any more. */
    void heardOf() {
        hear();
        begun(Ticker.NEVER, false);
    }

    /**
     * Asks whether the server has the lease, and tells it that this client is not gone. Prolongs nothing, however late it is
     * executed: the server's end of the lease never moves back, and without a lease and a takeover delay it moves to the present
     * at most.
     */
    Command.Renew.Item verification() {
        return new Command.Renew.Item(lock(), id(), firstToken, NO_LEASE, 0);
    }

    /** Whether that prolongs nothing. */
    public static boolean isVerification(Command.Renew.Item renewal) {
        return renewal.leaseMillis() == NO_LEASE;
    }

    /** To hold it for {@code leaseMillis} from now on at least. */
    Command.Renew.Item extension(long now, long leaseMillis) {
        extended = true;
        return item(now, leaseMillis);
    }

    private Command.Renew.Item item(long now, long leaseMillis) {
        prolongs(now, leaseMillis);
        return new Command.Renew.Item(lock(), id(), firstToken, leaseMillis, terms.takeoverMillis);
    }

    Command.Restore restore(ServerClock clock, long now, long commandTimeout) {
        begun(now, false);
        long stale = notAfter(clock, now, commandTimeout);
        long leaseMillis = leaseToSend(now);
        prolongs(now, leaseMillis);
        return new Command.Restore(lock(), id(), firstToken, leaseMillis, terms.takeoverMillis, stale);
    }

    private void prolongs(long now, long leaseMillis) {
        reaches(now, leaseMillis);
        closedUntil = Math.max(closedUntil, now + (leaseMillis + terms.takeoverMillis) * MILLI);
    }

    private void reaches(long now, long leaseMillis) {
        reach = Math.max(reach, now + (leaseMillis + terms.takeoverMillis) * MILLI);
    }

    /** The server time after which what is sent now must not have effect. */
    private long notAfter(ServerClock clock, long now, long commandTimeout) {
        long millis = Math.min(commandTimeout / MILLI, terms.leaseMillis);
        long stale = clock.millisAt(now) + millis;
        if (exchange != null) { // it is only asked for while an acquire may still run
            exchange.hasEffectUntil(stale, clock.run(), now + millis * MILLI);
        }
        return stale;
    }

    /** No less than what counts here already: the server may have forgotten an extension. */
    private long leaseToSend(long now) {
        return Math.max(wholeLease(now), covering(deadline() - now));
    }

    /** The whole lease, or what is left of a bounded one. The options see to it that it covers the shortest hold. */
    private long wholeLease(long now) {
        if (bounds.fixedEnd != Ticker.NEVER) {
            return covering(Math.max(0, bounds.fixedEnd - now)); // a restored lease is a new one at the server
        }
        return bounds.maxEnd == Ticker.NEVER
                ? terms.leaseMillis
                : Math.min(terms.leaseMillis, covering(bounds.maxEnd - now));
    }

    /** Whether bytes of an acquire may still run at that server, at that time of its clock. */
    boolean isTainted(ServerTime server, long now) {
        return unanswered() > 0 && staleIn(server, now) >= 0;
    }

    /** For how long what was sent has effect. */
    long staleIn(ServerTime server, long now) {
        return exchange().effectEndsIn(server, now);
    }

    /** When nothing that was written can make it an owner, or keep it one. */
    long nothingLeft(long now, long commandTimeout) {
        return Math.max(now + leaseNanos(), reach) + commandTimeout;
    }

    /** How much longer nobody may have the lock when it is given back now, in milliseconds. */
    long keepMillis(long now) {
        return Math.max(millisUntil(bounds.minEnd, now), millisUntil(bounds.quietEnd, now));
    }

    private static long millisUntil(long end, long now) {
        return end == Ticker.NEVER || end <= now
                ? 0
                : (end - now) / MILLI + 2; // the server cuts off what is no millisecond
    }

    /** It is given back although its owner has not unwound. */
    void quiet(long now) {
        if (terms.takeoverMillis > 0) {
            bounds.quietEnd = now + terms.takeoverMillis * MILLI;
        }
    }

    /** It is given back after its lease has ended: that does not end the quiet time. */
    void quietAfterLease() {
        if (terms.takeoverMillis > 0 && bounds.quietEnd == Ticker.NEVER) {
            bounds.quietEnd = closedUntil;
        }
    }

    // ================================================================ holding

    /** When the hold counts as lost; {@link Ticker#NEVER} until it is held. Moves forward only. For any thread. */
    public long deadline() {
        long begun = tacit; // first: who hears of it moves the deadline before he forgets it
        return succeededTacitly(begun) && !isFixed()
                ? Math.max(deadline, begun + safe(terms.leaseMillis, 0))
                : deadline;
    }

    /**
     * Whether being the owner until then is enough to begin with: the lock must stay taken for the shortest hold even if this
     * client dies at once. A claim is seldom enough, nor is an answer that was under way for long.
     */
    public boolean suffices(long until, long now, boolean forWholeLease) {
        return now < until && (until - now >= terms.minHoldNanos || forWholeLease && !terms.isRenewed);
    }

    /** It is the owner at the server. {@code confirmed}: for the whole lease, not for a claim. */
    public void begin(long until, long token, boolean forWholeLease, long now) {
        state = State.HELD;
        long claimed = exchange().claimMillis * MILLI;
        exchange().awaited = null;
        fallSilent();
        leaseEnd = until;
        firstToken = token;
        lastToken = token;
        began = now;
        long whole = leaseNanos();
        long longest = Math.min(whole, LockBackend.CLAIM_MILLIS * MILLI);
        long granted = forWholeLease ? whole : claimed == 0 ? longest : Math.min(longest, claimed);
        closedUntil = now + granted + terms.takeoverMillis * MILLI;
        renewAt = granted < longest ? now : until - granted + granted / 3; // a short claim at once
        if (!terms.isRenewed) {
            bounds.fixedEnd = until - granted + whole;
        }
        confirmed = false; // a claim is confirmed, however short: if it lapsed, this client would pass for dead
        if (forWholeLease) {
            renewAt = until - granted + watchedNanos() * 2 / 9; // the keeper comes up to a ninth later
            confirmed = true;
        }
    }

    /** The server has answered for the whole lease, asked at that time. */
    void confirm(long sent) {
        confirmed = true;
        renewAt = Math.max(renewAt, renewAfter(sent));
    }

    /** Somebody here has got it now: its bounds count from here. */
    public void occupied(long now) {
        if (terms.maxHoldNanos != Ticker.NEVER) {
            bounds.maxEnd = now + terms.maxHoldNanos;
        }
        if (terms.minHoldNanos > 0) {
            bounds.minEnd = now + terms.minHoldNanos;
        }
        waiter = null;
        DEADLINE.lazySet(this, Math.min(leaseEnd, bounds.maxEnd));
    }

    /** Owns it at the server until then at least. */
    void lasts(long until) {
        leaseEnd = Math.max(leaseEnd, until);
        DEADLINE.lazySet(this, Math.max(deadline, Math.min(leaseEnd, bounds.maxEnd)));
    }

    /** Whether it may pass from one local owner to the next, if they wish the same. */
    public boolean mayBeHandedOver(long now, long slice) {
        return terms.isRenewed
                && !terms.isFifo
                && terms.minHoldNanos == 0
                && !extended
                && terms.options.replication().isEmpty()
                && isInSlice(now - began, slice)
                && now < deadline()
                && lastToken - firstToken < LockBackend.TOKENS_PER_HOLD - 1
                && missedTime() == null;
    }

    private boolean isInSlice(long held, long slice) {
        return held < slice || held < LONGEST_TURNS && lastToken - firstToken < SLICE_TURNS - 1;
    }

    /** The server has prolonged the lease, or verified it. */
    void prolonged(long sent, long leaseMillis) {
        renewals = 0;
        if (leaseMillis == NO_LEASE) {
            if (confirmed) { // else the server is asked for more than that
                renewAt = renewAfter(sent);
            }
            return;
        }
        lasts(sent + safe(leaseMillis, 0));
        if (leaseMillis >= wholeLease(sent)) { // else it was a short extension, which stands for no renewal
            renewAt = renewAfter(sent);
            confirmed = true;
        }
        if (bounds.fixedEnd != Ticker.NEVER) {
            bounds.fixedEnd = Math.max(bounds.fixedEnd, leaseEnd);
        }
    }

    /** What it means that the deadline has passed. */
    LeaseLoss.Reason reasonOfEnd() {
        return deadline() >= bounds.maxEnd ? LeaseLoss.Reason.MAX_HOLD : LeaseLoss.Reason.EXPIRED;
    }

    /** For how much longer it may be held at all; {@link Ticker#NEVER} for any time. */
    public long bound(long now) {
        return bounds.maxEnd == Ticker.NEVER ? Ticker.NEVER : bounds.maxEnd - now;
    }

    /** The server has to be asked whether it still knows the lease. */
    void verify(long now) {
        heardOf();
        renewAt = now;
        confirmed = false;
    }

    /** The machine was suspended for so long: the server is asked, and until it answers the lease ends that much earlier. */
    void suspended(long missed, long now, long commandTimeout) {
        MissedTime missedTime = missedTime();
        if (missedTime == null) {
            missedTime = new MissedTime();
            exchange().missedTime = missedTime;
        }
        missedTime.begin(missed, now, commandTimeout);
        verify(now);
    }

    /** What is to be found out since the machine was suspended; {@code null} for nothing. */
    @Nullable
    public MissedTime missedTime() {
        return exchange == null ? null : exchange.missedTime;
    }

    /**
     * The server has prolonged the lease, or has just answered for it, since the machine was suspended. What was not prolonged
     * ends as much earlier as the machine was suspended.
     */
    void answeredFor(long missed, long sent, long leaseMillis) {
        long end = Math.max(leaseEnd - missed, sent + safe(leaseMillis, 0));
        if (end < leaseEnd) {
            leaseEnd = end;
            if (bounds.fixedEnd != Ticker.NEVER) {
                bounds.fixedEnd -= missed;
            }
            DEADLINE.lazySet(this, Math.min(end, bounds.maxEnd));
        }
        exchange().missedTime = null;
    }

    /** The connection was replaced, and somebody counts what becomes of the holds. */
    void recovers(RecoveryTally counted) {
        settle(RecoveryTally::done);
        counted.begin();
        exchange().recovery = counted;
        exchange().forgotten = false;
    }

    /** The server has forgotten it; it is being restored. */
    void forgotten() {
        exchange().forgotten = true;
    }

    /** The server has it. */
    void verified() {
        if (exchange != null) {
            settle(exchange.forgotten ? RecoveryTally::restored : RecoveryTally::kept);
            fallSilent();
        }
    }

    /** It is known what became of it. */
    void settle(Consumer<RecoveryTally> outcome) {
        RecoveryTally counted = exchange == null ? null : exchange.recovery;
        if (counted != null) {
            exchange().recovery = null;
            outcome.accept(counted);
        }
    }

    /** By how much a renewal is late, of a lease that the server has answered for. */
    long renewalLag(long now) {
        if (!terms.isRenewed || !confirmed) {
            return 0;
        }
        long due = succeededTacitly(tacit) ? renewAfter(tacit) : renewAt;
        return Math.max(0, now - due - leaseNanos() / 9); // until then the keeper is not late
    }

    /** When the keeper has to look at it; {@link Ticker#NEVER} if it has times of its own. */
    long keepAt(long commandTimeout) {
        if (!confirmed || renewAt == Ticker.NEVER) {
            return Ticker.NEVER;
        }
        long renew = tacit != Ticker.NEVER
                ? renewAfter(tacit)
                : renewing != Ticker.NEVER ? renewing + renewalPatience(watchedNanos(), commandTimeout) : renewAt;
        if (isFixed() && renew >= deadline) {
            return Ticker.NEVER; // there is a time of its own for its end
        }
        return Math.min(renew, deadline);
    }

    /** In the keeper's third round from there, a third of the lease later, be it half a round late or early. */
    private long renewAfter(long begun) {
        return begun + watchedNanos() * 5 / 18;
    }

    boolean isRenewalDue(long now, long commandTimeout) {
        return now >= renewAt
                && (renewing == Ticker.NEVER || now - renewing >= renewalPatience(watchedNanos(), commandTimeout));
    }

    /** A renewal that was not answered for so long is sent again. */
    public static long renewalPatience(long leaseNanos, long commandTimeout) {
        return Math.min(commandTimeout, leaseNanos / 9);
    }

    private long leaseNanos() {
        return terms.leaseMillis * MILLI;
    }

    /** The lease, or less if it is fixed: about a third of that later the keeper comes again. */
    long watchedNanos() {
        return (isFixed() ? Math.min(terms.leaseMillis, LONGEST_UNVERIFIED_MILLIS) : terms.leaseMillis) * MILLI;
    }

    /** How much of a lease counts here, if the server's clock and this one may differ in rate, and round. */
    static long safe(long leaseMillis, long elapsed) {
        long nanos = leaseMillis * MILLI;
        return nanos - (nanos + Math.max(0, elapsed)) / DRIFT_PART - ROUNDING;
    }

    /** The shortest lease of which that much counts here, in milliseconds. */
    static long covering(long nanos) {
        long least = nanos + ROUNDING;
        return (least + least / (DRIFT_PART - 1)) / MILLI + 1;
    }

    // ================================================================ waking

    /** More than one renewal was not answered. */
    boolean isRenewedInVain() {
        return renewals > 1;
    }

    /** When something has to be done about it. */
    long wakeAt(long commandTimeout) {
        return switch (state) {
            case WANTED -> retryAt(exchange(), commandTimeout);
            case HELD -> wakeForLease(commandTimeout);
            case LOST, RELEASING, UNDOING -> Math.min(exchange().giveUpAt, retryAt(exchange(), commandTimeout));
        };
    }

    private long retryAt(Pending open, long commandTimeout) {
        return open.awaited == null ? open.dueAt : patienceEnds(open, commandTimeout);
    }

    /** A renewed lease is the keeper's; one that is not confirmed, not answered for, or not renewed has times of its own, too. */
    private long wakeForLease(long commandTimeout) {
        MissedTime missedTime = missedTime();
        long lookAt = missedTime == null ? Ticker.NEVER : missedTime.lookAt(context.now(), deadline());
        return Math.min(lookAt, wakeToRenew(commandTimeout));
    }

    private long wakeToRenew(long commandTimeout) {
        if (!confirmed) {
            long renew = renewing == Ticker.NEVER
                    ? renewAt
                    : Math.max(renewAt, renewing + renewalPatience(watchedNanos(), commandTimeout));
            return Math.min(renew, deadline());
        }
        return isFixed() || renewAt == Ticker.NEVER || isRenewedInVain() || deadline == bounds.maxEnd
                ? deadline()
                : Ticker.NEVER;
    }

    boolean serves(Waiter first) {
        return tryOnly == first.tryOnly && terms.equals(first.terms);
    }

    @Override
    public String toString() {
        return id() + " " + state;
    }
}
