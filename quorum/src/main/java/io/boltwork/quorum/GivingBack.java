// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.spi.Reply;
import io.boltwork.spi.VoteCommand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Gives votes back, at all servers that may have given one. A server that does not answer is told again until no lease
 * of the vote can be left there. A server that may still execute an earlier command is told again when that can no
 * longer happen.
 */
final class GivingBack {

    /** The pause before votes are given back again to a server that has not answered. */
    private static final long AGAIN = TimeUnit.MILLISECONDS.toNanos(250);

    /**
     * The most votes of one server that are given back again: some megabytes. Those beyond it end with their leases.
     */
    private static final int MOST_OWED = 10_000;

    /** The most votes of one server that are given back again at once, so that other commands do not wait for long. */
    private static final int MOST_AT_ONCE = 500;

    private final Members members;

    /** The votes about which a server must be informed again, by server. */
    private final List<Deque<Owed>> owed = new ArrayList<>();

    private boolean timerRuns;

    GivingBack(Members members) {
        this.members = members;
        members.nodes.forEach(node -> owed.add(new ArrayDeque<>()));
    }

    /** The votes of one round that are given back together, and what the servers have said to it. */
    final class Ending {
        private final int standing;
        private final List<Consumer<Reply>> handlers = new ArrayList<>();
        private final List<Owed> parts = new ArrayList<>();
        private final Runnable whenDone;
        private int answered;
        private int waiting;
        private int left;
        private int forgotten;
        private int lost;

        private Ending(Round round, Runnable whenDone) {
            standing = round.count(NodeVote::mayCount);
            this.whenDone = whenDone;
        }

        /** Calls the handler once a majority has answered, or when no more answers are expected. */
        void whenMostHaveAnswered(Consumer<Reply> handler) {
            handlers.add(handler);
            tellIfKnown();
        }

        /** Sends again what was not answered. */
        void again() {
            for (Owed part : parts) {
                if (!part.isDone && !part.isWaiting) {
                    send(part);
                }
            }
        }

        private void tellIfKnown() {
            boolean enough = answered >= Math.min(members.majority, parts.size());
            if (!enough && waiting > 0) {
                return;
            }
            Reply reply = enough ? new Reply.Released(members.time(), outcome(), null, 0, null) : members.tooFew(true);
            List<Consumer<Reply>> told = List.copyOf(handlers);
            handlers.clear();
            told.forEach(handler -> handler.accept(reply));
        }

        private Reply.Release outcome() {
            int still = standing - forgotten - lost;
            if (still >= members.majority) {
                return Reply.Release.RELEASED;
            }
            return still + forgotten >= members.majority ? Reply.Release.FORGOTTEN : Reply.Release.NOT_HELD;
        }

        private void answered(Owed part, Reply.Released answer) {
            if (!part.isAnswered) {
                part.isAnswered = true;
                answered++;
                if (part.vote.isGiven()) {
                    lost += answer.outcome() == Reply.Release.NOT_HELD ? 1 : 0;
                    forgotten += answer.outcome() == Reply.Release.FORGOTTEN ? 1 : 0;
                }
            }
        }

        private void done(Owed part) {
            if (!part.isDone) {
                part.isDone = true;
                left--;
                if (left == 0) {
                    whenDone.run();
                }
            }
        }
    }

    /** A vote that is to be given back. */
    private static final class Owed {
        final Ending whole;
        final NodeVote vote;
        final VoteCommand.GiveBack command;
        final long patience;
        boolean isWaiting;
        boolean isAnswered;
        boolean isDone;

        Owed(Ending whole, NodeVote vote, VoteCommand.GiveBack command, long patience) {
            this.whole = whole;
            this.vote = vote;
            this.command = command;
            this.patience = patience;
        }
    }

    /**
     * Gives the votes of a round back.
     *
     * @param lastUsed the last token that was used, 0 for none
     * @param keepMillis how much longer the lock stays closed
     * @param whenDone is run when nothing of the round is left at any server
     */
    Ending giveBack(String lock, Round round, long lastUsed, long keepMillis, long leaseMillis, Runnable whenDone) {
        Ending whole = new Ending(round, whenDone);
        long used = lastUsed > 0 || round.token == 0 ? lastUsed : round.token - 1;
        for (NodeVote vote : round.votes) {
            if (vote.mayBeLeft() || round.token > 0 && vote.state != NodeVote.State.NONE) {
                VoteCommand.GiveBack command = new VoteCommand.GiveBack(
                        lock,
                        round.request,
                        vote.firstToken,
                        Math.max(used, vote.firstToken),
                        round.blockEnd(),
                        keepMillis);
                whole.parts.add(new Owed(whole, vote, command, Members.patience(leaseMillis)));
            }
        }
        whole.left = whole.parts.size();
        whole.parts.forEach(this::send);
        if (whole.left == 0) {
            whenDone.run();
        }
        return whole;
    }

    private void send(Owed part) {
        QuorumNode node = part.vote.node;
        if (!node.isUsable()) {
            owe(part);
            return;
        }
        part.isWaiting = true;
        part.whole.waiting++;
        node.send(part.command, part.patience, new QuorumNode.Handler() {
            @Override
            public void replied(Reply reply) {
                if (reply instanceof Reply.Released answer) {
                    GivingBack.this.answered(part, answer);
                } else if (part.isWaiting) {
                    owe(part);
                }
                stopWaiting();
            }

            @Override
            public void late() {
                owe(part);
                stopWaiting();
            }

            private void stopWaiting() {
                if (part.isWaiting) {
                    part.isWaiting = false;
                    part.whole.waiting--;
                }
                part.whole.tellIfKnown();
            }
        });
    }

    private void answered(Owed part, Reply.Released answer) {
        part.whole.answered(part, answer);
        long late = part.vote.mayRunUntil - answer.server().millis();
        if (part.vote.isTainted() && late >= 0) {
            members.world
                    .timers()
                    .schedule(() -> members.events.run(() -> send(part)), TimeUnit.MILLISECONDS.toNanos(late + 1));
        } else {
            part.whole.done(part);
        }
    }

    private void owe(Owed part) {
        Deque<Owed> votes = owed.get(part.vote.node.index);
        votes.add(part);
        if (votes.size() > MOST_OWED) {
            Owed oldest = votes.remove();
            oldest.whole.done(oldest);
        }
        runTimer();
    }

    private void runTimer() {
        if (!timerRuns) {
            timerRuns = true;
            members.world.timers().schedule(() -> members.events.run(this::sendAgain), AGAIN);
        }
    }

    private void sendAgain() {
        timerRuns = false;
        long now = members.now();
        for (Deque<Owed> votes : owed) {
            for (int i = Math.min(votes.size(), MOST_AT_ONCE); i > 0; i--) {
                Owed part = votes.remove();
                if (part.isDone || part.isWaiting) {
                    continue;
                }
                if (now >= part.vote.endsAt) {
                    part.whole.done(part);
                } else {
                    send(part);
                }
            }
        }
        if (owed.stream().anyMatch(votes -> !votes.isEmpty())) {
            runTimer();
        }
    }
}
