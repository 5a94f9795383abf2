package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Inspected;
import io.boltwork.spi.ServerTime;
import io.boltwork.testkit.RedisServer;
import io.boltwork.testkit.Slack;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One random sequence of commands, executed by a real Redis and by a {@link MemoryServer}, which must agree on every
 * answer, every grant and on how the locks look after every step.
 *
 * <p>The memory server's clock follows Redis': before each step it is set to the millisecond that Redis answered. Within
 * this millisecond it is set to the microsecond of the owner's token at Redis, if that token is of this millisecond,
 * since only a new token tells the microsecond. Any other new token must be the fence's successor, and the memory
 * server finds it by itself. So no token of Redis is believed that is below its millisecond, or not above its fence.
 */
final class DifferentialRun implements AutoCloseable {
    private static final int TRACE = 40;
    private static final ServerTime NO_TIME = new ServerTime(0, "");

    private final RedisServer redis;
    private final KeySpace keySpace = new KeySpace("boltwork");
    private final DifferentialCommands commands;
    private final Map<String, Integer> counts;
    private final Map<String, Listener> listeners = new HashMap<>();
    private final List<LockBackend> backends = new ArrayList<>();
    private final ArrayDeque<String> trace = new ArrayDeque<>();
    private final MemoryServer memory = MemoryServer.create(() -> Instant.EPOCH.plus(this.micros, ChronoUnit.MICROS));
    private long micros;

    /** The grants of one client by Redis, and those that memory has made and that Redis' must equal. */
    private static final class Listener implements BackendListener {
        final BlockingQueue<Grant> actual = new LinkedBlockingQueue<>();
        final ArrayDeque<Grant> expected = new ArrayDeque<>();

        @Override
        public void granted(Grant grant) {
            actual.add(grant);
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    /**
     * A sequence on an empty server.
     *
     * @param counts how often each kind of answer was seen, to be added to
     */
    DifferentialRun(RedisServer redis, long seed, Map<String, Integer> counts) {
        this.redis = redis;
        this.counts = counts;
        commands = new DifferentialCommands(seed);
        redis.command("FLUSHALL");
        for (String client : DifferentialCommands.CLIENTS.subList(0, DifferentialCommands.CLIENTS.size() - 1)) {
            Listener listener = new Listener();
            LockBackend backend = RedisBackend.connect(redis.uri());
            backends.add(backend);
            backend.open(client, listener);
            memory.subscribe(client, listener.expected::add);
            listeners.put(client, listener);
        }
    }

    void execute(int steps) throws Exception {
        for (int i = 0; i < steps; i++) {
            String fault = fault();
            Command command = commands.next();
            trace.add(i + fault + " " + command);
            if (trace.size() > TRACE) {
                trace.remove();
            }
            step(command);
        }
        noOtherGrants();
    }

    @Override
    public String toString() {
        return String.join("\n", trace);
    }

    @Override
    public void close() {
        backends.forEach(LockBackend::close);
    }

    private String fault() throws InterruptedException {
        if (commands.oneIn(100)) {
            redis.command("FLUSHALL");
            memory.flush();
            return " after FLUSHALL";
        } else if (commands.oneIn(30)) {
            String lock = commands.lock();
            redis.command("DEL", keySpace.key(lock));
            memory.delete(lock);
            return " after DEL " + lock;
        } else if (commands.oneIn(100)) {
            redis.command("SCRIPT", "FLUSH");
            return " after SCRIPT FLUSH";
        } else if (commands.oneIn(5)) {
            TimeUnit.MILLISECONDS.sleep(3); // lets leases lapse
            return " after a pause";
        }
        return "";
    }

    private void step(Command command) throws Exception {
        Reply actual = send(command);
        assertThat(actual).isInstanceOf(Reply.Answer.class);
        long millis = ((Reply.Answer) actual).server().millis();
        List<Inspected> snapshots = new ArrayList<>();
        micros = millis * 1_000;
        for (String lock : locks(command)) {
            Inspected snapshot = (Inspected) send(new Command.Inspect(lock));
            snapshots.add(snapshot);
            commands.saw(lock, snapshot);
            if (snapshot.token() / 1_000 == millis) {
                micros = snapshot.token();
            }
        }
        Reply expected = memory.execute(command);
        assertThat(timeless(actual)).isEqualTo(timeless(expected));
        assertThat(((Reply.Answer) expected).server().millis()).isEqualTo(millis);
        int i = 0;
        for (String lock : locks(command)) {
            Inspected snapshot = (Inspected) memory.execute(new Command.Inspect(lock));
            assertThat(timeless(snapshots.get(i++))).as("the lock %s", lock).isEqualTo(timeless(snapshot));
        }
        for (Listener listener : listeners.values()) {
            compareGrants(listener);
        }
        learn(command, expected);
        count(command, expected);
    }

    private Reply send(Command command) throws Exception {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        backends.get(0).send(command, reply::complete);
        return reply.get(Slack.seconds(5).toMillis(), TimeUnit.MILLISECONDS);
    }

    private void compareGrants(Listener listener) throws InterruptedException {
        for (Grant expected = listener.expected.poll(); expected != null; expected = listener.expected.poll()) {
            Grant actual = listener.actual.poll(Slack.seconds(5).toMillis(), TimeUnit.MILLISECONDS);
            assertThat(actual).as("the grant %s", expected).isNotNull();
            assertThat(actual.server().millis()).isEqualTo(expected.server().millis());
            assertThat(timeless(actual)).isEqualTo(timeless(expected));
            commands.saw(actual);
            seen("Grant");
        }
    }

    /** Makes one last grant to each: what came before it would have been another. */
    private void noOtherGrants() throws Exception {
        for (String client : listeners.keySet()) {
            String lock = "the last one of " + client;
            step(new Command.Acquire(lock, "ghost:0", true, 60_000, 0, Long.MAX_VALUE));
            step(new Command.Acquire(lock, client + ":0", true, 60_000, 0, Long.MAX_VALUE));
            step(new Command.Withdraw(lock, "ghost:0", 0));
        }
        assertThat(listeners.values())
                .allSatisfy(listener ->
                        assertThat(listener.actual).as("grants by Redis alone").isEmpty());
    }

    private void learn(Command command, Reply reply) {
        if (command instanceof Command.Acquire acquire) {
            commands.saw(acquire.request(), (Acquired) reply);
        } else if (command instanceof Command.Release release && release.next() != null) {
            commands.saw(release.next().request(), ((Reply.Released) reply).next());
        }
    }

    private void count(Command command, Reply reply) {
        if (reply instanceof Acquired acquired) {
            seen("Acquired " + acquired.verdict() + (acquired.known() ? " known" : " unknown"));
            if (acquired.position() > 3) {
                seen("Acquired a place far behind");
            }
        } else if (reply instanceof Reply.Released released) {
            seen("Released " + released.outcome());
            seen("Released " + (released.claimMillis() > 0 ? "claim" : "no claim"));
            if (((Command.Release) command).next() != null) {
                Acquired next = released.next();
                seen("Next " + (next == null ? "none" : next.verdict()));
            }
        } else if (reply instanceof Reply.Withdrawn withdrawn) {
            seen("Withdrawn " + (withdrawn.known() ? "known" : "unknown"));
            seen("Withdrawn " + (withdrawn.claimMillis() > 0 ? "claim" : "no claim"));
        } else if (reply instanceof Reply.Renewed renewed) {
            renewed.items().forEach(item -> seen("Renewed " + item.outcome()));
        } else if (reply instanceof Reply.Restored restored) {
            seen("Restored " + restored.outcome());
        }
    }

    private void seen(String what) {
        counts.merge(what, 1, Integer::sum);
    }

    private static List<String> locks(Command command) {
        if (command instanceof Command.Renew renew) {
            return renew.items().stream().map(Command.Renew.Item::lock).toList();
        } else if (command instanceof Command.Acquire acquire) {
            return List.of(acquire.lock());
        } else if (command instanceof Command.Release release) {
            return List.of(release.lock());
        } else if (command instanceof Command.Withdraw withdraw) {
            return List.of(withdraw.lock());
        } else if (command instanceof Command.Restore restore) {
            return List.of(restore.lock());
        }
        throw new IllegalArgumentException(command.toString());
    }

    /** An answer without when and where, which are compared apart. */
    private static Reply timeless(Reply reply) {
        if (reply instanceof Acquired acquired) {
            return timeless(acquired);
        } else if (reply instanceof Reply.Released released) {
            Acquired next = released.next() == null ? null : timeless(released.next());
            return new Reply.Released(NO_TIME, released.outcome(), next, released.claimMillis(), released.owner());
        } else if (reply instanceof Reply.Withdrawn withdrawn) {
            return new Reply.Withdrawn(NO_TIME, withdrawn.known(), withdrawn.claimMillis(), withdrawn.owner());
        } else if (reply instanceof Reply.Renewed renewed) {
            return new Reply.Renewed(NO_TIME, renewed.items());
        } else if (reply instanceof Reply.Restored restored) {
            return new Reply.Restored(NO_TIME, restored.outcome(), restored.owner());
        } else if (reply instanceof Inspected is) {
            return new Inspected(NO_TIME, is.owner(), is.token(), is.untilMillis(), is.claim(), is.fence(), is.queue());
        }
        return reply;
    }

    private static Acquired timeless(Acquired acquired) {
        return new Acquired(
                NO_TIME,
                acquired.verdict(),
                acquired.token(),
                acquired.remainingMillis(),
                acquired.position(),
                acquired.known(),
                acquired.owner());
    }

    private static Grant timeless(Grant grant) {
        return new Grant(grant.lock(), grant.request(), grant.token(), grant.leaseMillis(), NO_TIME);
    }
}
