package io.boltwork.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Who takes part, by the id that {@code --contenders} knows it by. */
enum Entrant {
    BOLTWORK("boltwork", "Boltwork", Kind.OURS, BoltworkLocks::batched),
    BOLTWORK_FIFO("boltwork-fifo", "Boltwork FIFO", Kind.OURS, BoltworkLocks::fifo),
    BOLTWORK_SENT("boltwork-sent", "Boltwork, release not awaited", Kind.OPTION, BoltworkLocks::releaseSent),
    REDISSON("redisson", "Redisson getLock", Kind.PEER, RedissonLocks::plain, Shares.REDISSON),
    REDISSON_FAIR("redisson-fair", "Redisson getFairLock", Kind.PEER, RedissonLocks::fair, Shares.REDISSON),
    REDISSON_SPIN("redisson-spin", "Redisson getSpinLock", Kind.PEER, RedissonLocks::spin, Shares.REDISSON),
    REDISSON_FENCED("redisson-fenced", "Redisson getFencedLock", Kind.PEER, RedissonLocks::fenced, Shares.REDISSON),
    SPRING_PUBSUB("spring-pubsub", "RedisLockRegistry pub/sub", Kind.PEER, SpringRegistryLocks::pubSub),
    SPRING_SPIN("spring-spin", "RedisLockRegistry spin", Kind.PEER, SpringRegistryLocks::spin),
    JEDIS("jedis", "SET NX on Jedis", Kind.PEER, JedisLocks::new, Map.of("set", 1.0)),
    TEMPLATE("template", "hash + Lua on StringRedisTemplate", Kind.PEER, TemplateLocks::new),
    SCRIPTS("scripts", "floor: the two scripts over Lettuce", Kind.FLOOR, ScriptPair::new),
    PING("ping", "floor: two PINGs over Lettuce", Kind.FLOOR, PingPair::new),
    PUBLISH(
            "publish",
            "floor: publish to subscriber",
            Kind.FLOOR,
            PingPair::new,
            Map.of("publish", 1.0, "spublish", 1.0)),
    LOCAL("local", "floor: the JDK's fair lock in one JVM", Kind.FLOOR, setting -> new LocalLocks());

    /** What it is to the comparison. */
    enum Kind {
        OURS,
        /** Ours too, but gives something up: beside the others only where it is named. */
        OPTION,
        PEER,
        FLOOR
    }

    /* What clients send and never call inside of a script. */
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

    static Entrant of(String id) {
        return Arrays.stream(values())
                .filter(entrant -> entrant.id.equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no contender '" + id + "'; there are " + String.join(", ", ids())));
    }

    static List<String> ids() {
        return Arrays.stream(values()).map(Entrant::id).collect(Collectors.toList());
    }

    String id() {
        return id;
    }

    String title() {
        return title;
    }

    boolean isFloor() {
        return kind == Kind.FLOOR;
    }

    boolean isOption() {
        return kind == Kind.OPTION;
    }

    boolean isPeer() {
        return kind == Kind.PEER;
    }

    /** Whether it is compared on a cluster, too. */
    boolean isOnCluster() {
        return switch (this) {
            case BOLTWORK, BOLTWORK_FIFO, REDISSON, REDISSON_FAIR, SCRIPTS, PING, PUBLISH -> true;
            default -> false;
        };
    }

    /** What it talks to Redis with; {@code lettuce}: over which sockets Lettuce does. */
    String transport(String lettuce) {
        return switch (this) {
            case REDISSON, REDISSON_FAIR, REDISSON_SPIN, REDISSON_FENCED -> "Netty over Java's sockets";
            case JEDIS -> "Java's blocking sockets";
            case LOCAL -> "none";
            default -> "Lettuce over " + lettuce;
        };
    }

    /** Connects; blocks. */
    Contender open(Setting setting) {
        return opening.apply(setting);
    }

    /** Which share of such commands its clients send; the others are called inside of its scripts. Tested with a monitor. */
    double direct(String command) {
        return DIRECT.contains(command) ? 1 : alsoDirect.getOrDefault(command, 0.0);
    }

    /** In a class of its own since an enum's constants are made before its statics. */
    private static final class Shares {
        /* Redisson's unlock deletes the lock in its script, and then a key of its own by a request. */
        private static final Map<String, Double> REDISSON = Map.of("del", 0.5);
    }
}
