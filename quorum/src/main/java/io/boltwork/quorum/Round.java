// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a request to get the votes of a majority. It is a request of its own at the servers, so that what
 * comes late from an earlier round cannot take away the vote of a later one.
 */
final class Round {
    final String request;

    /** Before the first vote was asked for: the lease counts from then on. */
    final long started;

    final List<NodeVote> votes = new ArrayList<>();

    /** The first token of the hold: the largest that a server gave to a majority; 0 until there is one. */
    long token;

    Round(String request, long started, List<QuorumNode> nodes) {
        this.request = request;
        this.started = started;
        nodes.forEach(node -> votes.add(new NodeVote(node)));
    }

    int count(Predicate<NodeVote> which) {
        int count = 0;
        for (NodeVote vote : votes) {
            count += which.test(vote) ? 1 : 0;
        }
        return count;
    }

    /** Returns the largest first token of the votes that were given. */
    long largestToken() {
        long largest = 0;
        for (NodeVote vote : votes) {
            largest = vote.isGiven() ? Math.max(largest, vote.firstToken) : largest;
        }
        return largest;
    }

    /** Returns the last token of the hold's block; 0 if there is none. */
    long blockEnd() {
        return token == 0 ? 0 : token + LockBackend.TOKENS_PER_HOLD - 1;
    }

    /** Returns how many servers have answered the question for their vote. */
    int answered() {
        return count(
                vote -> vote.isGiven() || vote.state == NodeVote.State.REFUSED || vote.state == NodeVote.State.LOST);
    }

    /**
     * Returns the refusals of a majority that name one and the same owner, or no owner, and a time that is left; empty
     * if the votes are split.
     */
    List<Reply.Acquired> holder(int majority) {
        Map<String, List<Reply.Acquired>> byOwner = new HashMap<>();
        for (NodeVote vote : votes) {
            Reply.Acquired refusal = vote.refusal;
            if (vote.state == NodeVote.State.REFUSED && refusal != null && refusal.remainingMillis() > 0) {
                byOwner.computeIfAbsent(String.valueOf(refusal.owner()), owner -> new ArrayList<>())
                        .add(refusal);
            }
        }
        return byOwner.values().stream()
                .filter(refusals -> refusals.size() >= majority)
                .findFirst()
                .orElse(List.of());
    }

    /**
     * Returns whether another request has more votes, as far as the servers have said. Of two with as many, one is
     * behind.
     */
    boolean isBehind() {
        Map<String, Integer> others = new HashMap<>();
        for (NodeVote vote : votes) {
            Reply.Acquired refusal = vote.refusal;
            if (vote.state == NodeVote.State.REFUSED && refusal != null && refusal.owner() != null) {
                others.merge(refusal.owner(), 1, Integer::sum);
            }
        }
        int given = count(NodeVote::isGiven);
        return others.entrySet().stream()
                .anyMatch(other -> other.getValue() > given
                        || other.getValue() == given && other.getKey().hashCode() > request.hashCode());
    }

    /** Returns the request of the engine that a request at a server belongs to. */
    static @Nullable String engineRequest(@Nullable String atServer) {
        if (atServer == null) {
            return null;
        }
        int dot = atServer.lastIndexOf('.');
        return dot > atServer.lastIndexOf(':') ? atServer.substring(0, dot) : atServer;
    }
}
