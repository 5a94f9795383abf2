// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.entrant;

import io.boltwork.bench.contender.BenchDeployment;
import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.Setting;
import io.boltwork.bench.contender.floor.LocalLocks;
import io.boltwork.bench.contender.floor.PingPair;
import io.boltwork.bench.contender.floor.ScriptPair;
import io.boltwork.bench.contender.own.BoltworkLocks;
import io.boltwork.bench.contender.own.QuorumLocks;
import io.boltwork.bench.contender.peer.CuratorLocks;
import io.boltwork.bench.contender.peer.EtcdLocks;
import io.boltwork.bench.contender.peer.JdbcRegistryLocks;
import io.boltwork.bench.contender.peer.JedisLocks;
import io.boltwork.bench.contender.peer.RedissonLocks;
import io.boltwork.bench.contender.peer.RedissonQuorum;
import io.boltwork.bench.contender.peer.RedissonSemaphores;
import io.boltwork.bench.contender.peer.ShedLocks;
import io.boltwork.bench.contender.peer.SpringRegistryLocks;
import io.boltwork.bench.contender.peer.TemplateLocks;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The contenders, with the ids that {@code --contenders} accepts. */
public enum Entrant {
    BOLTWORK("boltwork", "Boltwork", Kind.OURS, BoltworkLocks::batched),
    BOLTWORK_FIFO("boltwork-fifo", "Boltwork FIFO", Kind.OURS, BoltworkLocks::fifo),
    BOLTWORK_SENT("boltwork-sent", "Boltwork, release not awaited", Kind.OPTION, BoltworkLocks::releaseSent),
    BOLTWORK_RETAINED("boltwork-retained", "Boltwork, retained", Kind.OPTION, BoltworkLocks::retained),
    BOLTWORK_QUORUM("boltwork-quorum", "Boltwork on a quorum", Kind.QUORUM, QuorumLocks::new),
    REDISSON("redisson", "Redisson getLock", Kind.PEER, RedissonLocks::plain, Shares.REDISSON),
    REDISSON_FAIR("redisson-fair", "Redisson getFairLock", Kind.PEER, RedissonLocks::fair, Shares.REDISSON),
    REDISSON_SPIN("redisson-spin", "Redisson getSpinLock", Kind.PEER, RedissonLocks::spin, Shares.REDISSON),
    REDISSON_FENCED("redisson-fenced", "Redisson getFencedLock", Kind.PEER, RedissonLocks::fenced, Shares.REDISSON),
    REDISSON_READ_WRITE(
            "redisson-rw", "Redisson getReadWriteLock", Kind.SHARED, RedissonLocks::plain, Shares.REDISSON_READ_WRITE),
    REDISSON_SEMAPHORE("redisson-semaphore", "Redisson getSemaphore", Kind.SHARED, RedissonSemaphores::lasting),
    REDISSON_EXPIRING(
            "redisson-expiring", "Redisson getPermitExpirableSemaphore", Kind.SHARED, RedissonSemaphores::expiring),
    REDISSON_MULTI("redisson-multi", "Redisson RedissonMultiLock", Kind.QUORUM, RedissonQuorum::all, Shares.REDISSON),
    REDISSON_RED("redisson-red", "Redisson RedissonRedLock", Kind.QUORUM, RedissonQuorum::majority, Shares.REDISSON),
    SPRING_PUBSUB("spring-pubsub", "RedisLockRegistry pub/sub", Kind.PEER, SpringRegistryLocks::pubSub),
    SPRING_SPIN("spring-spin", "RedisLockRegistry spin", Kind.PEER, SpringRegistryLocks::spin),
    JEDIS("jedis", "SET NX on Jedis", Kind.PEER, JedisLocks::new, Map.of("set", 1.0)),
    TEMPLATE("template", "hash + Lua on StringRedisTemplate", Kind.PEER, TemplateLocks::new),
    JDBC_REGISTRY("jdbc-registry", "JdbcLockRegistry", Kind.STORE, JdbcRegistryLocks::new),
    SHEDLOCK("shedlock", "ShedLock", Kind.STORE, ShedLocks::new),
    CURATOR("curator", "InterProcessMutex", Kind.STORE, CuratorLocks::new),
    ETCD_LOCK("etcd-lock", "etcd's lock", Kind.STORE, EtcdLocks::new),
    SCRIPTS("scripts", "floor: the two scripts over Lettuce", Kind.FLOOR, ScriptPair::parked),
    SCRIPTS_LED("scripts-led", "floor: the same, the caller runs the event loop", Kind.FLOOR, ScriptPair::led),
    PING("ping", "floor: two PINGs over Lettuce", Kind.FLOOR, PingPair::new),
    PUBLISH(
            "publish",
            "floor: publish to subscriber",
            Kind.FLOOR,
            PingPair::new,
            Map.of("publish", 1.0, "spublish", 1.0)),
    LOCAL("local", "floor: the JDK's fair lock in one JVM", Kind.FLOOR, setting -> new LocalLocks());

    /** The role in the comparison. */
    enum Kind {
        OURS,
        /** Also ours, but with a weaker guarantee. Compared only where a scenario names it. */
        OPTION,
        PEER,
        /** A peer's read-write lock or semaphore. Compared only where a scenario names it. */
        SHARED,
        /** A lock on several independent servers, ours or a peer's. Compared only where a scenario names it. */
        QUORUM,
        /** A peer's lock on a store other than Redis. Compared only there. */
        STORE,
        FLOOR
    }

    /* Commands that clients send and never call inside a script. */
    private static final Set<String> DIRECT = Set.of(
            "eval",
            "evalsha",
            "fcall",
            "subscribe",
            "unsubscribe",
            "psubscribe",
            "punsubscribe",
            "ssubscribe",
            "sunsubscribe",
            "cluster",
            "ping",
            "wait");

    private final String id;
    private final String title;
    private final Kind kind;
    private final Function<Setting, Contender> opening;
    private final Map<String, Double> alsoDirect;

    Entrant(String id, String title, Kind kind, Function<Setting, Contender> opening) {
        this(id, title, kind, opening, Map.of());
    }

    Entrant(String id, String title, Kind kind, Function<Setting, Contender> opening, Map<String, Double> alsoDirect) {
        this.id = id;
        this.title = title;
        this.kind = kind;
        this.opening = opening;
        this.alsoDirect = alsoDirect;
    }

    public static Entrant of(String id) {
        return Arrays.stream(values())
                .filter(entrant -> entrant.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no contender '" + id + "'; there are " + String.join(", ", ids())));
    }

    /** Returns the contender that the tables on a store other than Redis compare the others with. */
    public static Entrant reference(BenchDeployment store) {
        return switch (store) {
            case ZOOKEEPER -> CURATOR;
            case ETCD -> ETCD_LOCK;
            default -> JDBC_REGISTRY;
        };
    }

    static List<String> ids() {
        return Arrays.stream(values()).map(Entrant::id).collect(Collectors.toList());
    }

    public String id() {
        return id;
    }

    public String title() {
        return title;
    }

    public boolean isFloor() {
        return kind == Kind.FLOOR;
    }

    public boolean isOption() {
        return kind == Kind.OPTION;
    }

    public boolean isPeer() {
        return switch (kind) {
            case PEER, SHARED, STORE -> true;
            case QUORUM -> this != BOLTWORK_QUORUM;
            default -> false;
        };
    }

    /** Returns whether this is a read-write lock or a semaphore of a peer. */
    public boolean isShared() {
        return kind == Kind.SHARED;
    }

    /** Returns whether this contender needs several independent servers. */
    public boolean isQuorum() {
        return kind == Kind.QUORUM;
    }

    /** Returns whether this contender is also compared on a cluster. */
    public boolean isOnCluster() {
        return switch (this) {
            case BOLTWORK, BOLTWORK_FIFO, REDISSON, REDISSON_FAIR, SCRIPTS, PING, PUBLISH -> true;
            default -> false;
        };
    }

    /** Returns whether this contender is compared on a deployment. */
    public boolean isOn(BenchDeployment deployment) {
        return switch (deployment) {
            case STANDALONE -> kind != Kind.STORE;
            case CLUSTER -> isOnCluster();
            case POSTGRESQL, MARIADB, H2 -> this == BOLTWORK || this == JDBC_REGISTRY || this == SHEDLOCK;
            case ZOOKEEPER -> this == BOLTWORK || this == CURATOR;
            case ETCD -> this == BOLTWORK || this == ETCD_LOCK;
        };
    }

    /** Returns whether a thread can wait for a lock without asking again itself. */
    public boolean canWait() {
        return this != SHEDLOCK;
    }

    /** Returns the transport to Redis. {@code lettuce} names the sockets that Lettuce uses. */
    public String transport(String lettuce) {
        return switch (this) {
            case REDISSON,
                    REDISSON_FAIR,
                    REDISSON_SPIN,
                    REDISSON_FENCED,
                    REDISSON_READ_WRITE,
                    REDISSON_SEMAPHORE,
                    REDISSON_EXPIRING,
                    REDISSON_MULTI,
                    REDISSON_RED -> "Netty over Java's sockets";
            case JEDIS -> "Java's blocking sockets";
            case LOCAL -> "none";
            default -> "Lettuce over " + lettuce;
        };
    }

    /** Connects and blocks until connected. */
    public Contender open(Setting setting) {
        return opening.apply(setting);
    }

    /** Returns the share of these commands that clients send. Scripts call the others. Tested with MONITOR. */
    double direct(String command) {
        return DIRECT.contains(command) ? 1 : alsoDirect.getOrDefault(command, 0.0);
    }

    /** A separate class, because an enum's constants are created before its static fields. */
    private static final class Shares {
        /* Redisson's unlock deletes the lock in its script, and then another key with a request. */
        private static final Map<String, Double> REDISSON = Map.of("del", 0.5);

        /*
         * The same with read-write locks, whose scripts delete other keys, too. Each of these unlocks has one "get" in
         * its script, which is counted in place of the request.
         */
        private static final Map<String, Double> REDISSON_READ_WRITE = Map.of("get", 1.0);
    }
}
