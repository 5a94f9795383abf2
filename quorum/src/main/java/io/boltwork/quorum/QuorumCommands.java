// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.LockKind;
import io.boltwork.quorum.QuorumRequest.Phase;
import io.boltwork.quorum.QuorumRequest.Question;
import io.boltwork.spi.Announce;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Query;
import io.boltwork.spi.Query.QueryVisitor;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Resize;
import io.boltwork.spi.Share;
import io.boltwork.spi.VoteCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Executes the commands of one client at a quorum, and keeps its requests. A client has at most one request for a lock
 * that wants it and does not hold it. Everything happens in the events of the quorum's {@link SerialQueue}.
 */
final class QuorumCommands implements QueryVisitor<Consumer<Consumer<Reply>>> {

    /** The number of acquisitions in which the client lets others go first after it has had to wait for a lock. */
    private static final int YIELDS = 3;

    /** The most locks that are remembered for that: a few hundred bytes each. */
    private static final int MOST_CONTENDED = 1_000;

    private final Members members;
    private final GivingBack givingBack;
    private final Rounds rounds;
    private final Extensions extensions;
    private final MajorityAnswers answers;

    private final Map<String, QuorumRequest> requests = new HashMap<>();

    /** The requests that want a lock and do not hold it, by lock. */
    private final Map<String, QuorumRequest> wanted = new HashMap<>();

    /**
     * The number of times that requests of this client will still let others go first, by lock that other clients want
     * as well.
     */
    private final Map<String, Integer> contended = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > MOST_CONTENDED;
        }
    };

    QuorumCommands(Members members, Consumer<Grant> granted) {
        this.members = members;
        this.givingBack = new GivingBack(members);
        this.rounds = new Rounds(members, givingBack, granted, this::isNoLongerWanted, this::leave);
        this.extensions = new Extensions(members, rounds);
        this.answers = new MajorityAnswers(members);
    }

    // ================================================================ asking

    @Override
    public Consumer<Consumer<Reply>> acquire(Command.Acquire command) {
        return handler -> {
            Reply.Failed refusal = refusal(command);
            if (refusal != null) {
                handler.accept(refusal);
            } else {
                acquire(command, handler);
            }
        };
    }

    private void acquire(Command.Acquire command, Consumer<Reply> handler) {
        if (members.time().millis() > command.notAfter()) {
            handler.accept(answer(Reply.Verdict.STALE, requests.containsKey(command.request())));
            return;
        }
        QuorumRequest before = requests.get(command.request());
        QuorumRequest request = before == null ? new QuorumRequest(command) : before;
        Question question = new Question(command, members.now(), before != null, handler);
        if (request.phase == Phase.ENDED) {
            handler.accept(Members.refused("The request " + request.id + " has been given back"));
        } else if (request.phase == Phase.HELD) {
            extendAndAnswer(request, question);
        } else if (before == null) {
            enter(request, question);
        } else {
            request.asks(question);
            answerNow(request);
        }
    }

    /** Answers a question of a request that is known, unless its round is going to answer it. */
    private void answerNow(QuorumRequest request) {
        if (request.phase == Phase.ASLEEP || request.failures > 0 && request.phase == Phase.PAUSED) {
            rounds.beginRound(request);
        } else if (request.phase == Phase.PAUSED) {
            rounds.answerQueued(request, null);
        }
    }

    private void enter(QuorumRequest request, Question question) {
        requests.put(request.id, request);
        wanted.put(request.lock(), request);
        request.asks(question);
        if (!request.isTry() && contended.containsKey(request.lock())) {
            letOthersGoFirst(request);
        } else {
            rounds.beginRound(request);
        }
    }

    /** Answers an owner that asks again, because it has not heard of its grant. */
    private void extendAndAnswer(QuorumRequest request, Question question) {
        Command.Acquire terms = question.command();
        Extensions.Extension extension = extensions
        .new Extension(request, terms.leaseMillis(), terms.takeoverMillis(), Extensions.Kind.RESTORE, outcome -> {
            switch (outcome) {
                case OK -> question.handler().accept(rounds.granted(request, true));
                case LOST -> askAnew(request, question);
                case FORGOTTEN, STALE, BROKEN -> question.handler().accept(members.tooFew(true));
            }
        });
        extensions.extend(List.of(extension));
    }

    /** Begins again with a request that has lost its hold, unless it has been withdrawn meanwhile. */
    private void askAnew(QuorumRequest request, Question question) {
        if (request.phase != Phase.HELD) {
            question.handler().accept(answer(Reply.Verdict.STALE, true));
            return;
        }
        long leaseMillis = question.command().leaseMillis();
        givingBack.giveBack(request.lock(), request.roundNow(), 0, 0, leaseMillis, () -> {});
        request.asks(question);
        wanted.put(request.lock(), request); // so that it is told when the lock is free
        rounds.beginRound(request);
    }

    private Reply.Acquired answer(Reply.Verdict verdict, boolean known) {
        return new Reply.Acquired(members.time(), verdict, 0, 0, 0, known, null);
    }

    /**
     * Returns the failure of a request for a feature that a quorum lacks; {@code null} if the quorum has the feature.
     */
    private Reply.@Nullable Failed refusal(Command.Acquire command) {
        if (!command.share().equals(Share.WHOLE)) {
            return Members.refused(QuorumBackend.NO_SHARES);
        } else if (command.condition() != null) {
            return Members.refused(QuorumBackend.NO_CONDITIONS);
        }
        return tooLong(command.leaseMillis() + command.takeoverMillis());
    }

    private Reply.@Nullable Failed tooLong(long leaseMillis) {
        long longest = members.options.longestLease().toMillis();
        return leaseMillis <= longest
                ? null
                : Members.refused("A lease of " + leaseMillis + " ms, with its takeover delay, is longer than"
                        + " QuorumOptions.longestLease, which is " + longest + " ms");
    }

    // ================================================================ ending

    @Override
    public Consumer<Consumer<Reply>> release(Command.Release command) {
        return handler -> {
            QuorumRequest request = requests.get(command.request());
            if (request == null || request.round == null) {
                handler.accept(new Reply.Released(members.time(), Reply.Release.FORGOTTEN, null, 0, null));
                return;
            }
            giveVotesBack(request, command.lastToken(), command.keepMillis());
            Objects.requireNonNull(request.ending).whenMostHaveAnswered(reply -> {
                Command.Acquire next = command.next();
                if (reply instanceof Reply.Released released && next != null) {
                    queue(next);
                    handler.accept(new Reply.Released(
                            released.server(), released.outcome(), answer(Reply.Verdict.QUEUED, false), 0, null));
                } else {
                    handler.accept(reply);
                }
            });
        };
    }

    /**
     * Lets the next request of the client that has released wait, behind those of other clients that are just being
     * told.
     */
    private void queue(Command.Acquire next) {
        QuorumRequest request = new QuorumRequest(next);
        if (requests.putIfAbsent(request.id, request) == null) {
            wanted.put(request.lock(), request);
            rounds.later(request, Phase.PAUSED, 2 * members.roundTrip());
        }
    }

    @Override
    public Consumer<Consumer<Reply>> withdraw(Command.Withdraw command) {
        return handler -> {
            QuorumRequest request = command.request() == null ? null : requests.get(command.request());
            if (request == null || request.round == null) {
                if (request != null) {
                    leave(request);
                }
                handler.accept(new Reply.Withdrawn(members.time(), request != null, 0, null));
                return;
            }
            giveVotesBack(request, command.lastToken(), 0);
            Objects.requireNonNull(request.ending)
                    .whenMostHaveAnswered(reply -> handler.accept(
                            reply instanceof Reply.Released
                                    ? new Reply.Withdrawn(members.time(), true, 0, null)
                                    : reply));
        };
    }

    /** Lets other clients go first, which have been told that the lock is free. */
    private void letOthersGoFirst(QuorumRequest request) {
        contended.computeIfPresent(request.lock(), (lock, left) -> left > 1 ? left - 1 : null);
        rounds.later(request, Phase.PAUSED, 2 * members.roundTrip());
        rounds.answerQueued(request, null);
    }

    /** Gives the votes of a request back. */
    private void giveVotesBack(QuorumRequest request, long lastToken, long keepMillis) {
        if (request.phase == Phase.ENDED) {
            Objects.requireNonNull(request.ending).again();
            return;
        }
        request.cancelTimer();
        if (request.isContended) {
            contended.put(request.lock(), YIELDS);
        }
        request.takeQuestions().forEach(question -> question.handler().accept(answer(Reply.Verdict.STALE, true)));
        request.phase = Phase.ENDED;
        request.ending = givingBack.giveBack(
                request.lock(),
                request.roundNow(),
                lastToken,
                keepMillis,
                request.terms.leaseMillis(),
                () -> requests.remove(request.id, request));
        isNoLongerWanted(request);
    }

    /** Forgets a request of which no server has anything that is not being given back. */
    private void leave(QuorumRequest request) {
        request.cancelTimer();
        request.phase = Phase.ENDED;
        requests.remove(request.id, request);
        isNoLongerWanted(request);
    }

    private void isNoLongerWanted(QuorumRequest request) {
        wanted.remove(request.lock(), request);
    }

    /**
     * Forgets all requests after the client has got a new id. They belong to another living client, so their votes must
     * not be given back. The engine has forgotten them too and needs no answer.
     */
    void disown() {
        for (QuorumRequest request : requests.values()) {
            request.cancelTimer();
            request.phase = Phase.ENDED;
        }
        requests.clear();
        wanted.clear();
    }

    // ================================================================ holding

    @Override
    public Consumer<Consumer<Reply>> renew(Command.Renew command) {
        return handler -> {
            List<Command.Renew.Item> items = command.items();
            for (Command.Renew.Item item : items) {
                Reply.Failed refusal = tooLong(item.leaseMillis() + item.takeoverMillis());
                if (refusal != null) {
                    handler.accept(refusal);
                    return;
                }
            }
            Reply.Renewal[] outcomes = new Reply.Renewal[items.size()];
            int[] open = {items.size()};
            List<Extensions.Extension> begun = new ArrayList<>();
            for (int i = 0; i < outcomes.length; i++) {
                int at = i;
                Command.Renew.Item item = items.get(i);
                Consumer<Reply.Renewal> outcome = result -> {
                    outcomes[at] = result;
                    open[0]--;
                    if (open[0] == 0) {
                        handler.accept(renewed(outcomes));
                    }
                };
                QuorumRequest request = held(item.request(), item.firstToken());
                if (request == null) {
                    outcome.accept(Reply.Renewal.LOST);
                } else {
                    Extensions.Kind kind = item.leaseMillis() + item.takeoverMillis() == 0
                            ? Extensions.Kind.VERIFY
                            : Extensions.Kind.RENEW;
                    begun.add(extensions
                    .new Extension(request, item.leaseMillis(), item.takeoverMillis(), kind, outcome));
                }
            }
            extensions.extend(begun);
        };
    }

    private Reply renewed(Reply.Renewal[] outcomes) {
        boolean isAnswered = false;
        List<Reply.Renewed.Item> results = new ArrayList<>();
        for (Reply.Renewal outcome : outcomes) {
            isAnswered |= outcome != Reply.Renewal.BROKEN;
            results.add(new Reply.Renewed.Item(outcome, null));
        }
        return isAnswered ? new Reply.Renewed(members.time(), results) : members.tooFew(true);
    }

    @Override
    public Consumer<Consumer<Reply>> restore(Command.Restore command) {
        return handler -> {
            QuorumRequest request = held(command.request(), command.firstToken());
            if (request == null) {
                handler.accept(new Reply.Restored(members.time(), Reply.Renewal.LOST, null));
                return;
            }
            extensions.extend(List.of(extensions
            .new Extension(
                    request, command.leaseMillis(), command.takeoverMillis(), Extensions.Kind.RESTORE, outcome -> {
                        boolean isUnknown = outcome == Reply.Renewal.BROKEN || outcome == Reply.Renewal.FORGOTTEN;
                        handler.accept(
                                isUnknown ? members.tooFew(true) : new Reply.Restored(members.time(), outcome, null));
                    })));
        };
    }

    private @Nullable QuorumRequest held(String id, long firstToken) {
        QuorumRequest request = requests.get(id);
        boolean isHeld = request != null && request.phase == Phase.HELD && request.roundNow().token == firstToken;
        return isHeld ? request : null;
    }

    @Override
    public Consumer<Consumer<Reply>> replicate(Command.Replicate command) {
        return handler -> handler.accept(Members.refused(QuorumBackend.NO_REPLICATION));
    }

    /** Returns whether a request that a server names is known. */
    boolean knows(String requestAtServer) {
        return requests.containsKey(String.valueOf(Round.engineRequest(requestAtServer)));
    }

    // ================================================================ messages

    /** Tells the request for the lock that a server's vote is free again. */
    void freed(String lock) {
        QuorumRequest request = wanted.get(lock);
        if (request != null) {
            rounds.told(request);
        }
    }

    /** Marks a vote as lost that a server has taken away. Returns the hold that this ends, or {@code null}. */
    @Nullable
    HoldTaken taken(QuorumNode node, HoldTaken taken) {
        QuorumRequest request = requests.get(String.valueOf(Round.engineRequest(taken.request())));
        Round round = request == null ? null : request.round;
        if (request == null || round == null || !round.request.equals(taken.request())) {
            return null;
        }
        NodeVote vote = round.votes.get(node.index);
        if (vote.firstToken == taken.token()) {
            vote.state = NodeVote.State.LOST;
        }
        boolean isLost = request.phase == Phase.HELD && round.count(NodeVote::mayCount) < members.majority;
        return isLost ? new HoldTaken(request.lock(), request.id, round.token, members.time()) : null;
    }

    /** Lets requests begin that wait because too few servers could vote, of which this one may be one. */
    void mayVoteAgain(QuorumNode changed) {
        answers.announceAt(changed);
        for (QuorumRequest request : List.copyOf(wanted.values())) {
            if (request.phase == Phase.PAUSED && request.failures > 0) {
                rounds.beginRound(request);
            }
        }
    }

    // ================================================================ looking

    @Override
    public Consumer<Consumer<Reply>> inspect(Query.Inspect command) {
        return command.kind() == LockKind.LOCK
                ? handler -> answers.inspect(command, handler)
                : handler -> handler.accept(
                        new QueryReply.Inspected(members.time(), List.of(), 0, 0, List.of(), 0)); // there are none
    }

    @Override
    public Consumer<Consumer<Reply>> forceRelease(ForceRelease command) {
        return command.kind() == LockKind.LOCK
                ? handler -> answers.forceRelease(command, handler)
                : handler -> handler.accept(Members.refused(QuorumBackend.NO_SHARES));
    }

    @Override
    public Consumer<Consumer<Reply>> announce(Announce command) {
        return handler -> answers.announce(command, handler);
    }

    @Override
    public Consumer<Consumer<Reply>> identify(Query.Identify command) {
        return handler -> answers.identify(command, handler);
    }

    @Override
    public Consumer<Consumer<Reply>> scanLocks(Query.ScanLocks command) {
        return handler -> answers.scan(command, handler);
    }

    @Override
    public Consumer<Consumer<Reply>> scanClients(Query.ScanClients command) {
        return handler -> answers.scanClients(command, handler);
    }

    // ================================================================ what a quorum does not have

    @Override
    public Consumer<Consumer<Reply>> resize(Resize command) {
        return handler -> handler.accept(Members.refused(QuorumBackend.NO_SHARES));
    }

    @Override
    public Consumer<Consumer<Reply>> anyLatch(LatchCommand command) {
        return handler -> handler.accept(Members.refused(QuorumBackend.NO_LATCHES));
    }

    @Override
    public Consumer<Consumer<Reply>> anyVote(VoteCommand<?> command) {
        return handler -> handler.accept(Members.refused(QuorumBackend.NO_VOTES));
    }
}
