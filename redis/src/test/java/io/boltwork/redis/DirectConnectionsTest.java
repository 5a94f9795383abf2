// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.BackendException;
import io.boltwork.FencedLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.LockSummary;
import io.boltwork.redis.address.Errors;
import io.boltwork.redis.address.Login;
import io.boltwork.redis.call.DirectConnection;
import io.boltwork.redis.call.DirectConnections;
import io.boltwork.redis.call.Redirector;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.CallerRun;
import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.fault.FaultyLink.Kind;
import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Callers that execute their commands over connections of their own, on a real server and over a faulty link. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DirectConnectionsTest {
    private static RedisServer redis;

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> redis);

    @BeforeAll
    static void start() {
        redis = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    private LockClient client(String uri, RedisOptions options) {
        return nothing.closing(LockClient.create(RedisBackend.connect(uri, options)));
    }

    private LockClient client(FaultyLink link) {
        return client(link.uri() + "?timeout=1000ms", RedisOptions.defaults());
    }

    /** Uses a lock so often that its caller gets a connection. */
    private static FencedLock warm(LockClient client) {
        FencedLock lock = client.lock("direct", LockOptions.renewedLease(Duration.ofSeconds(3)));
        for (int i = 0; i < 100; i++) {
            lock.lock();
            lock.unlock();
        }
        return lock;
    }

    private static int connections() {
        return (int) (String.valueOf(redis.command("CLIENT", "LIST", "TYPE", "normal"))
                        .lines()
                        .count()
                + String.valueOf(redis.command("CLIENT", "LIST", "TYPE", "pubsub"))
                        .lines()
                        .count());
    }

    @Test
    void aLoneThreadGetsAConnectionAndSendsTheSameCommands() {
        int before = connections();
        FencedLock lock = warm(client(redis.uri(), RedisOptions.defaults()));
        assertThat(connections() - before).as("commands, messages, caller").isEqualTo(3);
        CommandStats.reset(redis);
        for (int i = 0; i < 100; i++) {
            lock.lock();
            lock.unlock();
        }
        assertThat(CommandStats.of(redis).requests()).isEqualTo(200);
    }

    @Test
    void thereAreNoneWithoutThem() {
        int before = connections();
        warm(client(redis.uri(), RedisOptions.defaults().withDirectConnections(0)));
        assertThat(connections() - before).isEqualTo(2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisOptions.defaults().withDirectConnections(9))
                .withMessage("directConnections must be between 0 and 8, but is 9");
        assertThat(RedisOptions.defaults().directConnections()).isEqualTo(2);
    }

    @Test
    void callersShareTheConnectionsThatThereAre() {
        int before = connections();
        LockClient client = client(redis.uri(), RedisOptions.defaults().withDirectConnections(1));
        warm(client);
        List<Task<Integer>> callers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            FencedLock lock = client.lock("shared:" + i);
            callers.add(Task.start("caller " + i, () -> {
                for (int times = 0; times < 300; times++) {
                    lock.lock();
                    lock.unlock();
                }
                return 300;
            }));
        }
        assertThat(callers).allSatisfy(caller -> assertThat(caller.get()).isEqualTo(300));
        assertThat(connections() - before).isEqualTo(3);
    }

    /** An I/O thread may have to read other connections, and an interrupt closes the socket of a virtual thread. */
    @Test
    void threadsOfNettyAndInterruptedThreadsGetNone() throws Exception {
        int before = connections();
        LockClient client = client(redis.uri(), RedisOptions.defaults());
        DefaultEventExecutor netty = new DefaultEventExecutor();
        try {
            assertThat(netty.submit(() -> warm(client))
                            .get(60, TimeUnit.SECONDS)
                            .tryLock())
                    .isTrue();
        } finally {
            netty.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
        FencedLock lock = client.lock("interrupted");
        Thread.currentThread().interrupt();
        for (int i = 0; i < 200; i++) {
            assertThat(lock.tryLock()).isTrue();
            lock.unlock();
        }
        assertThat(Thread.interrupted()).isTrue();
        assertThat(connections() - before).isEqualTo(2);
    }

    @Test
    void aCallerInAHurryOpensNone() throws Exception {
        int before = connections();
        LockClient client = client(redis.uri() + "?timeout=10s", RedisOptions.defaults());
        for (int i = 0; i < 200; i++) {
            assertThat(client.lock("hurry:" + i).tryLock(4, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(connections() - before).isEqualTo(2);
        client.lock("patient").lock();
        assertThat(connections() - before).isEqualTo(3);
    }

    @Test
    void aConnectionThatCannotBeMadeIsNotMissed() {
        int before = connections();
        redis.command("ACL", "SETUSER", "caller", "on", ">p", "~*", "&*", "+@all");
        LockClient client = client("redis://caller:p@127.0.0.1:" + redis.port(), RedisOptions.defaults());
        redis.command("ACL", "SETUSER", "caller", "<p");
        warm(client);
        warm(client);
        assertThat(connections() - before).isEqualTo(2);
    }

    @Test
    void anAnswerThatIsNoneOfRedisEndsTheConnection() throws Exception {
        RespProxy proxy = nothing.closing(new RespProxy(redis));
        LockClient client = client(proxy.uri(), RedisOptions.defaults());
        FencedLock lock = warm(client);
        proxy.change(value -> value.isLockAnswer() ? new RespProxy.Value('?', "what", null, List.of()) : value);
        assertThatExceptionOfType(BackendException.class).isThrownBy(lock::tryLock);
        proxy.change(UnaryOperator.identity());
        Optional<Lease> lease = lock.tryAcquire(Duration.ofSeconds(20));
        assertThat(lease).isPresent();
        lease.get().release();
    }

    /** A master that was frozen executes what waits in all of its sockets, although it may have been replaced. */
    @Test
    void anAnswerAfterASilenceWaitsForTheConfirmation() throws Exception {
        CompletableFuture<Boolean> confirmation = new CompletableFuture<>();
        List<Reply> replies = new CopyOnWriteArrayList<>();
        try (Socket socket = new Socket(redis.host(), redis.port())) {
            ServerConnection connection = new ServerConnection(
                    null,
                    Login.fixed(new RedisURI()),
                    "here",
                    "run",
                    false,
                    Redirector.NONE,
                    new KeySpace("boltwork"),
                    new Errors("Redis", false),
                    List.of(),
                    () -> confirmation,
                    Runnable::run,
                    new DirectConnections(
                            nanos -> new DirectConnection(socket, Login.fixed(new RedisURI())),
                            1,
                            TimeUnit.MINUTES.toNanos(1)));
            Command.Acquire acquire = new Command.Acquire("guarded", "a:1", true, 1_000, 0, Long.MAX_VALUE);
            CallerRun run = null;
            while (run == null) {
                run = connection.offer(() -> ScriptCall.of(connection, acquire, replies::add));
            }
            redis.command("CLIENT", "PAUSE", "1500", "ALL");
            run.run(() -> Long.MAX_VALUE);
            assertThat(replies).isEmpty();
            confirmation.complete(true);
            assertThat(replies).singleElement().isInstanceOf(Reply.Acquired.class);
        }
    }

    @Test
    void aRunEndsWithTheConnectionForCommands() {
        LockClient client = client(redis.uri() + "?timeout=60s", RedisOptions.defaults());
        FencedLock lock = warm(client);
        redis.command("CLIENT", "PAUSE", "60000", "WRITE");
        try {
            Thread[] caller = new Thread[1];
            Task<Boolean> locked = Task.start("locked", () -> {
                caller[0] = Thread.currentThread();
                lock.lock();
                lock.unlock();
                return true;
            });
            Await.until("the caller reads", () -> caller[0] != null && isReading(caller[0]));
            Await.until("the other connection is found by its pings", () -> killedByLastCommand("info") == 1);
            Await.until("the caller has left", () -> !isReading(caller[0]));
            redis.command("CLIENT", "UNPAUSE");
            assertThat(locked.get()).isTrue();
        } finally {
            redis.command("CLIENT", "UNPAUSE");
        }
    }

    /** Kills the connections whose last command is that one. Returns their number. */
    private static int killedByLastCommand(String command) {
        List<String> lines = String.valueOf(redis.command("CLIENT", "LIST", "TYPE", "normal"))
                .lines()
                .filter(line -> line.contains(" cmd=" + command + " "))
                .toList();
        lines.forEach(line -> redis.command("CLIENT", "KILL", "ID", line.replaceAll("^id=(\\d+) .*", "$1")));
        return lines.size();
    }

    @Test
    void aSilentServerIsNoticedAfterTheCommandTimeout() throws Exception {
        FaultyLink link = nothing.closing(FaultyLink.to(redis));
        LockClient client = client(link);
        FencedLock lock = warm(client);
        var silence = nothing.closing(link.halfOpen(Kind.ALL));
        silence.inject();
        long start = System.nanoTime();
        assertThatExceptionOfType(BackendException.class).isThrownBy(() -> lock.tryLock());
        assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(900));
        silence.heal();
        Optional<Lease> lease = lock.tryAcquire(Duration.ofSeconds(20));
        assertThat(lease).isPresent();
        lease.get().release();
    }

    @Test
    void aCallerWhoseConnectionBreaksGoesOn() throws Exception {
        FaultyLink link = nothing.closing(FaultyLink.to(redis));
        LockClient client = client(link);
        FencedLock lock = warm(client);
        for (int i = 0; i < 10; i++) {
            link.cut(Kind.ALL).inject();
            Optional<Lease> lease = lock.tryAcquire(Duration.ofSeconds(20));
            assertThat(lease).isPresent();
            lease.get().release();
        }
        LockClient other = client(redis.uri(), RedisOptions.defaults());
        Await.until("nothing is left of the lock", () -> {
            var seen = other.inspector().describe("direct");
            return seen.queue().isEmpty() && seen.state() == LockSummary.State.FREE;
        });
    }

    @Test
    void anInterruptEndsARunOnASilentServer() throws Exception {
        FaultyLink link = nothing.closing(FaultyLink.to(redis));
        LockClient client = client(link.uri() + "?timeout=30s", RedisOptions.defaults());
        FencedLock lock = warm(client);
        var silence = nothing.closing(link.halfOpen(Kind.ALL));
        silence.inject();
        Thread[] caller = new Thread[1];
        Task<Boolean> interrupted = Task.start("interrupted", () -> {
            caller[0] = Thread.currentThread();
            try {
                lock.lockInterruptibly();
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        });
        Await.until("the caller reads", () -> caller[0] != null && isReading(caller[0]));
        caller[0].interrupt();
        assertThat(interrupted.get()).isTrue();
        silence.heal();
        assertThat(lock.tryAcquire(Duration.ofSeconds(40))).isPresent();
    }

    @Test
    void closeEndsARunOnASilentServer() {
        FaultyLink link = nothing.closing(FaultyLink.to(redis));
        LockClient client = client(link.uri() + "?timeout=30s", RedisOptions.defaults());
        FencedLock lock = warm(client);
        nothing.closing(link.halfOpen(Kind.ALL)).inject();
        Thread[] caller = new Thread[1];
        Task<Boolean> ended = Task.start("ended", () -> {
            caller[0] = Thread.currentThread();
            try {
                lock.lock();
                return false;
            } catch (RuntimeException e) {
                return true;
            }
        });
        Await.until("the caller reads", () -> caller[0] != null && isReading(caller[0]));
        client.close();
        assertThat(ended.get()).isTrue();
    }

    static boolean isReading(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().endsWith("DirectConnection")) {
                return true;
            }
        }
        return false;
    }

    /** A resolver of the user, for whose name later answers are of no use. */
    private static AddressResolverGroup<InetSocketAddress> resolver(AtomicInteger asked) {
        return new AddressResolverGroup<>() {
            @Override
            protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
                return new InetNameResolver(executor) {
                    @Override
                    protected void doResolve(String name, Promise<InetAddress> address) throws Exception {
                        boolean early = asked.incrementAndGet() <= 2;
                        address.setSuccess(InetAddress.getByName(early ? "127.0.0.1" : "127.0.0.2"));
                    }

                    @Override
                    protected void doResolveAll(String name, Promise<List<InetAddress>> addresses) {
                        addresses.setFailure(new UnsupportedOperationException());
                    }
                }.asAddressResolver();
            }
        };
    }

    @Test
    void aCallerReachesTheAddressThatTheUsersResolverGaveTheMainConnection() {
        AtomicInteger asked = new AtomicInteger();
        ClientResources resources =
                ClientResources.builder().addressResolverGroup(resolver(asked)).build();
        nothing.closing(() -> resources.shutdown(0, 1, TimeUnit.SECONDS).sync());
        int before = connections();
        warm(client(
                "redis://locks.invalid:" + redis.port(), RedisOptions.defaults().withClientResources(resources)));
        assertThat(connections() - before).as("commands, messages, caller").isEqualTo(3);
        assertThat(asked).hasValue(2);
    }

    @Test
    void aCallerUsesTlsAndTheUsersDatabase() {
        assumeTrue(RedisServer.knowsTls(), "needs a redis-server with TLS");
        try (Certificates certificates = Certificates.make();
                RedisServer secure = RedisServer.startTls(certificates, false);
                LockClient client = LockClient.create(RedisBackend.connect(
                        secure.tlsUri() + "/3",
                        RedisOptions.defaults().withTrustedCertificates(certificates.authority())))) {
            warm(client);
            String normal = String.valueOf(secure.command("CLIENT", "LIST", "TYPE", "normal"));
            assertThat(normal.lines().filter(line -> line.contains("db=3")))
                    .as(normal)
                    .hasSize(2);
            assertThat(String.valueOf(secure.command("INFO", "keyspace")))
                    .contains("db3")
                    .doesNotContain("db0");
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void anUnusedConnectionIsClosedAfterTenSeconds() {
        int before = connections();
        warm(client(redis.uri(), RedisOptions.defaults()));
        assertThat(connections() - before).isEqualTo(3);
        Await.within(Duration.ofSeconds(30), "it is closed", () -> connections() - before == 2);
    }
}
