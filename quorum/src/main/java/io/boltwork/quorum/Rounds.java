// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.quorum.QuorumRequest.Phase;
import io.boltwork.quorum.QuorumRequest.Question;
import io.boltwork.spi.Grant;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.VoteCommand;
import io.boltwork.spi.rules.LeaseTimes;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gets the votes of a majority for requests. The protocol is Redlock (Salvatore Sanfilippo, redis.io, "Distributed
 * Locks with Redis"), with a fence that is raised at a majority before the lock counts as held.
 */
final class Rounds {
    /*
     * A round: VOTING until a majority has voted, or cannot any more; RAISING until a majority of all servers has
     * raised its fence for votes that stand. Races: a vote that comes after its round has ended was given back right
     * behind the question, on the same connection, and again when the question can no longer be executed (GivingBack).
     * A vote that comes while the round goes on, however late, is raised and counts. A notice may come before the
     * refusals of the round that it concerns.
     */

    /**
     * The longest sleep of a request that waits for a notice, which may have been lost. As long as the engine's safety
     * poll.
     */
    private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(5);

    /**
     * The longest delay, in round trips, of a request that has lost a split vote and has the most votes. Within one
     * round trip the others have given theirs back.
     */
    private static final int AHEAD = 2;

    /**
     * The first delay of the others, in round trips: that request asks, raises fences and gives back before it ends.
     * Measured with 32 clients at five servers.
     */
    private static final int BEHIND = 12;

    /** The most times that a delay is doubled, so that no request waits for a hundred round trips. */
    private static final int DOUBLINGS = 3;

    /**
     * The shortest delay, in round trips, after notices of so few servers that the lock may still be held. By then the
     * other notices have come, if the lock is free.
     */
    private static final int FEW_NOTICES = 4;

    /**
     * The most rounds of a request that must not wait. With the delays between them they end before a command timeout.
     */
    private static final int MOST_ROUNDS_OF_A_TRY = 4;

    /** The first pause after a round that too few servers have answered, and the most doublings of it: up to 0.8 s. */
    private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int RETRY_DOUBLINGS = 3;

    private final Members members;
    private final GivingBack givingBack;
    private final Consumer<Grant> granted;

    /** Is told of a request that holds the lock. */
    private final Consumer<QuorumRequest> held;

    /** Removes a request that has been refused. */
    private final Consumer<QuorumRequest> refused;

    Rounds(
            Members members,
            GivingBack givingBack,
            Consumer<Grant> granted,
            Consumer<QuorumRequest> held,
            Consumer<QuorumRequest> refused) {
        this.members = members;
        this.givingBack = givingBack;
        this.granted = granted;
        this.held = held;
        this.refused = refused;
    }

    // ================================================================ voting

    /** Begins a round. */
    void beginRound(QuorumRequest request) {
        request.cancelTimer();
        request.phase = Phase.VOTING;
        request.notices = 0;
        long now = members.now();
        Round round = new Round(request.id + "." + ++request.rounds, now, members.nodes);
        request.round = round;
        for (NodeVote vote : round.votes) {
            if (vote.node.mayVote()) {
                ask(request, round, vote);
            }
        }
        decideIfClear(request);
    }

    /** Asks a server for its vote. */
    void ask(QuorumRequest request, Round round, NodeVote vote) {
        QuorumNode node = vote.node;
        long leaseMillis = request.terms.leaseMillis();
        long notAfter = node.millis() + Members.effectMillis(leaseMillis);
        vote.state = NodeVote.State.ASKED;
        vote.isLate = false;
        vote.asked(members.now(), longestLeft(request), notAfter);
        VoteCommand.Vote question = new VoteCommand.Vote(
                request.lock(), round.request, leaseMillis, request.terms.takeoverMillis(), notAfter, !request.isTry());
        node.send(question, Members.patience(leaseMillis), new QuorumNode.Handler() {
            @Override
            public void replied(Reply reply) {
                vote.replied(reply);
                voted(request, round, vote, reply);
            }

            @Override
            public void late() {
                vote.isLate = true;
                if (request.round == round) {
                    decideIfClear(request);
                }
            }
        });
    }

    /** Returns the time after which no lease that is asked for now is left. */
    private static long longestLeft(QuorumRequest request) {
        long millis = request.terms.leaseMillis()
                + request.terms.takeoverMillis()
                + 2 * Members.effectMillis(request.terms.leaseMillis());
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void voted(QuorumRequest request, Round round, NodeVote vote, Reply reply) {
        if (!(reply instanceof Acquired answer) || answer.verdict() == Verdict.STALE) {
            vote.state = NodeVote.State.UNKNOWN;
        } else if (answer.verdict() == Verdict.GRANTED) {
            vote.firstToken = answer.token();
            // a server that has started meanwhile has not been checked
            boolean isChecked = answer.server().run().equals(vote.node.run());
            vote.state = isChecked ? NodeVote.State.GIVEN : NodeVote.State.LOST;
        } else {
            vote.state = NodeVote.State.REFUSED;
            vote.refusal = answer;
        }
        if (request.round != round) {
            return; // what the server may have given is being given back
        }
        boolean isRaisedAtOnce = request.phase == Phase.RAISING || request.phase == Phase.HELD;
        if (vote.isGiven() && isRaisedAtOnce) {
            raise(request, round, vote);
        }
        decideIfClear(request);
    }

    // ================================================================ raising

    private void raise(QuorumRequest request, Round round, NodeVote vote) {
        vote.isLate = false;
        VoteCommand.Raise command =
                new VoteCommand.Raise(request.lock(), round.request, vote.firstToken, round.blockEnd());
        vote.node.send(command, Members.patience(request.terms.leaseMillis()), new QuorumNode.Handler() {
            @Override
            public void replied(Reply reply) {
                if (reply instanceof Reply.Raised raised && raised.accepted()) {
                    vote.isRaised = true;
                } else if (reply instanceof Reply.Raised) {
                    vote.state = NodeVote.State.LOST;
                } else {
                    vote.isLate = true;
                }
                if (request.round == round) {
                    decideIfClear(request);
                }
            }

            @Override
            public void late() {
                vote.isLate = true;
                if (request.round == round) {
                    decideIfClear(request);
                }
            }
        });
    }

    /** Decides whether the round goes on. */
    private void decideIfClear(QuorumRequest request) {
        Round round = request.roundNow();
        int open = round.count(NodeVote::isOpen);
        if (request.phase == Phase.VOTING) {
            int given = round.count(NodeVote::isGiven);
            if (given >= members.majority) {
                request.phase = Phase.RAISING;
                round.token = round.largestToken();
                round.votes.stream().filter(NodeVote::isGiven).toList().forEach(vote -> raise(request, round, vote));
            } else if (given + open < members.majority && (open == 0 || round.answered() >= members.majority)) {
                lose(request, round); // not before a majority has answered, or it would count as unavailable
            }
        } else if (request.phase == Phase.RAISING) {
            int raised = round.count(vote -> vote.isGiven() && vote.isRaised);
            int raising = round.count(vote -> vote.isGiven() && !vote.isRaised && !vote.isLate);
            if (raised >= members.majority) {
                win(request, round);
            } else if (raised + raising + open < members.majority) {
                lose(request, round);
            }
        }
    }

    // ================================================================ the end of a round

    private void win(QuorumRequest request, Round round) {
        long lease = request.terms.leaseMillis();
        if (members.now() >= round.started + LeaseTimes.safe(lease, 0)) {
            lose(request, round);
            return;
        }
        request.phase = Phase.HELD;
        request.splits = 0;
        request.failures = 0;
        held.accept(request);
        List<Question> questions = request.takeQuestions();
        boolean isAnswered = false;
        for (Question question : questions) {
            boolean counts = question.at() <= round.started; // the engine reckons the lease from its question
            isAnswered |= counts;
            question.handler().accept(counts ? granted(request, question.known()) : queued(question.known(), null));
        }
        if (!isAnswered) {
            granted.accept(new Grant(request.lock(), request.id, round.token, lease, members.timeAt(round.started)));
        }
    }

    /** Returns the answer for a request that holds the lock. */
    Acquired granted(QuorumRequest request, boolean known) {
        return new Acquired(members.time(), Verdict.GRANTED, request.roundNow().token, 0, 0, known, request.id);
    }

    private Acquired queued(boolean known, @Nullable String owner) {
        long millis = TimeUnit.NANOSECONDS.toMillis(LONGEST_SLEEP);
        return new Acquired(members.time(), Verdict.QUEUED, 0, millis, 1, known, owner);
    }

    private void lose(QuorumRequest request, Round round) {
        request.phase = Phase.PAUSED; // no answer to this round counts any more
        givingBack.giveBack(request.lock(), round, 0, 0, request.terms.leaseMillis(), () -> {});
        List<Acquired> holder = round.holder(members.majority);
        if (round.answered() < members.majority) {
            isUnavailable(request);
        } else if (holder.isEmpty()) {
            isSplit(request);
        } else {
            isTaken(request, holder);
        }
    }

    private void isUnavailable(QuorumRequest request) {
        Reply.Failed failed = members.tooFew(true);
        boolean isTry = request.isTry();
        request.takeQuestions().forEach(question -> question.handler().accept(failed));
        if (isTry) {
            refused.accept(request);
        } else {
            long delay = RETRY << Math.min(request.failures, RETRY_DOUBLINGS);
            request.failures++;
            later(request, Phase.PAUSED, delay / 2 + members.world.random().applyAsLong(delay / 2));
        }
    }

    /** The votes are split between requests that all lose, or the lock has just become free. */
    private void isSplit(QuorumRequest request) {
        request.failures = 0;
        long doubled = 1L << Math.min(request.splits, DOUBLINGS);
        long trips = request.roundNow().isBehind() ? BEHIND * doubled : Math.min(AHEAD, doubled);
        long delay = trips * members.roundTrip();
        request.splits++;
        request.isContended = true;
        if (request.isTry() && request.splits == MOST_ROUNDS_OF_A_TRY) {
            refuse(request, null);
            return;
        }
        if (!request.isTry()) {
            answerQueued(request, null);
        }
        later(request, Phase.PAUSED, delay / 2 + members.world.random().applyAsLong(delay));
    }

    private void isTaken(QuorumRequest request, List<Acquired> holder) {
        request.failures = 0;
        request.splits = 0;
        String owner = Round.engineRequest(holder.get(0).owner());
        if (request.isTry()) {
            refuse(request, owner);
            return;
        }
        request.isContended = true;
        answerQueued(request, owner);
        if (request.notices > 0) {
            later(request, Phase.ASLEEP, afterNotices(request));
            return;
        }
        long[] left =
                holder.stream().mapToLong(Acquired::remainingMillis).sorted().toArray();
        long sleep = TimeUnit.MILLISECONDS.toNanos(left[members.majority - 1] + 1);
        later(request, Phase.ASLEEP, Math.min(LONGEST_SLEEP, sleep));
    }

    private void refuse(QuorumRequest request, @Nullable String owner) {
        for (Question question : request.takeQuestions()) {
            question.handler().accept(new Acquired(members.time(), Verdict.REFUSED, 0, 0, 0, question.known(), owner));
        }
        refused.accept(request);
    }

    /** Answers that a request waits. */
    void answerQueued(QuorumRequest request, @Nullable String owner) {
        request.takeQuestions().forEach(question -> question.handler().accept(queued(question.known(), owner)));
    }

    /** Begins the next round after a while. */
    void later(QuorumRequest request, Phase until, long delay) {
        request.cancelTimer();
        request.phase = until;
        request.timer = members.world
                .timers()
                .schedule(
                        () -> members.events.run(() -> {
                            if (request.phase == until) {
                                beginRound(request);
                            }
                        }),
                        delay);
    }

    /** Counts a server's notice that its vote is free, and begins a round after those of a majority. */
    void told(QuorumRequest request) {
        if (request.phase == Phase.PAUSED) {
            return; // the notice may come from another request that has lost the same vote
        }
        request.notices++;
        if (request.phase == Phase.ASLEEP && request.notices >= members.majority) {
            beginRound(request);
        } else if (request.phase == Phase.ASLEEP && request.notices == 1) {
            later(request, Phase.ASLEEP, afterNotices(request));
        }
    }

    /**
     * Returns the delay before a round that notices have caused. Those of a minority may come from a request that has
     * lost.
     */
    private long afterNotices(QuorumRequest request) {
        long trip = members.roundTrip();
        return request.notices >= members.majority
                ? trip
                : FEW_NOTICES * trip + members.world.random().applyAsLong(FEW_NOTICES * trip);
    }
}
