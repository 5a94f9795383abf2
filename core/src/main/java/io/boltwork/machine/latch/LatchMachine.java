// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import io.boltwork.BackendException;
import io.boltwork.ClientClosedException;
import io.boltwork.LockException;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.request.Ticker;
import io.boltwork.machine.state.LockOutage;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.LatchOutcome;
import io.boltwork.spi.rules.LeaseTimes;
import io.boltwork.spi.rules.ServerClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One client's part in one latch: its callers that wait, and its changes. Pure, like {@link LockMachine}. Not
 * thread-safe.
 *
 * <pre>
 *   a waiter   asking → the server answers CLOSED → waiting, which the message or a later answer ends
 *              The answer to a question that was asked before the wait began does not count.
 *   a change   under way → answered → kept for 10 s, and repeated if another server takes over meanwhile
 *              It is sent again, with the same id, while there is no answer.
 * </pre>
 */
public final class LatchMachine {

    /** The time between two questions of a client that waits, because messages may be lost. */
    static final long POLL = TimeUnit.SECONDS.toNanos(5);

    /**
     * The time after which a generation that the server does not know is forgotten: others may repeat their changes.
     */
    static final long FORGOTTEN = LatchRepeats.KEPT;

    /** The pause before something that has failed is sent again, for the first time. */
    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long MICROS_PER_MILLI = 1_000;

    /** The number of messages that are remembered, more than arrive within a round trip. */
    private static final int MOST_ENDS = 32;

    private final LatchEffects effects;
    private final LinkedHashSet<LatchWaiter> waiters = new LinkedHashSet<>();
    private final List<LatchChange> changes = new ArrayList<>();

    /** A question that is under way. */
    private record Question(long number, long sentAt) {}

    /** The questions under way. Two of them may be equal, and their answers count for different waiters. */
    private final Map<LatchCommand.Await, Question> questions = new IdentityHashMap<>();

    private final LatchRepeats repeats;
    private long lastQuestion;

    /** The generations that have ended according to the latest messages, which may overtake answers. */
    private final ArrayDeque<Long> ends = new ArrayDeque<>();

    /** True if a caller has come since the question without a generation was asked that is under way. */
    private boolean askAgain;

    /** The time of the next question; {@link Ticker#NEVER} if no caller waits. */
    private long pollAt = Ticker.NEVER;

    private LockOutage outage = LockOutage.NONE;
    private @Nullable LockException closed;

    public LatchMachine(LatchEffects effects) {
        this.effects = effects;
        this.repeats = new LatchRepeats(effects);
    }

    // ================================================================ callers

    /** Lets a caller wait until the count is zero. */
    public void await(LatchWaiter waiter) {
        if (closed != null) {
            effects.decide(waiter.outcome, new LatchWaiter.Failed(closed));
            return;
        }
        if (waiters.isEmpty()) {
            outage = outage.restarted();
        }
        waiter.firstQuestion = lastQuestion + 1;
        waiters.add(waiter);
        if (questions.keySet().stream().anyMatch(question -> question.generation() == 0)) {
            askAgain = true; // one question for all that come meanwhile
        } else {
            ask(0);
        }
    }

    /** Ends a wait, unless it is decided. */
    public void giveUp(LatchWaiter waiter, boolean timedOut) {
        if (!waiters.contains(waiter)) {
            return;
        }
        if (timedOut && !waiter.isAnswered()) {
            decide(waiter, new LatchWaiter.Failed(unknown("within the time that the caller was willing to wait")));
        } else {
            decide(waiter, LatchWaiter.Ended.GIVEN_UP);
        }
        if (waiters.isEmpty()) {
            pollAt = Ticker.NEVER;
            effects.send(new LatchCommand.Await(effects.latch(), effects.client(), 0, false));
        }
    }

    /** Makes a change. */
    public void change(LatchChange change) {
        if (closed != null) {
            effects.decide(change.outcome, new LatchChange.Failed(closed));
            return;
        }
        changes.add(change);
        send(change);
    }

    /** Lets changes be repeated until some time after a server took over, before the latch was in use here. */
    public void takenOver(long at) {
        repeats.takenOver(at);
    }

    /** Dismisses all callers, because the client is being closed. */
    public void close() {
        closed = closed(effects.latch());
        for (LatchWaiter waiter : List.copyOf(waiters)) {
            decide(waiter, new LatchWaiter.Failed(closed));
        }
        for (LatchChange change : List.copyOf(changes)) {
            decide(change, new LatchChange.Failed(closed));
        }
        repeats.clear();
        pollAt = Ticker.NEVER;
    }

    /** Returns the failure of a call that comes after the end of the client. */
    public static ClientClosedException closed(String latch) {
        return new ClientClosedException("The latch '" + latch + "' can no longer be used: its client is closed");
    }

    private void decide(LatchWaiter waiter, LatchWaiter.Result result) {
        waiters.remove(waiter);
        effects.decide(waiter.outcome, result);
    }

    private void decide(LatchChange change, LatchChange.Result result) {
        changes.remove(change);
        effects.decide(change.outcome, result);
    }

    // ================================================================ questions

    private void ask(long generation) {
        long now = effects.now();
        LatchCommand.Await question = new LatchCommand.Await(effects.latch(), effects.client(), generation, true);
        questions.put(question, new Question(++lastQuestion, now));
        pollAt = now + POLL;
        effects.send(question);
    }

    /** Asks for all generations that callers wait for. */
    private void askAll() {
        waiters.stream().mapToLong(waiter -> waiter.generation).distinct().forEach(this::ask);
    }

    private void heard(LatchCommand.Await question, Reply.Latched reply) {
        Question asked = questions.remove(question);
        if (asked == null) {
            return;
        }
        for (LatchWaiter waiter : List.copyOf(waiters)) {
            if (waiter.generation == question.generation() && waiter.firstQuestion <= asked.number) {
                heard(waiter, reply);
            }
        }
        if (askAgain && question.generation() == 0) {
            askAgain = false;
            if (waiters.stream().anyMatch(waiter -> waiter.generation == 0 && !waiter.isAnswered())) {
                ask(0);
            }
        }
        endPolls();
    }

    private void heard(LatchWaiter waiter, Reply.Latched reply) {
        if (reply.outcome() == LatchOutcome.OPEN) {
            decide(waiter, LatchWaiter.Ended.OPEN);
        } else if (reply.outcome() == LatchOutcome.CLOSED && waiter.once) {
            decide(waiter, LatchWaiter.Ended.GIVEN_UP);
        } else if (reply.outcome() == LatchOutcome.CLOSED) {
            waiter.generation = reply.generation();
            waiter.answeredAt = reply.server().millis();
            waiter.unknownSince = Ticker.NEVER;
            if (ends.stream().anyMatch(waiter::isEndedBy)) { // its message has overtaken this answer
                decide(waiter, LatchWaiter.Ended.OPEN);
            }
        } else {
            unknown(waiter);
        }
    }

    /**
     * Asks again for a while about a generation that the server does not know, since other clients may still repeat
     * their changes.
     */
    private void unknown(LatchWaiter waiter) {
        long now = effects.now();
        if (waiter.unknownSince == Ticker.NEVER) {
            waiter.unknownSince = now;
        }
        if (now - waiter.unknownSince >= FORGOTTEN) {
            decide(waiter, new LatchWaiter.Failed(forgotten()));
        } else {
            pollAt = Math.min(pollAt, now + POLL / 10);
        }
    }

    private BackendException forgotten() {
        return new BackendException(
                "The server has forgotten the count of the latch '" + effects.latch()
                        + "' (a restart, a flush or a failover). Whether it had become zero is unknown; set it again",
                false,
                null);
    }

    private void endPolls() {
        if (waiters.isEmpty()) {
            pollAt = Ticker.NEVER;
        }
    }

    /** Ends the waits for a generation whose count has become zero. */
    public void opened(LatchOpened opened) {
        ends.add(opened.generation());
        if (ends.size() > MOST_ENDS) {
            ends.remove();
        }
        boolean others = false;
        for (LatchWaiter waiter : List.copyOf(waiters)) {
            if (waiter.isEndedBy(opened.generation())) {
                decide(waiter, LatchWaiter.Ended.OPEN);
            } else {
                others |= waiter.isAnswered();
            }
        }
        if (others) {
            askAll(); // the message about their generation may be lost
        }
        endPolls();
    }

    // ================================================================ changes

    private void send(LatchChange change) {
        long now = effects.now();
        ServerClock clock = effects.serverClock();
        long notAfter = LeaseTimes.notAfter(clock, now, effects.timing().commandTimeout() / LeaseTimes.MILLI);
        boolean again = change.sentAt != Ticker.NEVER;
        change.sentAt = now;
        change.dueAt = Ticker.NEVER;
        LatchCommand command = change.count > 0
                ? new LatchCommand.SetCount(effects.latch(), change.id, change.count, 0, 0, notAfter)
                : new LatchCommand.CountDown(
                        effects.latch(), change.id, 0, again ? change.latest : Long.MAX_VALUE, notAfter);
        if (!again) {
            change.latest = (notAfter + 1) * MICROS_PER_MILLI; // the estimate may be low
        }
        change.earlierNotAfter = Math.max(change.earlierNotAfter, change.notAfter);
        change.notAfter = notAfter;
        change.command = command;
        effects.send(command);
    }

    private @Nullable LatchChange changeOf(String id) {
        for (LatchChange change : changes) {
            if (change.id.equals(id)) {
                return change;
            }
        }
        return null;
    }

    private void heard(LatchCommand command, String id, Reply.Latched reply) {
        LatchChange change = changeOf(id);
        if (change == null) {
            return; // an earlier copy was answered
        }
        if (command == change.command) {
            change.notAfter = 0; // it will have no other effect
        }
        if (reply.outcome() == LatchOutcome.STALE) {
            unanswered(change);
            send(change);
            return;
        }
        change.unansweredSince = Ticker.NEVER;
        if (reply.outcome() == LatchOutcome.UNKNOWN && repeats.mayBeBehind()) {
            change.dueAt = effects.now() + LatchRepeats.PAUSE; // the setting of the count may be repeated
            return;
        }
        boolean hasChanged = reply.outcome() == LatchOutcome.DONE || reply.outcome() == LatchOutcome.OPEN;
        long earlierMillis = change.earlierNotAfter - reply.server().millis();
        if (!hasChanged && command != change.command) {
            return; // a later copy may have changed the latch since
        } else if (!hasChanged && earlierMillis >= 0) { // and so may an earlier one until then
            change.dueAt = effects.now() + (earlierMillis + 1) * LeaseTimes.MILLI;
            return;
        }
        if (reply.outcome() == LatchOutcome.DONE) {
            repeats.keep(command, reply);
            if (reply.count() == 0 && repeats.mayBeBehind() && command instanceof LatchCommand.CountDown countDown) {
                long answered = reply.server().millis() * MICROS_PER_MILLI;
                repeats.doubt(countDown, reply, Math.min(change.latest, answered));
            }
        }
        decide(change, new LatchChange.Answered(reply));
    }

    // ================================================================ replies, connections, time

    /** Applies the reply to a command. */
    public void answered(LatchCommand command, Reply reply) {
        if (repeats.includes(command)) {
            repeats.answered(command, reply);
        } else if (reply instanceof Reply.Failed failed) {
            failed(command, failed.cause());
        } else if (reply instanceof Reply.Latched latched) {
            outage = LockOutage.NONE;
            if (command instanceof LatchCommand.Await question) {
                heard(question, latched);
            } else if (command instanceof LatchCommand.SetCount set) {
                heard(set, set.id(), latched);
            } else if (command instanceof LatchCommand.CountDown countDown) {
                heard(countDown, countDown.id(), latched);
            }
        }
    }

    private void failed(LatchCommand command, BackendException cause) {
        long now = effects.now();
        outage = outage.failed(now, cause);
        if (command instanceof LatchCommand.Await question) {
            if (questions.remove(question) == null || !question.waits()) {
                return;
            }
            if (!cause.isRetryable()) {
                refuseWaiters(cause);
            } else if (!waiters.isEmpty()) {
                pollAt = Math.min(pollAt, now + pause());
            }
            return;
        }
        LatchChange change = changeOf(
                command instanceof LatchCommand.SetCount set ? set.id() : ((LatchCommand.CountDown) command).id());
        if (change == null) {
            return;
        }
        if (cause.isRetryable()) {
            unanswered(change);
            change.dueAt = now + pause();
        } else {
            decide(change, new LatchChange.Failed(refused(cause)));
        }
    }

    private long pause() {
        return RETRY + effects.random(RETRY);
    }

    /** Dismisses all callers, because the backend will not answer. */
    public void refuseAll(BackendException cause) {
        refuseWaiters(cause);
        List.copyOf(changes).forEach(change -> decide(change, new LatchChange.Failed(refused(cause))));
    }

    private void refuseWaiters(BackendException cause) {
        List.copyOf(waiters).forEach(waiter -> decide(waiter, new LatchWaiter.Failed(refused(cause))));
        endPolls();
    }

    /** Keeps the time at which the connection was lost. */
    public void disconnected() {
        repeats.disconnected();
    }

    /** Sends commands without an answer again over a new connection, which may lead to another server. */
    public void connected(boolean toAnother) {
        repeats.connected(toAnother);
        List.copyOf(changes).forEach(this::send);
        questions.clear();
        askAll();
    }

    /** Does what is due. */
    public void tick() {
        long now = effects.now();
        long timeout = effects.timing().commandTimeout();
        repeats.tick(now);
        for (LatchChange change : List.copyOf(changes)) {
            tick(change, now, timeout);
        }
        if (questions.values().stream().anyMatch(question -> now - question.sentAt >= timeout)) {
            outage = outage.failed(now - timeout, null);
            questions.clear();
            askAll();
        }
        if (now >= outage.patienceEnds(effects.timing().outagePatience())) {
            List.copyOf(waiters).forEach(waiter -> decide(waiter, new LatchWaiter.Failed(unknown(patience()))));
            endPolls();
        }
        if (now >= pollAt) {
            askAll();
        }
    }

    private void tick(LatchChange change, long now, long timeout) {
        boolean isOverdue = change.dueAt == Ticker.NEVER && now - change.sentAt >= timeout;
        if (isOverdue) {
            unanswered(change);
        }
        if (now >= patienceEnds(change)) {
            decide(change, new LatchChange.Failed(unknown(patience())));
        } else if (now >= change.dueAt || isOverdue) {
            send(change);
        }
    }

    /**
     * Sets the time since which a change has no answer. Of the time since it was sent, at most the command timeout
     * counts.
     */
    private void unanswered(LatchChange change) {
        long since = Math.max(change.sentAt, effects.now() - effects.timing().commandTimeout());
        change.unansweredSince = Math.min(change.unansweredSince, since);
    }

    private long patienceEnds(LatchChange change) {
        long since = change.unansweredSince;
        return since == Ticker.NEVER ? Ticker.NEVER : since + effects.timing().outagePatience();
    }

    private String patience() {
        return "for the client's outage patience";
    }

    /** Returns when {@link #tick} is due; {@link Ticker#NEVER} if nothing is. */
    public long wakeAt() {
        long timeout = effects.timing().commandTimeout();
        long at = Math.min(pollAt, repeats.wakeAt());
        for (LatchChange change : changes) {
            at = Math.min(at, change.dueAt == Ticker.NEVER ? change.sentAt + timeout : change.dueAt);
            at = Math.min(at, patienceEnds(change));
        }
        for (Question question : questions.values()) {
            at = Math.min(at, question.sentAt + timeout);
        }
        if (!waiters.isEmpty()) {
            at = Math.min(at, outage.patienceEnds(effects.timing().outagePatience()));
        }
        return at;
    }

    /** Returns whether there is nothing to wait for, so that the machine may be forgotten. */
    public boolean isIdle() {
        return waiters.isEmpty() && changes.isEmpty() && repeats.isIdle();
    }

    /** Returns how many callers wait. */
    public int waiting() {
        return waiters.size();
    }

    private BackendException unknown(String howLong) {
        BackendException cause = outage.lastFailure();
        return new BackendException(
                "The backend gave no answer about the latch '" + effects.latch() + "' " + howLong
                        + ". Whether a change has taken effect is unknown. "
                        + (cause == null ? "Is the server frozen, or the network down?" : cause.getMessage()),
                true,
                cause);
    }

    private BackendException refused(BackendException cause) {
        return new BackendException(
                cause.getMessage() + ". The latch '" + effects.latch() + "' was not changed by this call",
                cause.isRetryable(),
                cause);
    }
}
