// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import io.boltwork.LockKind;
import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.QueryReply.Inspected.Holder;
import io.boltwork.spi.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Commands of people and of the client itself that concern all servers: a majority must answer, and what it says
 * counts.
 */
final class MajorityAnswers {

    /** The time for an answer to a question of a person, the same as for the longest leases. */
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * The most announcements that are remembered as this client's own. Servers may have that of an earlier connection.
     */
    private static final int ANNOUNCEMENTS = 100;

    private final Members members;
    private final Set<String> announced = new LinkedHashSet<>();

    /** The last announcement, and the servers that have not answered it. */
    private @Nullable Announce last;

    private final Set<QuorumNode> unaware = new LinkedHashSet<>();

    MajorityAnswers(Members members) {
        this.members = members;
    }

    /** Asks all servers, and passes their answers on when all have answered, failed, or taken too long. */
    private <R extends Reply.Answer> void gather(
            Class<R> kind,
            Function<QuorumNode, @Nullable Command<R>> questions,
            Consumer<Map<QuorumNode, R>> whenGathered) {
        Map<QuorumNode, R> answers = new LinkedHashMap<>();
        Map<QuorumNode, Command<R>> asked = new LinkedHashMap<>();
        for (QuorumNode node : members.nodes) {
            Command<R> question = node.isUsable() ? questions.apply(node) : null;
            if (question != null) {
                asked.put(node, question);
            }
        }
        Set<QuorumNode> open = new LinkedHashSet<>(asked.keySet());
        if (open.isEmpty()) {
            whenGathered.accept(answers);
        }
        asked.forEach((node, question) -> node.send(question, PATIENCE, new QuorumNode.Handler() {
            @Override
            public void replied(Reply reply) {
                if (kind.isInstance(reply) && open.contains(node)) {
                    answers.put(node, kind.cast(reply));
                }
                late();
            }

            @Override
            public void late() {
                if (open.remove(node) && open.isEmpty()) {
                    whenGathered.accept(answers);
                }
            }
        }));
    }

    // ================================================================ locks

    void inspect(Query.Inspect look, Consumer<Reply> handler) {
        gather(
                Inspected.class,
                node -> look,
                answers -> handler.accept(answers.size() < members.majority ? members.tooFew(false) : merged(answers)));
    }

    /** Returns what a majority says about a lock. */
    private Inspected merged(Map<QuorumNode, Inspected> answers) {
        Map<String, List<Inspected>> byHolder = new HashMap<>();
        List<Long> kept = new ArrayList<>();
        long fence = 0;
        for (Inspected answer : answers.values()) {
            fence = Math.max(fence, answer.fence());
            kept.add(answer.keptUntilMillis() - answer.server().millis());
            if (answer.owner() != null && answer.untilMillis() > answer.server().millis()) {
                byHolder.computeIfAbsent(answer.owner(), owner -> new ArrayList<>())
                        .add(answer);
            }
        }
        List<Holder> holders = byHolder.values().stream()
                .filter(votes -> votes.size() >= members.majority)
                .map(this::holder)
                .toList();
        long keptMillis = ofMajority(kept);
        long keptUntil = holders.isEmpty() && keptMillis > 0 ? members.time().millis() + keptMillis : 0;
        return new Inspected(members.time(), holders, keptUntil, fence, List.of(), 1);
    }

    private Holder holder(List<Inspected> votes) {
        List<Long> left = new ArrayList<>(votes.stream()
                .map(vote -> vote.untilMillis() - vote.server().millis())
                .toList());
        // a majority has raised its fence to the end of the hold's block; the servers that are higher are fewer
        List<Long> fences = new ArrayList<>(votes.stream().map(Inspected::fence).toList());
        long token = ofMajority(fences) - LockBackend.TOKENS_PER_HOLD + 1;
        String request = String.valueOf(Round.engineRequest(votes.get(0).owner()));
        return new Holder(request, 1, token, members.time().millis() + ofMajority(left), false);
    }

    /** Returns the largest number that a majority reaches. */
    private long ofMajority(List<Long> numbers) {
        List<Long> sorted = new ArrayList<>(numbers);
        sorted.sort(Collections.reverseOrder());
        return sorted.size() < members.majority ? 0 : sorted.get(members.majority - 1);
    }

    /** Takes a lock away at all servers. */
    void forceRelease(ForceRelease command, Consumer<Reply> handler) {
        gather(Inspected.class, node -> new Query.Inspect(command.lock()), looks -> {
            if (looks.size() < members.majority) {
                handler.accept(members.tooFew(false));
                return;
            }
            Optional<Holder> holder = merged(looks).holders().stream().findFirst();
            long expected = command.expectedToken();
            boolean isMeant = expected <= 0
                    || holder.map(Holder::token)
                            .filter(token -> expected >= token && expected < token + LockBackend.TOKENS_PER_HOLD)
                            .isPresent();
            if (isMeant) {
                forceRelease(command, holder, looks, handler);
            } else {
                handler.accept(new Reply.Forced(members.time(), false, 0, null, null, 0));
            }
        });
    }

    private void forceRelease(
            ForceRelease command, Optional<Holder> holder, Map<QuorumNode, Inspected> looks, Consumer<Reply> handler) {
        gather(
                Reply.Forced.class,
                node -> {
                    if (command.expectedToken() <= 0) {
                        return new ForceRelease(command.lock(), 0);
                    }
                    Inspected look = looks.get(node);
                    return look == null || look.token() == 0 ? null : new ForceRelease(command.lock(), look.token());
                },
                answers -> {
                    if (answers.size() < members.majority) {
                        handler.accept(members.tooFew(true));
                        return;
                    }
                    boolean isReleased = answers.values().stream().anyMatch(Reply.Forced::released);
                    handler.accept(new Reply.Forced(
                            members.time(),
                            isReleased,
                            0,
                            null,
                            holder.map(Holder::request).orElse(null),
                            holder.map(Holder::token).orElse(0L)));
                });
    }

    /**
     * Searches one server after the other. A lock that is held is known to a majority, so as many servers as there are
     * beside a majority, and one more, are enough. All servers are asked about the locks that were found.
     */
    void scan(Query.ScanLocks scan, Consumer<Reply> handler) {
        if (scan.kind() != null && scan.kind() != LockKind.LOCK) {
            handler.accept(new QueryReply.ScannedLocks(members.time(), List.of(), ""));
            return;
        }
        ScanCursor cursor = ScanCursor.of(scan.cursor());
        QuorumNode node = next(cursor.server());
        if (node == null || usableBefore(node) > members.nodes.size() - members.majority) {
            handler.accept(new QueryReply.ScannedLocks(members.time(), List.of(), ""));
            return;
        }
        Query.ScanLocks question =
                new Query.ScanLocks(scan.pattern(), LockKind.LOCK, cursor.after(node.index), scan.count());
        gather(QueryReply.ScannedLocks.class, other -> other == node ? question : null, answers -> {
            QueryReply.ScannedLocks page = answers.get(node);
            if (page == null) {
                handler.accept(members.tooFew(false));
            } else {
                verify(page, ScanCursor.next(node.index, page.cursor()), handler);
            }
        });
    }

    private @Nullable QuorumNode next(int from) {
        for (int i = from; i < members.nodes.size(); i++) {
            if (members.nodes.get(i).isUsable()) {
                return members.nodes.get(i);
            }
        }
        return null;
    }

    private long usableBefore(QuorumNode node) {
        return members.nodes.stream()
                .filter(other -> other.index < node.index && other.isUsable())
                .count();
    }

    private void verify(QueryReply.ScannedLocks page, String cursor, Consumer<Reply> handler) {
        List<QueryReply.ScannedLocks.Lock> found = new ArrayList<>();
        int[] open = {page.locks().size()};
        if (open[0] == 0) {
            handler.accept(new QueryReply.ScannedLocks(members.time(), List.of(), cursor));
        }
        for (QueryReply.ScannedLocks.Lock lock : page.locks()) {
            inspect(new Query.Inspect(lock.name()), reply -> {
                if (reply instanceof Inspected inspected) {
                    inspected.summary(LockKind.LOCK, lock.name()).ifPresent(found::add);
                }
                open[0]--;
                if (open[0] == 0) {
                    handler.accept(new QueryReply.ScannedLocks(members.time(), found, cursor));
                }
            });
        }
    }

    // ================================================================ clients

    void announce(Announce announce, Consumer<Reply> handler) {
        announced.add(announce.nonce());
        if (announced.size() > ANNOUNCEMENTS) {
            announced.remove(announced.iterator().next());
        }
        last = announce;
        gather(Reply.Announced.class, node -> announce, answers -> {
            if (announce.equals(last)) {
                unaware.clear();
                unaware.addAll(members.nodes);
                unaware.removeAll(answers.keySet());
                List.copyOf(unaware).forEach(this::announceAt);
            }
            if (answers.size() < members.majority) {
                handler.accept(members.tooFew(true));
                return;
            }
            // a record of another client with this id counts, at whichever server it is
            String before = answers.values().stream()
                    .map(Reply.Announced::before)
                    .max(Comparator.comparing(nonce -> !nonce.isEmpty() && !announced.contains(nonce)))
                    .orElse("");
            handler.accept(new Reply.Announced(members.time(), before));
        });
    }

    /** Announces the client at a server that was down when the client was announced last, and can be used now. */
    void announceAt(QuorumNode node) {
        Announce missed = last;
        if (missed != null && node.isUsable() && unaware.remove(node)) {
            node.send(missed, PATIENCE, reply -> {}); // if it is lost, the next one comes soon enough
        }
    }

    void identify(Query.Identify look, Consumer<Reply> handler) {
        gather(QueryReply.Identified.class, node -> look, answers -> {
            Map<String, ClientRecord> known = new LinkedHashMap<>();
            answers.values()
                    .forEach(answer -> answer.clients().forEach(client -> known.putIfAbsent(client.id(), client)));
            List<ClientRecord> inOrder = look.clients().stream()
                    .map(known::get)
                    .filter(client -> client != null)
                    .toList();
            handler.accept(
                    answers.size() < members.majority
                            ? members.tooFew(false)
                            : new QueryReply.Identified(members.time(), inOrder));
        });
    }

    /** Searches the first server that answers: clients are announced at all of them. */
    void scanClients(Query.ScanClients scan, Consumer<Reply> handler) {
        QuorumNode node = next(0);
        if (node == null) {
            handler.accept(members.tooFew(false));
            return;
        }
        gather(QueryReply.ScannedClients.class, other -> other == node ? scan : null, answers -> {
            QueryReply.ScannedClients page = answers.get(node);
            handler.accept(
                    page == null
                            ? members.tooFew(false)
                            : new QueryReply.ScannedClients(members.time(), page.clients(), page.cursor()));
        });
    }
}
