// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.redis.call.GroupCall;
import io.boltwork.redis.call.Script;
import io.boltwork.redis.call.ScriptCall;
import io.boltwork.redis.call.ServerConnection;
import io.boltwork.redis.connect.SingleMaster;
import io.boltwork.redis.wire.KeySpace;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Command;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.HolderMessage;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.ServerTime;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A Redis with clients that listen to it, and a connection that reads the keys directly, for one run after the other.
 */
final class DifferentialBed implements AutoCloseable {
    static final KeySpace KEYS = new KeySpace("boltwork");

    /** A lock whose key is a string. */
    static final String BROKEN = "broken";

    /**
     * A connection that a busy machine does not replace, because grants would be missed meanwhile and the two servers
     * would differ.
     */
    private static final String PATIENT = "?timeout=30s";

    /** A command that changes nothing. */
    private static final Command.Acquire STALE = new Command.Acquire("stale", "none:1", true, 1_000, 0, 0);

    /** A lock and its key at one moment. */
    record Contents(Inspected lock, Map<String, String> fields, long ttl) {}

    /** The reply to a command, and how the locks looked afterwards. */
    record Done(Reply reply, Map<String, Contents> looks) {}

    private final List<LockBackend> backends = new ArrayList<>();
    private final Map<String, BlockingQueue<Grant>> grants = new LinkedHashMap<>();
    private RedisAsyncCommands<byte[], byte[]> raw;
    private final String run;
    private final Duration patience;
    private final @Nullable SteppedRedis stepped;
    private LockBackend sender;
    private long barriers;
    private long started;

    /** Connects to a server whose clock runs. */
    DifferentialBed(String uri, Duration patience) {
        this(uri, patience, null);
    }

    /** Connects to a server whose clock stands still until it is set. */
    DifferentialBed(SteppedRedis redis, Duration patience) {
        this(redis.uri(), patience, redis);
    }

    /** The leases of grants that stand for messages to owners. */
    static final long TAKEN = -1;

    static final long WANTED = -2;

    private DifferentialBed(String uri, Duration patience, @Nullable SteppedRedis stepped) {
        this.patience = patience;
        this.stepped = stepped;
        for (String listener : DifferentialCommands.LISTENERS) {
            BlockingQueue<Grant> heard = new LinkedBlockingQueue<>();
            Duration life = DifferentialExpiry.LIVES.get(backends.size());
            LockBackend backend =
                    RedisBackend.connect(uri + PATIENT, RedisOptions.defaults().withIdleLife(life));
            backends.add(backend);
            backend.open(listener, new Recorder(heard));
            grants.put(listener, heard);
        }
        sender = backends.get(0);
        raw = connection(sender).lettuce();
        run = connection(sender).origin(0);
        for (Script script : LuaMutant.scripts()) {
            raw.scriptLoad(script.text());
        }
    }

    /** Returns a grant that equals no real one, because both kinds are compared in one order. */
    static Grant asGrant(HolderMessage message) {
        long token = message instanceof LockWanted wanted ? wanted.token() : ((HoldTaken) message).token();
        long lease = message instanceof HoldTaken ? TAKEN : WANTED;
        return new Grant(message.lock(), message.request(), token, lease, message.server());
    }

    private record Recorder(BlockingQueue<Grant> heard) implements BackendListener {
        @Override
        public void granted(Grant grant) {
            heard.add(grant);
        }

        @Override
        public void told(HolderMessage message) {
            heard.add(asGrant(message));
        }

        @Override
        public void connected(ServerTime server) {}

        @Override
        public void disconnected(Throwable cause) {}
    }

    /** Returns the server's clock if the test sets it, or {@code null}. */
    @Nullable
    SteppedRedis clock() {
        return stepped;
    }

    /** Returns the next grant of {@code client}, or {@code null} if there is none. */
    @Nullable
    Grant nextGrant(String client) throws InterruptedException {
        return grants.get(client).poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Makes the client with this idle life the sender of later commands. */
    void live(int life) {
        sender = backends.get(life);
        raw = connection(sender).lettuce();
    }

    /** Empties the server. */
    void flush() throws Exception {
        raw.flushall();
        await(raw.set(bytes(KEYS.key(BROKEN)), bytes("no lock")));
    }

    void delete(String lock) throws Exception {
        await(raw.del(bytes(KEYS.key(lock))));
    }

    void forgetScripts() throws Exception {
        await(raw.scriptFlush());
    }

    /** Loads a script into the server. */
    void load(byte[] script) throws Exception {
        await(raw.scriptLoad(script));
    }

    /** Sets whether the server has no memory left. Waits, because the next command may use another connection. */
    private void full(boolean full) throws Exception {
        await(raw.configSet("maxmemory", full ? "1" : "0"));
    }

    /** Returns whether the broken lock's key is unchanged. */
    boolean isBrokenIntact() throws Exception {
        return Arrays.equals(bytes("no lock"), await(raw.get(bytes(KEYS.key(BROKEN)))));
    }

    /** Waits until every grant made so far has arrived. Returns those that the test has not read. */
    List<Grant> leftover() throws Exception {
        long barrier = ++barriers;
        List<Grant> left = new ArrayList<>();
        for (Map.Entry<String, BlockingQueue<Grant>> heard : grants.entrySet()) {
            String key = KEYS.key("barrier");
            String message = run + " " + barrier + " 0 1 " + heard.getKey() + ":0 " + key;
            raw.publish(bytes(KEYS.channel(heard.getKey())), bytes(message));
            while (true) {
                Grant grant = heard.getValue().poll(patience.toMillis(), TimeUnit.MILLISECONDS);
                if (grant == null) {
                    throw new TimeoutException("A message was lost");
                } else if (grant.lock().equals("barrier")) {
                    if (grant.token() == barrier) {
                        break;
                    }
                } else {
                    left.add(grant);
                }
            }
        }
        return left;
    }

    Reply send(Command<?> command) throws Exception {
        return await(start(command));
    }

    /**
     * Sends a command and reads locks afterwards.
     *
     * @param full whether no memory is left while it is executed
     */
    Done execute(Command<?> command, List<String> locks, boolean full) throws Exception {
        if (full) {
            full(true);
        }
        CompletableFuture<Reply> reply = start(command);
        if (stepped == null) { // the script may have to be sent again, behind later commands
            await(reply);
        }
        if (full) {
            full(false);
        }
        List<Looking> looking = locks.stream().map(this::start).toList();
        Map<String, Contents> looks = new LinkedHashMap<>();
        for (int i = 0; i < locks.size(); i++) {
            looks.put(locks.get(i), looking.get(i).await(this));
        }
        return new Done(await(reply), looks);
    }

    Contents look(String lock) throws Exception {
        return start(lock).await(this);
    }

    private record Looking(
            CompletableFuture<Reply> lock, RedisFuture<Map<byte[], byte[]>> fields, RedisFuture<Long> ttl) {
        Contents await(DifferentialBed site) throws Exception {
            Map<String, String> text = new LinkedHashMap<>();
            site.await(fields).forEach((name, value) -> text.put(text(name), text(value)));
            return new Contents((Inspected) site.await(lock), text, site.await(ttl));
        }

        private static String text(byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    private Looking start(String lock) {
        byte[] key = bytes(KEYS.key(lock));
        return new Looking(start(new Query.Inspect(lock)), raw.hgetall(key), raw.pttl(key));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the connection of the backend's commands, so that reads are executed after them. */
    static ServerConnection connection(LockBackend backend) {
        return ((SingleMaster) ((RedisBackend) backend).servers()).commands();
    }

    /** Sends commands alternately alone and in a group. */
    private CompletableFuture<Reply> start(Command<?> command) {
        return start(sender, command, ++started % 2 == 1);
    }

    /** Sends a command alone or, if groups have it, in a group. */
    static CompletableFuture<Reply> start(LockBackend sender, Command<?> command, boolean inGroup) {
        CompletableFuture<Reply> reply = new CompletableFuture<>();
        ServerConnection connection = connection(sender);
        boolean isScript = !(command instanceof Query<?> || command instanceof Command.Replicate);
        ScriptCall<?> call = inGroup && isScript ? ScriptCall.of(connection, command, reply::complete) : null;
        if (call == null || call.inGroup().isEmpty()) {
            sender.send(command, reply::complete);
        } else {
            ScriptCall<?> stale = ScriptCall.acquire(connection, STALE, ignored -> {});
            connection.send(new GroupCall(connection, List.of(stale, call, stale)));
        }
        return reply;
    }

    private <T> T await(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        backends.forEach(LockBackend::close);
    }
}
