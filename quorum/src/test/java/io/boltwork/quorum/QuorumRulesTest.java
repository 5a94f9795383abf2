// SPDX-License-Identifier: Apache-2.0
package io.boltwork.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.BackendException;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.VoteCommand;
import io.boltwork.spi.Witness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests single rules of a quorum, on servers whose answers the test gives. */
class QuorumRulesTest {

    private static final String LOCK = "stock";
    private static final String REQUEST = "c:1";
    private static final long LEASE = 1_000;
    private static final long TOKEN = 5_000_000;

    private long now;
    private long heldToken;
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final List<Server> servers = List.of(new Server(0), new Server(1), new Server(2));
    private final List<Grant> grants = new ArrayList<>();
    private final LockBackend quorum = quorum();

    private LockBackend quorum() {
        return QuorumBackend.of(
                List.copyOf(servers),
                QuorumOptions.defaults(),
                new QuorumWorld(
                        () -> now,
                        (task, delay) -> {
                            Timer timer = new Timer(now + delay, timers.size(), task);
                            timers.add(timer);
                            return timer;
                        },
                        bound -> 0,
                        Runnable::run,
                        0,
                        defect -> {
                            throw new AssertionError(defect);
                        },
                        () -> {}));
    }

    QuorumRulesTest() {
        open(quorum);
    }

    private void open(LockBackend opened) {
        opened.open("c", new BackendListener() {
            @Override
            public void granted(Grant grant) {
                grants.add(grant);
            }

            @Override
            public void connected(ServerTime server) {}

            @Override
            public void disconnected(Throwable cause) {}
        });
    }

    private static final class Timer extends CompletableFuture<Void> implements Comparable<Timer> {
        final long at;
        private final int number;
        final Runnable task;

        Timer(long at, int number, Runnable task) {
            this.at = at;
            this.number = number;
            this.task = task;
        }

        @Override
        public int compareTo(Timer other) {
            return at == other.at ? Integer.compare(number, other.number) : Long.compare(at, other.at);
        }
    }

    /** A server that has been up for long, and answers when the test says so. */
    private final class Server implements LockBackend {
        final int number;
        final List<Sent> open = new ArrayList<>();
        final List<Command<?>> sent = new ArrayList<>();

        boolean isDown;

        /** The id of the client, or {@code null} before it is opened. */
        @Nullable
        String id;

        /** Set if the server does not report its uptime. */
        boolean isSilent;

        long watchedMillis = Duration.ofDays(1).toMillis();

        @Nullable
        BackendListener told;

        record Sent(Command<?> command, Consumer<Reply> handler) {}

        private String run = "run-";

        Server(int number) {
            this.number = number;
        }

        @Override
        public void open(String client, BackendListener listener) {
            if (isDown) {
                throw new BackendException("down", true, null);
            }
            id = client;
            told = listener;
            listener.connected(time());
        }

        ServerTime time() {
            return new ServerTime(TimeUnit.NANOSECONDS.toMillis(now), run + number);
        }

        @Override
        public void send(Command<?> command, Consumer<Reply> handler) {
            if (command instanceof Witness && !isSilent) {
                handler.accept(new Reply.Witnessed(time(), watchedMillis, 0, false));
            }
            if (command instanceof Witness) {
                return;
            }
            sent.add(command);
            open.add(new Sent(command, handler));
        }

        /** Answers the oldest command that is open. */
        void answer(Reply reply) {
            open.remove(0).handler().accept(reply);
        }

        void votes() {
            answer(new Acquired(time(), Verdict.GRANTED, TOKEN + number, 0, 0, false, REQUEST + ".1"));
        }

        void refuses() {
            answer(new Acquired(time(), Verdict.REFUSED, 0, LEASE, 0, false, "other:1.1"));
        }

        void raises() {
            answer(new Reply.Raised(time(), true));
        }

        void renews(Reply.Renewal outcome) {
            answer(new Reply.Renewed(time(), List.of(new Reply.Renewed.Item(outcome, null))));
        }

        /** Connects again: to the same run of the server, or to another one. */
        void connects(String newRun) {
            run = newRun;
            BackendListener listener = told;
            assertThat(listener).isNotNull();
            listener.connected(time());
        }

        Command<?> last() {
            return sent.get(sent.size() - 1);
        }

        <C> long count(Class<C> kind) {
            return sent.stream().filter(kind::isInstance).count();
        }

        @Override
        public void rename(String client) {
            if (id == null) {
                throw new IllegalStateException("The backend has not been opened");
            }
            id = client;
        }

        @Override
        public Duration commandTimeout() {
            return Duration.ofSeconds(2);
        }

        @Override
        public void close() {}
    }

    /** Lets time pass, and what is due happen. */
    private void pass(long millis) {
        long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
        for (Timer next; (next = timers.peek()) != null && next.at <= end; ) {
            timers.remove();
            now = Math.max(now, next.at);
            if (!next.isCancelled()) {
                next.task.run();
            }
        }
        now = end;
    }

    private List<Acquired> ask(long leaseMillis) {
        List<Acquired> answers = new ArrayList<>();
        Command.Acquire acquire = new Command.Acquire(LOCK, REQUEST, true, leaseMillis, 0, Long.MAX_VALUE);
        quorum.send(acquire, reply -> answers.add((Acquired) reply));
        return answers;
    }

    @Test
    void aMajorityOfVotesAndOfRaisedFencesIsAHold() {
        List<Acquired> answers = ask(LEASE);
        servers.get(0).votes();
        servers.get(2).votes();
        assertThat(servers.get(0).sent)
                .last()
                .isEqualTo(new VoteCommand.Raise(LOCK, REQUEST + ".1", TOKEN, TOKEN + 2 + 999));
        servers.get(0).raises();
        assertThat(answers).isEmpty();
        servers.get(2).raises();
        assertThat(answers).singleElement().satisfies(answer -> {
            assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
            assertThat(answer.token()).as("the largest token of the votes").isEqualTo(TOKEN + 2);
        });
    }

    @Test
    void aQuestionThatComesDuringTheRoundIsNotAnsweredWithTheWholeLease() {
        List<Acquired> early = ask(LEASE);
        pass(10);
        List<Acquired> late = ask(LEASE);
        servers.forEach(Server::votes);
        servers.forEach(Server::raises);
        assertThat(early).extracting(Acquired::verdict).containsExactly(Verdict.GRANTED);
        assertThat(late).extracting(Acquired::verdict).containsExactly(Verdict.QUEUED);
    }

    @Test
    void theLeaseOfAGrantByMessageCountsFromTheBeginningOfItsRound() {
        List<Acquired> answers = ask(LEASE);
        servers.forEach(Server::refuses);
        assertThat(answers).extracting(Acquired::verdict).containsExactly(Verdict.QUEUED);
        pass(100);
        servers.forEach(server -> {
            BackendListener told = server.told;
            assertThat(told).isNotNull();
            told.freed(new LockFreed(LOCK, server.time()));
        });
        long begun = TimeUnit.NANOSECONDS.toMillis(now);
        pass(20);
        servers.forEach(Server::votes);
        pass(20);
        servers.forEach(Server::raises);
        long ahead = answers.get(0).server().millis(); // the quorum's clock at time 0
        assertThat(grants)
                .singleElement()
                .satisfies(grant -> assertThat(grant.server().millis() - ahead).isEqualTo(begun));
    }

    @Test
    void aRoundIsNotWonAfterItsLease() {
        List<Acquired> answers = ask(LEASE);
        servers.forEach(Server::votes);
        servers.get(0).raises();
        now += TimeUnit.MILLISECONDS.toNanos(LEASE); // a pause of the client, in which the answers arrive
        servers.get(1).raises();
        assertThat(answers).extracting(Acquired::verdict).doesNotContain(Verdict.GRANTED);
        assertThat(grants).isEmpty();
        assertThat(servers.get(0).count(VoteCommand.GiveBack.class)).isEqualTo(1);
    }

    @Test
    void aVoteThatComesLateIsRaisedToo() {
        ask(LEASE);
        servers.get(0).votes();
        servers.get(1).votes();
        servers.get(0).raises();
        servers.get(1).raises();
        pass(100);
        servers.get(2).votes();
        assertThat(servers.get(2).count(VoteCommand.Raise.class)).isEqualTo(1);
    }

    // ================================================================ extending

    private void hold(Server... voters) {
        heldToken = TOKEN + Math.max(voters[0].number, voters[1].number); // two are a majority
        ask(LEASE);
        for (Server voter : voters) {
            voter.votes();
        }
        for (Server voter : voters) {
            voter.raises();
        }
    }

    private List<Reply.Renewal> renew() {
        List<Reply.Renewal> outcomes = new ArrayList<>();
        Command.Renew.Item item = new Command.Renew.Item(LOCK, REQUEST, heldToken, LEASE, 0);
        quorum.send(
                new Command.Renew(List.of(item), Long.MAX_VALUE),
                reply -> outcomes.add(((Reply.Renewed) reply).items().get(0).outcome()));
        return outcomes;
    }

    @Test
    void aVoteThatAMinorityHasLostIsRestored() {
        hold(servers.get(0), servers.get(1), servers.get(2));
        List<Reply.Renewal> outcomes = renew();
        servers.get(0).renews(Reply.Renewal.FORGOTTEN);
        servers.get(1).renews(Reply.Renewal.OK);
        assertThat(outcomes).isEmpty();
        servers.get(2).renews(Reply.Renewal.OK);
        assertThat(outcomes).containsExactly(Reply.Renewal.OK);
        assertThat(servers.get(0).last()).isInstanceOf(Command.Restore.class);
    }

    @Test
    void aVoteOfAHoldThatHasBeenReleasedMeanwhileIsNotRestored() {
        hold(servers.get(0), servers.get(1), servers.get(2));
        List<Reply.Renewal> outcomes = renew();
        servers.get(1).renews(Reply.Renewal.OK);
        servers.get(2).renews(Reply.Renewal.OK);
        assertThat(outcomes).containsExactly(Reply.Renewal.OK);
        quorum.send(
                new Command.Release(LOCK, REQUEST, heldToken, heldToken, 0, null, HeldShare.WHOLE, List.of()),
                reply -> {});
        servers.get(0).renews(Reply.Renewal.FORGOTTEN);
        assertThat(servers.get(0).count(Command.Restore.class)).isZero();
    }

    @Test
    void votesThatAMajorityHasLostDoNotCountBeforeTheyAreRestoredAndRaised() {
        hold(servers.get(0), servers.get(1), servers.get(2));
        List<Reply.Renewal> outcomes = renew();
        servers.get(0).renews(Reply.Renewal.OK);
        servers.get(1).renews(Reply.Renewal.FORGOTTEN);
        servers.get(2).renews(Reply.Renewal.FORGOTTEN);
        assertThat(outcomes).containsExactly(Reply.Renewal.FORGOTTEN);

        List<Reply> restored = new ArrayList<>();
        quorum.send(new Command.Restore(LOCK, REQUEST, heldToken, LEASE, 0, Long.MAX_VALUE), restored::add);
        servers.get(0).renews(Reply.Renewal.OK);
        servers.get(1).renews(Reply.Renewal.FORGOTTEN);
        servers.get(1).answer(new Reply.Restored(servers.get(1).time(), Reply.Renewal.OK, null));
        assertThat(restored).as("before the fence is raised").isEmpty();
        servers.get(1).raises();
        assertThat(restored).singleElement().isInstanceOf(Reply.Restored.class);
    }

    @Test
    void aLateVoteDoesNotCountBeforeItsFenceIsRaised() {
        hold(servers.get(2), servers.get(1));
        servers.get(0).votes();
        servers.get(0).open.clear(); // the answer to the raise is lost
        List<Reply.Renewal> outcomes = renew();
        servers.get(2).renews(Reply.Renewal.OK);
        servers.get(0).renews(Reply.Renewal.OK);
        assertThat(outcomes).isEmpty();
        servers.get(0).raises();
        assertThat(outcomes).containsExactly(Reply.Renewal.OK);
    }

    @Test
    void aRenewalThatComesTooLateIsSentAgainAtOnce() {
        hold(servers.get(0), servers.get(1), servers.get(2));
        renew();
        servers.get(0).renews(Reply.Renewal.STALE);
        assertThat(servers.get(0).count(Command.Renew.class)).isEqualTo(2);
    }

    @Test
    void aRequestThatHasLostItsHoldHearsThatTheLockIsFree() {
        hold(servers.get(0), servers.get(1), servers.get(2));
        ask(LEASE);
        servers.forEach(server -> server.renews(Reply.Renewal.LOST));
        servers.forEach(server -> {
            server.answer(new Reply.Released(server.time(), Reply.Release.NOT_HELD, null, 0, null));
            server.refuses();
        });
        assertThat(servers.get(0).count(VoteCommand.Vote.class)).isEqualTo(2);
        servers.forEach(server -> {
            BackendListener listener = server.told;
            assertThat(listener).isNotNull();
            listener.freed(new LockFreed(LOCK, server.time()));
        });
        pass(20);
        assertThat(servers.get(0).count(VoteCommand.Vote.class)).isEqualTo(3);
    }

    @Test
    void aRequestThatIsWithdrawnWhileItIsExtendedDoesNotAskAgain() {
        hold(servers.get(0), servers.get(1), servers.get(2));
        List<Acquired> answers = ask(LEASE);
        quorum.send(new Command.Withdraw(LOCK, REQUEST, 0), reply -> {});
        servers.forEach(server -> server.renews(Reply.Renewal.LOST));
        assertThat(answers).extracting(Acquired::verdict).containsExactly(Verdict.STALE);
        assertThat(servers.get(0).count(VoteCommand.Vote.class)).isEqualTo(1);
    }

    // ================================================================ giving back

    @Test
    void aVoteIsGivenBackAgainWhenItsQuestionCanNoLongerBeExecuted() {
        ask(LEASE);
        servers.get(0).answer(new Reply.Failed(true, new BackendException("broken", true, null)));
        servers.get(1).refuses();
        servers.get(2).refuses();
        Server server = servers.get(0);
        assertThat(server.count(VoteCommand.GiveBack.class)).isEqualTo(1);
        server.answer(new Reply.Released(server.time(), Reply.Release.NOT_HELD, null, 0, null));
        pass(Members.effectMillis(LEASE) + 1);
        assertThat(server.count(VoteCommand.GiveBack.class)).isEqualTo(2);
    }

    @Test
    void aLostRoundThatHasRaisedFencesNamesTheTokenBeforeItsBlock() {
        ask(LEASE);
        servers.get(0).votes();
        servers.get(2).votes();
        servers.get(1).refuses();
        servers.get(0).answer(new Reply.Raised(servers.get(0).time(), false));
        assertThat(servers.get(2).last()).isInstanceOfSatisfying(VoteCommand.GiveBack.class, back -> {
            assertThat(back.blockEnd()).isEqualTo(TOKEN + 2 + 999);
            assertThat(back.lastToken()).as("at least its own first token").isEqualTo(TOKEN + 2);
        });
        assertThat(servers.get(0).sent)
                .filteredOn(VoteCommand.GiveBack.class::isInstance)
                .singleElement()
                .satisfies(back ->
                        assertThat(((VoteCommand.GiveBack) back).lastToken()).isEqualTo(TOKEN + 1));
    }

    // ================================================================ a new id

    @Test
    void aRequestOfAnIdThatTheClientHadBeginsNoRound() {
        ask(LEASE);
        servers.forEach(Server::refuses); // the request waits for the next round
        quorum.rename("d");
        pass(10 * LEASE);
        assertThat(servers)
                .allSatisfy(server ->
                        assertThat(server.count(VoteCommand.Vote.class)).isEqualTo(1));
    }

    @Test
    void aRoundThatIsUnderWayWhenTheClientGetsANewIdIsNotGivenBack() {
        ask(LEASE);
        servers.get(0).votes();
        quorum.rename("d");
        servers.get(1).refuses();
        servers.get(2).refuses();
        pass(10 * LEASE);
        assertThat(servers).allSatisfy(server -> {
            assertThat(server.count(VoteCommand.Vote.class)).isEqualTo(1);
            assertThat(server.count(VoteCommand.GiveBack.class)).isZero();
        });
    }

    // ================================================================ opening

    @Test
    void aServerThatWasDownIsOpenedLaterWithTheIdThatTheClientHasByThen() {
        Server late = servers.get(0);
        late.isDown = true;
        late.id = null;
        LockBackend another = quorum();
        open(another);
        another.rename("d");
        assertThat(servers.get(1).id).isEqualTo("d");
        late.isDown = false;
        pass(1_000);
        assertThat(late.id).isEqualTo("d");
    }

    @Test
    void aServerThatComesUpLaterLearnsOfTheClient() {
        Server late = servers.get(0);
        late.isDown = true;
        late.id = null;
        LockBackend another = quorum();
        open(another);
        ClientRecord card = new ClientRecord("c", "shop", "host", 1, 1, 1);
        another.send(new Announce(card, 60_000, "nonce"), reply -> {});
        assertThat(late.count(Announce.class)).isZero();
        servers.subList(1, servers.size()).forEach(server -> server.answer(new Reply.Announced(server.time(), "")));
        late.isDown = false;
        pass(1_000);
        assertThat(late.count(Announce.class)).isEqualTo(1);
        late.connects("run-");
        assertThat(late.count(Announce.class)).as("it knows the client").isEqualTo(1);
        assertThat(servers.get(1).count(Announce.class)).isEqualTo(1);
    }

    // ================================================================ quarantine

    @Test
    void aServerThatHasStartedVotesAfterTheLongestLease() {
        Server started = servers.get(0);
        started.watchedMillis = 0;
        started.connects("another-");
        pass(QuorumOptions.defaults().longestLease().toMillis());
        ask(LEASE);
        assertThat(started.count(VoteCommand.Vote.class)).isZero();
        servers.get(1).refuses();
        servers.get(2).refuses();
        pass(QuorumOptions.defaults().longestLease().toMillis() / 20);
        ask(LEASE);
        assertThat(started.count(VoteCommand.Vote.class)).isPositive();
    }

    @Test
    void aServerIsAskedHowLongItHasBeenUpWheneverItIsConnected() {
        Server silent = servers.get(0);
        silent.isSilent = true;
        silent.connects("run-");
        ask(LEASE);
        assertThat(silent.count(VoteCommand.Vote.class)).isZero();
        assertThat(servers.get(1).count(VoteCommand.Vote.class)).isEqualTo(1);
    }
}
