// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.LatchOutcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The answered changes of a latch, and their repetition at a server that has taken over and may have lost them. Part of
 * a {@link LatchMachine}.
 */
final class LatchRepeats {

    /** The time for which an answered change is kept. A server that takes over may be this far behind. */
    static final long KEPT = TimeUnit.SECONDS.toNanos(10);

    /** The time until a repetition is sent again, because the server does not know its generation yet. */
    static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(500);

    /** A change that was answered, as it would be repeated. */
    private record Kept(LatchCommand command, long until) {}

    private final LatchEffects effects;
    private final ArrayDeque<Kept> kept = new ArrayDeque<>();

    /** The repetitions that are under way or to be sent. */
    private final List<LatchCommand> repeats = new ArrayList<>();

    /**
     * Those of the repetitions that have found a count of zero, with its generation: perhaps the server has lost a
     * later generation, which its setting brings back.
     */
    private final Map<LatchCommand, Long> doubtful = new HashMap<>();

    /**
     * The time until which a server that has taken over may get back what it has lost; {@link Ticker#NEVER}: none has.
     */
    private long repeatUntil = Ticker.NEVER;

    /** The time to send repetitions again; {@link Ticker#NEVER} if there are none. */
    private long repeatAt = Ticker.NEVER;

    /** The time at which the connection was lost; {@link Ticker#NEVER} if it is up. */
    private long downSince = Ticker.NEVER;

    LatchRepeats(LatchEffects effects) {
        this.effects = effects;
    }

    /** Keeps a change that was answered. */
    void keep(LatchCommand command, Reply.Latched reply) {
        long generation = reply.generation();
        LatchCommand repeat = command instanceof LatchCommand.SetCount set
                ? new LatchCommand.SetCount(
                        set.latch(), set.id(), set.count(), generation, reply.before(), Long.MAX_VALUE)
                : new LatchCommand.CountDown(
                        command.latch(),
                        ((LatchCommand.CountDown) command).id(),
                        generation,
                        generation,
                        Long.MAX_VALUE);
        kept.add(new Kept(repeat, effects.now() + KEPT));
    }

    /** Allows repetitions for some time after a server took over, before the latch was in use here. */
    void takenOver(long at) {
        repeatUntil = at + KEPT;
    }

    /** Returns whether the server has taken over so shortly before that it may have lost a generation. */
    boolean mayBeBehind() {
        return repeatUntil != Ticker.NEVER && effects.now() < repeatUntil;
    }

    /**
     * Repeats a counting down that has found a count of zero, until the server has a later generation that was meant.
     *
     * @param latest generations that begin later than that were not meant
     */
    void doubt(LatchCommand.CountDown command, Reply.Latched reply, long latest) {
        LatchCommand repeat = new LatchCommand.CountDown(command.latch(), command.id(), 0, latest, Long.MAX_VALUE);
        doubtful.put(repeat, reply.generation());
        repeats.add(repeat);
        repeatAt = Math.min(repeatAt, effects.now() + PAUSE);
    }

    /** Forgets changes that every server has by now. The time of an outage does not count. */
    private void forgetOld(long now) {
        long moment = Math.min(now, downSince);
        for (Kept oldest = kept.peek(); oldest != null && moment >= oldest.until; oldest = kept.peek()) {
            kept.remove();
        }
    }

    void disconnected() {
        downSince = Math.min(downSince, effects.now());
    }

    /** Forgets old changes, and begins to repeat the others if the new connection leads to another server. */
    void connected(boolean toAnother) {
        long now = effects.now();
        forgetOld(now);
        downSince = Ticker.NEVER;
        if (toAnother) {
            repeats.clear();
            repeats.addAll(doubtful.keySet());
            kept.forEach(one -> repeats.add(one.command));
            repeatUntil = now + KEPT;
            repeatAt = Ticker.NEVER;
            if (!repeats.isEmpty()) {
                repeat(now);
            }
        }
    }

    private void repeat(long now) {
        repeatAt = now + PAUSE;
        List.copyOf(repeats).forEach(effects::send);
    }

    /** Returns whether a command is a repetition whose answer is awaited. */
    boolean includes(LatchCommand command) {
        return repeats.contains(command);
    }

    /** Ends a repetition that was answered. */
    void answered(LatchCommand command, Reply reply) {
        if (reply instanceof Reply.Latched latched && latched.outcome() != LatchOutcome.UNKNOWN) {
            Long doubted = doubtful.get(command);
            if (doubted != null && doubted == latched.generation()) {
                return; // as before
            }
            repeats.remove(command);
            doubtful.remove(command);
            if (doubted != null && latched.outcome() == LatchOutcome.DONE) {
                keep(command, latched);
            }
            if (latched.outcome() == LatchOutcome.REFUSED) {
                kept.removeIf(one -> one.command.equals(command)); // lost: another generation has taken its place
            }
        }
        if (repeats.isEmpty()) {
            repeatAt = Ticker.NEVER;
        }
    }

    void tick(long now) {
        forgetOld(now);
        if (now >= repeatAt && now >= repeatUntil) {
            repeats.clear();
            doubtful.clear();
            repeatAt = Ticker.NEVER;
        } else if (now >= repeatAt) {
            repeat(now);
        }
    }

    /** Returns when {@link #tick} is due; {@link Ticker#NEVER} if nothing is. */
    long wakeAt() {
        Kept oldest = kept.peek();
        return oldest == null || downSince != Ticker.NEVER ? repeatAt : Math.min(repeatAt, oldest.until);
    }

    boolean isIdle() {
        return kept.isEmpty() && repeats.isEmpty();
    }

    void clear() {
        kept.clear();
        repeats.clear();
        doubtful.clear();
        repeatAt = Ticker.NEVER;
    }
}
