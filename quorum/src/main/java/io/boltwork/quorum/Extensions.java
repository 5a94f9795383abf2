// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.quorum.NodeVote.State;
import io.boltwork.spi.Command;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.VoteCommand;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Extends leases at all servers that have voted, and restores votes that a server has lost. A lease is extended once a
 * majority has said so; the others go on. If so many servers have lost their votes that there is no majority, the
 * engine decides.
 */
final class Extensions {
    /*
     * One server: renew -> OK: counts. FORGOTTEN -> restore -> raise -> counts: a restore sets the fence of the vote
     * only, so the fence must be raised to the end of the hold's block again. LOST, or refused by restore or raise: the
     * vote is gone.
     */

    private final Members members;
    private final Rounds rounds;

    Extensions(Members members, Rounds rounds) {
        this.members = members;
        this.rounds = rounds;
    }

    /** The handling of votes that a server has lost. */
    enum Kind {
        /** Nothing: it only asks. */
        VERIFY,
        /** It restores them if the other votes are a majority. */
        RENEW,
        /** It restores them, and they count. */
        RESTORE
    }

    /** The extension of one lease, until it is known how it ended. */
    final class Extension {
        private final QuorumRequest request;
        private final Round round;
        private final long leaseMillis;
        private final long takeoverMillis;
        private final Kind kind;
        private final Consumer<Renewal> outcome;
        private int open;
        private int counted;
        private int forgotten;
        private boolean isStale;

        /** The votes that a renewal came too late for, at servers that have been asked again. */
        private final Set<NodeVote> repeated = new HashSet<>();

        private boolean isDecided;

        Extension(QuorumRequest request, long leaseMillis, long takeoverMillis, Kind kind, Consumer<Renewal> outcome) {
            this.request = request;
            this.round = request.roundNow();
            this.leaseMillis = leaseMillis;
            this.takeoverMillis = takeoverMillis;
            this.kind = kind;
            this.outcome = outcome;
        }

        private boolean concerns(NodeVote vote) {
            return (vote.isGiven() || vote.state == State.FORGOTTEN) && vote.node.isUsable();
        }

        private Renew.Item item(NodeVote vote) {
            vote.prolongs(members.now(), TimeUnit.MILLISECONDS.toNanos(leaseMillis + takeoverMillis + effect()));
            return new Renew.Item(request.lock(), round.request, vote.firstToken, leaseMillis, takeoverMillis);
        }

        private long effect() {
            return Members.effectMillis(request.terms.leaseMillis());
        }

        private long patience() {
            return Members.extensionPatience(request.terms.leaseMillis());
        }

        // ================================================================ the answers of one server

        private void renewed(NodeVote vote, Renewal result) {
            switch (result) {
                case OK -> {
                    if (vote.isRaised) {
                        counts(vote);
                    } else {
                        raise(vote);
                    }
                }
                case FORGOTTEN -> {
                    vote.state = State.FORGOTTEN;
                    vote.isRaised = false;
                    if (kind == Kind.RESTORE || kind == Kind.RENEW && isDecided) {
                        restore(vote);
                    } else {
                        forgotten++;
                        ended();
                    }
                }
                case LOST -> lost(vote);
                case STALE -> tooLate(vote);
                case BROKEN -> ended();
            }
        }

        /** Asks again at once, because this very answer has corrected the estimate of the server's clock. */
        private void tooLate(NodeVote vote) {
            if (!repeated.add(vote)) {
                isStale = true;
                ended();
                return;
            }
            Renew renew = new Renew(List.of(item(vote)), vote.node.millis() + effect());
            send(
                    vote,
                    renew,
                    reply -> renewed(
                            vote,
                            reply instanceof Reply.Renewed again
                                    ? again.items().get(0).outcome()
                                    : Renewal.BROKEN));
        }

        private void counts(NodeVote vote) {
            vote.state = State.GIVEN;
            vote.isRaised = true;
            counted++;
            ended();
        }

        private void lost(NodeVote vote) {
            vote.state = State.LOST;
            ended();
        }

        private void restore(NodeVote vote) {
            if (request.phase != QuorumRequest.Phase.HELD || request.round != round) {
                ended(); // the hold has been given back meanwhile, and no vote of it may come back
                return;
            }
            long notAfter = vote.node.millis() + effect();
            long millis = leaseMillis + takeoverMillis + 2 * effect();
            vote.asked(members.now(), TimeUnit.MILLISECONDS.toNanos(millis), notAfter);
            Command.Restore command = new Command.Restore(
                    request.lock(), round.request, vote.firstToken, leaseMillis, takeoverMillis, notAfter);
            send(vote, command, reply -> {
                vote.replied(reply);
                if (reply instanceof Reply.Restored restored && restored.outcome() == Renewal.OK) {
                    raise(vote);
                } else if (reply instanceof Reply.Restored restored && restored.outcome() == Renewal.LOST) {
                    // an earlier restore may have succeeded: the next renewal finds that out
                    vote.state = round.request.equals(restored.owner()) ? State.FORGOTTEN : State.LOST;
                    ended();
                } else {
                    ended();
                }
            });
        }

        private void raise(NodeVote vote) {
            VoteCommand.Raise command =
                    new VoteCommand.Raise(request.lock(), round.request, vote.firstToken, round.blockEnd());
            send(vote, command, reply -> {
                if (reply instanceof Reply.Raised raised && raised.accepted()) {
                    counts(vote);
                } else if (reply instanceof Reply.Raised) {
                    lost(vote);
                } else {
                    ended();
                }
            });
        }

        /**
         * Sends a command about the vote. A command that is not answered in time counts as unanswered, and a later
         * answer is ignored.
         */
        private void send(NodeVote vote, Command<?> command, Consumer<Reply> handler) {
            vote.node.send(command, patience(), new QuorumNode.Handler() {
                private boolean isLate;

                @Override
                public void replied(Reply reply) {
                    if (!isLate) {
                        handler.accept(reply);
                    } else if (command instanceof Command.Restore) {
                        vote.replied(reply);
                    }
                }

                @Override
                public void late() {
                    isLate = true;
                    ended();
                }
            });
        }

        // ================================================================ the outcome

        private void ended() {
            open--;
            decideIfKnown();
        }

        private void decideIfKnown() {
            if (isDecided) {
                return;
            }
            if (counted >= members.majority) {
                decide(Renewal.OK);
            } else if (round.count(NodeVote::mayCount) < members.majority) {
                decide(Renewal.LOST);
            } else if (open == 0 && counted + forgotten >= members.majority) {
                decide(Renewal.FORGOTTEN);
            } else if (open == 0) {
                decide(isStale ? Renewal.STALE : Renewal.BROKEN);
            }
        }

        private void decide(Renewal result) {
            isDecided = true;
            outcome.accept(result);
            if (result == Renewal.OK && kind == Kind.RENEW) {
                round.votes.stream()
                        .filter(vote -> vote.state == State.FORGOTTEN && vote.node.isUsable())
                        .toList()
                        .forEach(this::restore);
            }
        }
    }

    /** Begins several extensions, with one command for each server. */
    void extend(List<Extension> extensions) {
        for (Extension extension : extensions) {
            extension.open = extension.round.count(extension::concerns);
        }
        for (QuorumNode node : members.nodes) {
            List<Extension> asked = new ArrayList<>();
            List<Renew.Item> items = new ArrayList<>();
            long effect = Long.MAX_VALUE;
            for (Extension extension : extensions) {
                NodeVote vote = extension.round.votes.get(node.index);
                if (extension.concerns(vote)) {
                    asked.add(extension);
                    items.add(extension.item(vote));
                    effect = Math.min(effect, extension.effect());
                } else if (extension.kind != Kind.VERIFY) {
                    askForMissing(extension, vote);
                }
            }
            if (!asked.isEmpty()) {
                send(node, asked, new Renew(items, node.millis() + effect));
            }
        }
        extensions.forEach(Extension::decideIfKnown);
    }

    /** Asks for the vote of a server that has not voted, so that the loss of another vote does no harm. */
    private void askForMissing(Extension extension, NodeVote vote) {
        boolean isMissing = vote.state == State.NONE || vote.state == State.REFUSED;
        if (isMissing && vote.node.mayVote() && extension.request.phase == QuorumRequest.Phase.HELD) {
            rounds.ask(extension.request, extension.round, vote);
        }
    }

    private void send(QuorumNode node, List<Extension> asked, Renew renew) {
        long patience = asked.stream().mapToLong(Extension::patience).min().orElseThrow();
        node.send(renew, patience, new QuorumNode.Handler() {
            private boolean isLate;

            @Override
            public void replied(Reply reply) {
                if (isLate) {
                    return;
                }
                for (int i = 0; i < asked.size(); i++) {
                    Renewal result = reply instanceof Reply.Renewed renewed
                            ? renewed.items().get(i).outcome()
                            : Renewal.BROKEN;
                    asked.get(i).renewed(asked.get(i).round.votes.get(node.index), result);
                }
            }

            @Override
            public void late() {
                isLate = true;
                asked.forEach(Extension::ended);
            }
        });
    }
}
