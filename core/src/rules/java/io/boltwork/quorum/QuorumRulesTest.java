package io.boltwork.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Freed;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
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
    private final PriorityQueue<Timer> timers = new PriorityQueue<>();
    private final List<Server> servers = List.of(new Server(0), new Server(1), new Server(2));
    private final List<Grant> grants = new ArrayList<>();
    private final LockBackend quorum = QuorumBackend.of(
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

    QuorumRulesTest() {
        quorum.open("c", new BackendListener() {
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

        @Nullable
        BackendListener told;

        record Sent(Command<?> command, Consumer<Reply> handler) {}

        Server(int number) {
            this.number = number;
        }

        @Override
        public void open(String client, BackendListener listener) {
            told = listener;
            listener.connected(time());
        }

        ServerTime time() {
            return new ServerTime(TimeUnit.NANOSECONDS.toMillis(now), "run-" + number);
        }

        @Override
        public void send(Command<?> command, Consumer<Reply> handler) {
            if (command instanceof Witness) {
                handler.accept(new Reply.Witnessed(time(), Duration.ofDays(1).toMillis(), 0, false));
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

        <C> long count(Class<C> kind) {
            return sent.stream().filter(kind::isInstance).count();
        }

        @Override
        public void rename(String client) {}

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
            told.freed(new Freed(LOCK, server.time()));
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
}
