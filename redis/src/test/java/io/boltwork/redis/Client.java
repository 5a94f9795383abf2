// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockFreed;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Shrunk;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A backend that is opened for a client, and everything that its listener has received. */
public final class Client implements BackendListener, AutoCloseable {
    static final long LEASE = 30_000;
    public static final long NEVER = 9_999_999_999_999L;

    final String id;
    public final RedisBackend backend;
    public final BlockingQueue<Grant> grants = new LinkedBlockingQueue<>();
    public final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
    final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    public final BlockingQueue<HoldTaken> takings = new LinkedBlockingQueue<>();
    public final BlockingQueue<Shrunk> shrinkings = new LinkedBlockingQueue<>();
    final BlockingQueue<LockWanted> wantings = new LinkedBlockingQueue<>();
    final BlockingQueue<LockFreed> freed = new LinkedBlockingQueue<>();

    private Client(String id, RedisBackend backend) {
        this.id = id;
        this.backend = backend;
    }

    public static Client open(String id, String uri) {
        RedisBackend backend = (RedisBackend) RedisBackend.connect(uri);
        try {
            return open(id, backend);
        } catch (RuntimeException e) {
            backend.close();
            throw e;
        }
    }

    /** Opens a client on a backend. The backend stays open if the server refuses the client. */
    public static Client open(String id, LockBackend backend) {
        Client client = new Client(id, (RedisBackend) backend);
        backend.open(id, client);
        assertThat(client.events.poll()).as("the event while opening").isInstanceOf(ServerTime.class);
        return client;
    }

    String request(int number) {
        return id + ":" + number;
    }

    CompletableFuture<Reply> send(Command<?> command) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        backend.send(command, reply::complete);
        return reply;
    }

    public <R extends Reply> R ask(Command<?> command, Class<R> type) {
        Reply reply = await(send(command));
        assertThat(reply).isInstanceOf(type);
        return type.cast(reply);
    }

    public Reply.Acquired acquire(String lock, String request) {
        return ask(new Command.Acquire(lock, request, true, LEASE, 0, NEVER), Reply.Acquired.class);
    }

    Reply.Acquired tryAcquire(String lock, String request) {
        return ask(new Command.Acquire(lock, request, false, LEASE, 0, NEVER), Reply.Acquired.class);
    }

    public Reply.Released release(String lock, String request, long token) {
        return ask(new Command.Release(lock, request, token, token, 0, null), Reply.Released.class);
    }

    Reply.Renewed renew(String lock, String request, long token, long lease) {
        Command.Renew.Item item = new Command.Renew.Item(lock, request, token, lease, 0);
        return ask(new Command.Renew(List.of(item), NEVER), Reply.Renewed.class);
    }

    Reply.Restored restore(String lock, String request, long token) {
        return ask(new Command.Restore(lock, request, token, LEASE, 0, NEVER), Reply.Restored.class);
    }

    public Reply.Withdrawn withdraw(String lock, @Nullable String request, long lastToken) {
        return ask(new Command.Withdraw(lock, request, lastToken), Reply.Withdrawn.class);
    }

    public QueryReply.Inspected inspect(String lock) {
        return ask(new Query.Inspect(lock), QueryReply.Inspected.class);
    }

    /** The requests in a lock's queue. */
    public List<String> waiting(String lock) {
        return inspect(lock).queue().stream()
                .map(QueryReply.Inspected.Waiting::request)
                .toList();
    }

    Reply.Forced force(String lock, long expectedToken) {
        return ask(new ForceRelease(lock, expectedToken), Reply.Forced.class);
    }

    Reply.Announced announce(ClientRecord clientRecord, long lifeMillis) {
        return announce(clientRecord, lifeMillis, "nonce");
    }

    Reply.Announced announce(ClientRecord clientRecord, long lifeMillis, String nonce) {
        return ask(new Announce(clientRecord, lifeMillis, nonce), Reply.Announced.class);
    }

    List<ClientRecord> identify(String... clients) {
        return ask(new Query.Identify(List.of(clients)), QueryReply.Identified.class)
                .clients();
    }

    /** All locks that match a pattern. */
    List<QueryReply.ScannedLocks.Lock> scanLocks(String pattern, int count) {
        List<QueryReply.ScannedLocks.Lock> locks = new ArrayList<>();
        String cursor = "";
        do {
            QueryReply.ScannedLocks page =
                    ask(new Query.ScanLocks(pattern, cursor, count), QueryReply.ScannedLocks.class);
            locks.addAll(page.locks());
            cursor = page.cursor();
        } while (!cursor.isEmpty());
        return locks;
    }

    /** All clients that have been announced. */
    List<ClientRecord> scanClients(int count) {
        List<ClientRecord> clients = new ArrayList<>();
        String cursor = "";
        do {
            QueryReply.ScannedClients page = ask(new Query.ScanClients(cursor, count), QueryReply.ScannedClients.class);
            clients.addAll(page.clients());
            cursor = page.cursor();
        } while (!cursor.isEmpty());
        return clients;
    }

    Grant nextGrant() {
        return next(grants);
    }

    Object nextEvent() {
        return next(events);
    }

    /** Waits until the backend reports that it is connected, and skips other events. */
    public ServerTime awaitConnected() {
        while (true) {
            if (nextEvent() instanceof ServerTime server) {
                return server;
            }
        }
    }

    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError("No reply within " + patience(), e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    static <T> T next(BlockingQueue<T> queue) {
        try {
            T next = queue.poll(patience().toMillis(), TimeUnit.MILLISECONDS);
            if (next == null) {
                throw new AssertionError("Nothing arrived within " + patience());
            }
            return next;
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static Duration patience() {
        return Slack.seconds(15);
    }

    @Override
    public void warned(String what) {
        warnings.add(what);
    }

    @Override
    public void told(HolderMessage message) {
        if (message instanceof HoldTaken taken) {
            takings.add(taken);
        } else if (message instanceof LockWanted wanted) {
            wantings.add(wanted);
        } else if (message instanceof Shrunk shrunk) {
            shrinkings.add(shrunk);
        }
    }

    @Override
    public void freed(LockFreed message) {
        freed.add(message);
    }

    @Override
    public void granted(Grant grant) {
        grants.add(grant);
    }

    @Override
    public void connected(ServerTime server) {
        events.add(server);
    }

    @Override
    public void disconnected(Throwable cause) {
        events.add(cause);
    }

    @Override
    public void close() {
        backend.close();
    }
}
