// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.SentinelGroup;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The servers of the demo: a Redis with the stock, and for the locks a master with two replicas and three sentinels,
 * which promote a replica when the master has not answered for a second. Only one thread may call the methods that
 * break something. All others are thread-safe.
 */
final class DemoRedis implements AutoCloseable {

    /** The state of the master of the locks. */
    enum State {
        UP,
        RESTARTING,
        FROZEN,
        FAILING_OVER
    }

    /**
     * A time in which the locks could not be reached.
     *
     * @param from its begin, in milliseconds since the epoch
     * @param to its end, or {@code null}
     * @param text what happened
     */
    record Outage(long from, @Nullable Long to, String text) {}

    /**
     * A master's time.
     *
     * @param from its begin, in milliseconds since the epoch
     * @param name the name of the server
     */
    record Reign(long from, String name) {}

    private final RedisServer stock = RedisServer.start();
    private final SentinelGroup locks = SentinelGroup.start("--appendonly", "yes", "--min-replicas-to-write", "0");
    private final List<RedisServer> broken = new CopyOnWriteArrayList<>();
    private final List<Outage> outages = new CopyOnWriteArrayList<>();
    private final List<Reign> reigns = new CopyOnWriteArrayList<>();
    private volatile RedisServer master = locks.data().servers().get(0);
    private volatile State state = State.UP;

    DemoRedis() {
        reigns.add(new Reign(System.currentTimeMillis(), masterName()));
    }

    /** Returns the masters, the earliest first. */
    List<Reign> reigns() {
        return List.copyOf(reigns);
    }

    RedisServer stock() {
        return stock;
    }

    String uri() {
        return locks.uri();
    }

    State state() {
        return state;
    }

    /** Returns the times without the locks, the earliest first. */
    List<Outage> outages() {
        return List.copyOf(outages);
    }

    /** Returns the servers of the locks, such as {@code A master}. */
    List<PageState.Server> servers() {
        List<PageState.Server> all = new ArrayList<>();
        for (RedisServer server : locks.data().servers()) {
            String role = server == master ? "master" : "replica";
            String doing = !broken.contains(server) ? "up" : state == State.RESTARTING ? "restarting" : "down";
            all.add(new PageState.Server(
                    name(server), role, broken.contains(server) && server == frozen ? "frozen" : doing));
        }
        return all;
    }

    private volatile @Nullable RedisServer frozen;

    private String name(RedisServer server) {
        return "Redis " + (char) ('A' + locks.data().servers().indexOf(server));
    }

    String masterName() {
        return name(master);
    }

    /** Notices that the sentinels have replaced a frozen master; returns the new one, or {@code null}. */
    @Nullable
    String lookForMaster() {
        RedisServer now;
        try {
            now = locks.master(locks.sentinels().get(0));
        } catch (UncheckedIOException | AssertionError e) {
            return null; // asked again
        }
        if (state != State.FROZEN || now == master) {
            return null; // failOver notices it by itself
        }
        crown(now);
        end();
        return name(now);
    }

    private synchronized void crown(RedisServer next) {
        if (next != master) {
            master = next;
            reigns.add(new Reign(System.currentTimeMillis(), name(next)));
        }
    }

    void freeze() {
        begin(State.FROZEN, masterName() + " frozen");
        RedisServer victim = master;
        broken.add(victim);
        frozen = victim;
        victim.freeze();
    }

    void thaw() {
        RedisServer victim = Objects.requireNonNull(frozen);
        victim.thaw();
        frozen = null;
        broken.remove(victim);
        if (state == State.FROZEN) {
            end();
        }
    }

    boolean isFrozen() {
        return frozen != null;
    }

    /** Restarts the master with its data. */
    void restart() {
        begin(State.RESTARTING, masterName() + " restarted");
        RedisServer victim = master;
        broken.add(victim);
        try {
            victim.restartWithData();
        } finally {
            broken.remove(victim);
            end();
        }
    }

    /** Kills the master, waits until the sentinels have promoted a replica, and starts the old master as a replica. */
    void failOver(Runnable promoted) {
        RedisServer victim = master;
        begin(State.FAILING_OVER, masterName() + " killed");
        broken.add(victim);
        victim.kill();
        frozen = frozen == victim ? null : frozen;
        RedisServer next = locks.awaitOther(victim);
        crown(next);
        end();
        promoted.run();
        victim.restart();
        locks.data().follow(victim, next);
        broken.remove(victim);
    }

    private void begin(State next, String text) {
        end();
        state = next;
        outages.add(new Outage(System.currentTimeMillis(), null, text));
    }

    private void end() {
        state = State.UP;
        outages.replaceAll(
                each -> each.to() != null ? each : new Outage(each.from(), System.currentTimeMillis(), each.text()));
    }

    /** Returns whether all servers run. */
    boolean isWhole() {
        return broken.isEmpty();
    }

    @Override
    public void close() {
        locks.close();
        stock.close();
    }
}
