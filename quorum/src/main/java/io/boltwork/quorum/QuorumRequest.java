// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A request of the engine, from its first question until its votes have been given back. */
final class QuorumRequest {

    /** The state of a request. */
    enum Phase {
        /** Servers have been asked for their votes. */
        VOTING,
        /** A majority has voted, and has been asked to raise its fence. */
        RAISING,
        /** A majority has raised its fence: the request holds the lock. */
        HELD,
        /** It begins a round after a delay, because it has lost one or lets other clients go first. */
        PAUSED,
        /** Another request holds the lock. It begins the next round at a notice, or when that lease ends. */
        ASLEEP,
        /** Its votes are being given back. */
        ENDED
    }

    final String id;

    /** The newest question of the engine. */
    Command.Acquire terms;

    Phase phase = Phase.PAUSED;

    /** The present round, or the last one; {@code null} before the first. */
    @Nullable
    Round round;

    int rounds;

    /** The number of rounds in a row without a winner. */
    int splits;

    /** The rounds in a row that too few servers have answered. */
    int failures;

    /** {@code true} if it has lost a round to requests of other clients. */
    boolean isContended;

    /** The servers that have said that their votes are free, since the last round began. */
    int notices;

    /** Begins the next round, or ends the wait for a server. */
    @Nullable
    Future<?> timer;

    /** The votes that are given back after the request has ended. */
    GivingBack.@Nullable Ending ending;

    private List<Question> questions = new ArrayList<>();

    /**
     * A question of the engine that was not answered.
     *
     * @param at the time at which it came
     * @param known whether the request was known before
     */
    record Question(Command.Acquire command, long at, boolean known, Consumer<Reply> handler) {}

    QuorumRequest(Command.Acquire terms) {
        this.id = terms.request();
        this.terms = terms;
    }

    String lock() {
        return terms.lock();
    }

    boolean isTry() {
        return !terms.queue();
    }

    void asks(Question question) {
        terms = question.command();
        questions.add(question);
    }

    /** Returns the questions that were not answered, and forgets them. */
    List<Question> takeQuestions() {
        List<Question> taken = questions;
        questions = new ArrayList<>();
        return taken;
    }

    boolean isAsked() {
        return !questions.isEmpty();
    }

    void cancelTimer() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    /** Returns the round of a request that has begun one. */
    Round roundNow() {
        if (round == null) {
            throw new IllegalStateException(id + " has begun no round");
        }
        return round;
    }
}
