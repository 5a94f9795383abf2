// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.floor;

import io.boltwork.bench.contender.Setting;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * A connection for each thread, over Lettuce, whose event loop that thread runs while it waits. So a round trip wakes
 * no other thread. It shows what a lock could gain that did the same, but it does less: nothing watches a connection
 * while its thread does not wait, so no message could arrive. See docs/inside/adr/0052-leading-caller.md. Thread-safe.
 */
public final class LedConnections implements ScriptPair.Source, ScriptPair.Calls {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(1);

    private final RedisURI uri;
    private final Queue<Led> all = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Led> own = ThreadLocal.withInitial(this::connect);

    LedConnections(Setting setting) {
        uri = RedisURI.create(setting.uri());
    }

    /** Returns whether this machine has the event loop for it. */
    public static boolean isPossible() {
        return Epoll.isAvailable();
    }

    @Override
    public ScriptPair.Calls of(String key) {
        return this; // a lock is made by one thread and used by another
    }

    private Led connect() {
        Led made = new Led(Thread.currentThread(), uri);
        all.add(made);
        return made;
    }

    @Override
    public String load(String script) {
        return own.get().load(script);
    }

    @Override
    public List<Object> call(String digest, String[] key, String... arguments) {
        return own.get().call(digest, key, arguments);
    }

    @Override
    public void close() {
        all.forEach(Led::close);
    }

    /** The connection of one thread. */
    private static final class Led {
        private final ManualIoEventLoop loop;
        private final ClientResources resources;
        private final RedisAsyncCommands<String, String> redis;

        Led(Thread owner, RedisURI uri) {
            loop = new ManualIoEventLoop(owner, EpollIoHandler.newFactory());
            resources = ClientResources.builder()
                    .eventLoopGroupProvider(new OneLoop(loop))
                    .build();
            RedisClient lettuce = RedisClient.create(resources);
            StatefulRedisConnection<String, String> connection =
                    await(lettuce.connectAsync(StringCodec.UTF8, uri).toCompletableFuture());
            redis = connection.async();
        }

        private <T> T await(CompletableFuture<T> answer) {
            while (!answer.isDone()) {
                loop.run(PATIENCE);
            }
            return answer.join();
        }

        String load(String script) {
            return await(redis.scriptLoad(script).toCompletableFuture());
        }

        List<Object> call(String digest, String[] key, String... arguments) {
            return await(redis.<List<Object>>evalsha(digest, ScriptOutputType.MULTI, key, arguments)
                    .toCompletableFuture());
        }

        /** Ends without a word to the server, because only the owner of the loop could write to it. */
        void close() {
            resources.shutdown(0, 0, TimeUnit.SECONDS);
        }
    }

    /** Gives Lettuce one event loop. */
    private record OneLoop(ManualIoEventLoop loop) implements EventLoopGroupProvider {
        @Override
        @SuppressWarnings("unchecked") // Lettuce needs an EventLoopGroup only
        public <T extends EventLoopGroup> T allocate(Class<T> type) {
            return (T) loop;
        }

        @Override
        public int threadPoolSize() {
            return 1;
        }

        @Override
        public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
            return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
        }

        @Override
        public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
            return GlobalEventExecutor.INSTANCE.newSucceededFuture(true);
        }
    }
}
