package io.boltwork.engine;

import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.machine.LockMachine;
import io.boltwork.machine.ServerClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a simulated run is made of: who takes part, what the users do, how bad the network is, what goes wrong when. A seed
 * decides all of it; a {@link Reduction} leaves parts of it out. Times are virtual nanoseconds.
 */
record Plan(
        long seed,
        Weather weather,
        Network network,
        Duration outagePatience,
        List<Client> clients,
        List<Fault> faults) {

    static final long MICRO = 1_000;
    static final long MILLI = 1_000_000;
    static final long SECOND = 1_000 * MILLI;

    /** What is shorter is not noticed, and may cost as much of a lease. */
    static final long SHORTEST_SUSPENSION = ServerClock.NOTICED + 100 * MILLI;

    private static final long LOUD = 20 * SECOND;
    private static final long HECTIC_LOUD = 5 * SECOND;

    static final long LONGEST_WORK = 8 * SECOND;

    private static final List<LockOptions> OPTIONS = List.of(
            LockOptions.renewedLease(Duration.ofSeconds(1)),
            LockOptions.renewedLease(Duration.ofSeconds(4)),
            LockOptions.renewedLease(Duration.ofSeconds(20)),
            LockOptions.fixedLease(Duration.ofMillis(700)),
            LockOptions.fixedLease(Duration.ofSeconds(6)),
            LockOptions.renewedLease(Duration.ofSeconds(2)).withMaxHold(Duration.ofMillis(600)),
            LockOptions.renewedLease(Duration.ofSeconds(1)).withMaxHold(Duration.ofSeconds(5)),
            LockOptions.renewedLease(Duration.ofSeconds(1)).withMinHold(Duration.ofMillis(300)),
            LockOptions.fixedLease(Duration.ofSeconds(6)).withMinHold(Duration.ofSeconds(2)),
            LockOptions.renewedLease(Duration.ofSeconds(1)).withTakeoverDelay(Duration.ofMillis(800)),
            LockOptions.renewedLease(Duration.ofSeconds(4))
                    .withMaxHold(Duration.ofSeconds(1))
                    .withTakeoverDelay(Duration.ofMillis(500)));

    private static final int PLAIN = 5;

    /** How much goes wrong. */
    enum Weather {
        /** Nothing. */
        FAIR,
        /** A good network and one fault: what repairs the damage of one fault must be quick. */
        ONE_FAULT,
        /** A bad network, and one fault after the other. */
        ROUGH,
        /** The same within a few seconds, so that faults meet. */
        HECTIC;

        boolean isBad() {
            return this == ROUGH || this == HECTIC;
        }
    }

    /** Chances in a thousand that something is late by tens of milliseconds, by up to a second, or a message is lost. */
    record Network(int slow, int stuck, int lost) {
        static final Network GOOD = new Network(0, 0, 0);
    }

    /** A JVM with a clock of its own. */
    record Client(String id, long start, long driftPpm, List<User> users) {}

    /** Somebody who does one thing after the other: a thread, or callbacks. */
    record User(String name, boolean isThread, long start, List<Act> acts) {}

    /** What a user does with a lock. */
    enum Kind {
        LOCK,
        NESTED,
        TRY,
        TIMED,
        INTERRUPTIBLE,
        ACQUIRE,
        CALL,
        /** Ends the thread while it holds. */
        DIE,
        ASYNC,
        TRY_ASYNC,
        TIMED_ASYNC,
        CANCELLED;

        /** Whether it waits for as long as it takes. */
        boolean isPatient() {
            return switch (this) {
                case LOCK, NESTED, ACQUIRE, DIE, ASYNC -> true;
                default -> false;
            };
        }
    }

    /** @param extend how much longer the lease is made to last meanwhile; 0: it is not */
    record Act(Kind kind, String lock, LockOptions options, long patience, long work, long rest, long extend) {
        /** A replica must know of the hold. */
        Act withReplica() {
            return with(options.withReplication(Replication.atLeast(1, Duration.ofMillis(50))));
        }

        /** Nobody waits for the answer to the release. */
        Act withReleaseSent() {
            return with(options.withRelease(LockOptions.Release.SENT));
        }

        Act on(String another) {
            return new Act(kind, another, options, patience, work, rest, extend);
        }

        private Act with(LockOptions other) {
            return new Act(kind, lock, other, patience, work, rest, extend);
        }
    }

    enum Trouble {
        /** Both connections of a client break. */
        BREAK,
        /** Nothing gets through to a client, nor from it; nobody is told, and all arrives afterwards. */
        SILENCE,
        /** The connection for messages breaks alone. */
        DEAF,
        PAUSE,
        /** The machine of a client is suspended: its monotonic clock stands still. */
        SUSPEND,
        /** Another living client has announced itself under a client's id. */
        CLONE,
        CRASH,
        /** A client is closed. */
        CLOSE,
        FREEZE_SERVER,
        /** A server restarts with what it had. */
        RESTART,
        /** And without. */
        RESTART_EMPTY,
        FLUSH,
        DELETE_KEY,
        /** A replica takes over that has not seen the last writes; its clock may differ. */
        FAILOVER,
        /** The server's clock is set back. */
        CLOCK_BACK,
        /** A partition moves to another server, and nobody is disconnected. */
        MOVE,
        FORCE_RELEASE;

        /** Whether it happens to one server, or between it and a client, and to no other. */
        boolean isOfOneServer() {
            return switch (this) {
                case BREAK, DEAF, FREEZE_SERVER, RESTART, RESTART_EMPTY, FLUSH, FAILOVER -> true;
                default -> false;
            };
        }
    }

    /** When a fault happens: worst just then. */
    enum Moment {
        /** At its time, whatever happens then. */
        ANY,
        /** After its time, when its client has sent a renewal. */
        SENT_RENEWAL,
        /** When the server has executed such a command of its client; the answer is on its way. */
        ACQUIRED,
        RELEASED,
        RENEWED,
        RESTORED,
        WITHDRAWN,
        /** When the server has granted the lock to its client by message. */
        GRANTED,
        /** When its client has sent a command again, to the server that a lock has moved to. */
        SENT_AGAIN,
        /** When its client has learned that a partition has moved. */
        LEARNED;

        /** Those that there are with one server, too. */
        private static final Moment[] USUAL = Arrays.copyOf(values(), SENT_AGAIN.ordinal());
    }

    /**
     * @param client to whom it happens, unless it happens to the server
     * @param lasts how long it lasts
     * @param half half open: the other side is not told
     * @param lag how far behind the replica is; by one command at any other moment than {@link Moment#ANY}
     * @param jump by how much its clock is ahead
     */
    record Fault(
            Trouble trouble,
            Moment moment,
            long at,
            String client,
            String lock,
            long lasts,
            boolean half,
            long lag,
            long jump) {}

    /**
     * The servers.
     *
     * @param partitions in how many partitions the locks are
     * @param ahead of each server, by how much its clock is ahead of the first one's
     * @param cold whether clients do not listen in a partition until somebody has to wait there
     */
    record Cluster(int partitions, List<Long> ahead, boolean cold) {
        int servers() {
            return ahead.size();
        }

        int partition(String lock) {
            return (lock.charAt(0) - 'a') % partitions;
        }
    }

    private static final Cluster ONE_SERVER = new Cluster(1, List.of(0L), false);

    /** In three runs of ten there are several servers, or several partitions at least. */
    private static final Set<Integer> CLUSTERS = Set.of(1, 7, 8, 13, 14, 17);

    private static final int SEEDS_PER_CLUSTER = 20;

    private static boolean hasCluster(long seed) {
        return CLUSTERS.contains((int) (seed % SEEDS_PER_CLUSTER));
    }

    Cluster cluster() {
        if (!hasCluster(seed)) {
            return ONE_SERVER;
        }
        Random random = random("cluster");
        int servers = random.nextInt(10) == 0 ? 1 : 2 + random.nextInt(2);
        boolean inStep = random.nextInt(3) > 0;
        List<Long> ahead = new ArrayList<>(List.of(0L));
        while (ahead.size() < servers) {
            ahead.add(inStep ? random.nextLong(SimulatedLock.TOLERATED) : random.nextLong(SECOND) - SECOND / 2);
        }
        return new Cluster(2 + random.nextInt(3), ahead, random.nextBoolean());
    }

    /** How many commands of one lock a client may have under way at a time: in one run of five hardly any. */
    int underWay() {
        return seed % 5 == 3 ? 1 + (int) (seed / 5 % 3) : LockMachine.UNDER_WAY;
    }

    /** Until then users begin new things and faults happen. */
    long loud() {
        return weather == Weather.HECTIC ? HECTIC_LOUD : LOUD;
    }

    private Stream<Act> acts() {
        return clients.stream().flatMap(client -> client.users.stream()).flatMap(user -> user.acts.stream());
    }

    List<String> locks() {
        return Stream.concat(acts().map(Act::lock), faults.stream().map(Fault::lock))
                .distinct()
                .sorted()
                .toList();
    }

    Stream<LockOptions> options() {
        return acts().map(Act::options).distinct();
    }

    /** How many things are planned. */
    int size() {
        return faults.size()
                + clients.stream()
                        .mapToInt(client -> 1
                                + client.users.stream()
                                        .mapToInt(user -> 1 + user.acts.size())
                                        .sum())
                        .sum();
    }

    @Override
    public String toString() {
        return "seed " + seed + ", " + weather + ", " + network + ", " + cluster() + ", outage patience "
                + outagePatience + ", commands under way " + underWay() + "\n"
                + clients.stream().map(Plan::text).collect(Collectors.joining("\n"))
                + faults.stream().map(fault -> "\n  " + fault).collect(Collectors.joining());
    }

    private static String text(Client client) {
        return "  " + client.id + " from " + client.start / MILLI + " ms, clock " + client.driftPpm + " ppm"
                + client.users.stream()
                        .map(user -> "\n    " + user.name + (user.isThread ? " (thread)" : "")
                                + user.acts.stream()
                                        .map(act -> "\n      " + act)
                                        .collect(Collectors.joining()))
                        .collect(Collectors.joining());
    }

    // ================================================================ drawing

    static Plan of(long seed) {
        Plan plan = new Draw(seed).plan();
        if (hasCluster(seed)) {
            plan = plan.spread();
        }
        plan = plan.withSuspensions();
        return switch ((int) (seed % 8)) {
            case 3 -> plan.withSome(act -> act.withReplica());
            case 5 -> plan.withSome(act -> act.withReleaseSent());
            case 6 -> plan.weather.isBad() ? plan.withChain() : plan;
            default -> plan;
        };
    }

    /** More locks, and faults that several servers can have. */
    private Plan spread() {
        Random random = random("spread");
        List<String> names = List.of("a", "b", "c", "d", "e").subList(0, 2 + random.nextInt(4));
        List<Fault> spread = new ArrayList<>();
        for (Fault fault : faults) {
            Trouble trouble = switch (random.nextInt(10)) {
                case 0, 1, 2 -> Trouble.MOVE;
                case 3 -> Trouble.FREEZE_SERVER;
                default -> fault.trouble;
            };
            boolean alone = weather == Weather.ONE_FAULT && trouble != Trouble.MOVE && random.nextBoolean();
            trouble = alone ? Trouble.FREEZE_SERVER : trouble; // for longer than most leases: see OTHERS_GO_ON
            long lasts = alone ? random.nextLong(LONGEST_WORK) : fault.lasts;
            Moment moment = switch (trouble == Trouble.MOVE ? 9 : random.nextInt(10)) {
                case 0, 1 -> Moment.SENT_AGAIN;
                case 2 -> Moment.LEARNED;
                default -> fault.moment;
            };
            if (moment == Moment.SENT_AGAIN && random.nextBoolean()) {
                trouble = Trouble.BREAK;
            }
            String lock = names.get(random.nextInt(names.size()));
            spread.add(
                    new Fault(trouble, moment, fault.at, fault.client, lock, lasts, fault.half, fault.lag, fault.jump));
        }
        return with(act -> act.on(names.get(random.nextInt(names.size()))), spread);
    }

    /** Many more clients that wait one after the other, and are all gone at once, or stopped for a while. */
    private Plan withChain() {
        Random random = random("chain");
        List<Client> many = new ArrayList<>(clients);
        List<Fault> frozen = new ArrayList<>(faults);
        String lock = locks().get(0);
        LockOptions fifo = LockOptions.renewedLease(Duration.ofSeconds(4)).withFairness(LockOptions.Fairness.FIFO);
        long at = SECOND / 2 + random.nextLong(2 * SECOND);
        int count = 3 + random.nextInt(8);
        for (int i = 0; i < count; i++) {
            String id = "f" + i;
            List<User> users = new ArrayList<>();
            for (int j = random.nextInt(2); j >= 0; j--) {
                Act act = new Act(Kind.ASYNC, lock, fifo, SECOND, random.nextLong(20 * MILLI), 0, 0);
                users.add(new User(id + (char) ('A' + j), false, 0, List.of(act, act)));
            }
            many.add(new Client(id, random.nextLong(at), 0, users));
            boolean dies = random.nextInt(3) == 0;
            long lasts = random.nextInt(4) == 0 ? random.nextLong(SECOND) : random.nextLong(7 * SECOND);
            frozen.add(new Fault(
                    dies ? Trouble.CRASH : Trouble.PAUSE, Moment.ANY, at, id, lock, lasts, random.nextBoolean(), 0, 0));
        }
        return new Plan(seed, weather, network, outagePatience, many, frozen);
    }

    /**
     * In an eighth of the plans, machines are suspended, and not just paused, and other clients announce themselves under a
     * client's id.
     */
    private Plan withSuspensions() {
        if (seed % 8 != 6) {
            return this;
        }
        Random random = random("suspensions");
        List<Fault> others = new ArrayList<>();
        for (Fault fault : faults) {
            Trouble trouble = switch (fault.trouble) {
                case PAUSE, SILENCE -> Trouble.SUSPEND;
                case DEAF -> Trouble.CLONE;
                default -> fault.trouble;
            };
            long lasts = trouble == Trouble.SUSPEND ? SHORTEST_SUSPENSION + random.nextLong(10 * SECOND) : fault.lasts;
            others.add(new Fault(
                    trouble,
                    fault.moment,
                    fault.at,
                    fault.client,
                    fault.lock,
                    lasts,
                    fault.half,
                    fault.lag,
                    fault.jump));
        }
        return new Plan(seed, weather, network, outagePatience, clients, others);
    }

    /** Some acts, or all, are changed. */
    private Plan withSome(UnaryOperator<Act> change) {
        Random random = random("some");
        boolean all = random.nextBoolean();
        return with(act -> all || random.nextBoolean() ? change.apply(act) : act, faults);
    }

    private Plan with(UnaryOperator<Act> change, List<Fault> others) {
        List<Client> wanting = clients.stream()
                .map(client -> new Client(
                        client.id,
                        client.start,
                        client.driftPpm,
                        client.users.stream()
                                .map(user -> new User(
                                        user.name,
                                        user.isThread,
                                        user.start,
                                        user.acts.stream().map(change).toList()))
                                .toList()))
                .toList();
        return new Plan(seed, weather, network, outagePatience, wanting, others);
    }

    /** A source of randomness for one actor, so that leaving out another one changes little. */
    Random random(String actor) {
        return scrambled(seed * 1_000_003 + actor.hashCode());
    }

    private static Random scrambled(long seed) {
        Random random = new Random(seed);
        random.nextInt(); // the first number of neighbouring seeds is alike
        return random;
    }

    private static final class Draw {

        /** Clocks differ in rate by up to 0.4 % either way: with the server's true rate, less than the 1 % allowed for. */
        private static final int DRIFT_PPM = 4_000;

        private final long seed;
        private final Random random;
        private final Weather weather;
        private final boolean hectic;
        private final long longestRest;
        private final long longestWork;
        private final List<String> locks;
        private final List<LockOptions> options;

        Draw(long seed) {
            this.seed = seed;
            random = scrambled(seed);
            int dice = random.nextInt(10);
            weather =
                    dice < 2 ? Weather.FAIR : dice < 4 ? Weather.ONE_FAULT : dice < 6 ? Weather.ROUGH : Weather.HECTIC;
            hectic = weather == Weather.HECTIC;
            longestRest = 1 + random.nextLong(random.nextBoolean() ? MILLI : hectic ? 50 * MILLI : 300 * MILLI);
            longestWork = random.nextBoolean() ? 2 * MILLI : 1 + random.nextLong(hectic ? SECOND : 2 * SECOND);
            locks = random.nextBoolean() ? List.of("a") : List.of("a", "b");
            options = someOptions();
        }

        /** Some of the options; all of them FIFO, none, or some. */
        private List<LockOptions> someOptions() {
            List<LockOptions> some = new ArrayList<>();
            int fifo = random.nextInt(3);
            int kinds = 1 + random.nextInt(6);
            for (int i = 0; i < kinds; i++) {
                LockOptions any = OPTIONS.get(random.nextInt(random.nextBoolean() ? PLAIN : OPTIONS.size()));
                boolean alone = fifo == 0 || fifo == 1 && random.nextBoolean();
                some.add(alone ? any.withFairness(LockOptions.Fairness.FIFO) : any);
            }
            return some;
        }

        Plan plan() {
            Network network = !weather.isBad() || hectic && random.nextBoolean()
                    ? Network.GOOD
                    : new Network(random.nextInt(300), random.nextInt(40), random.nextInt(100));
            Duration patience = Duration.ofSeconds(random.nextInt(4) == 0 ? 2 : 30);
            List<Client> clients = new ArrayList<>();
            int count = 2 + random.nextInt(hectic ? 2 : 3);
            for (int i = 0; i < count; i++) {
                clients.add(client("c" + i, 0));
            }
            List<Fault> faults = new ArrayList<>();
            int crashes = random.nextInt(3);
            long loud = hectic ? HECTIC_LOUD : LOUD;
            long often = hectic ? SECOND / 2 : 2 * SECOND;
            for (long at = 0; weather != Weather.FAIR && (at += random.nextLong(often)) < loud; ) {
                Fault fault = fault(at, "c" + random.nextInt(clients.size()));
                if ((fault.trouble == Trouble.CRASH || fault.trouble == Trouble.CLOSE) && crashes-- <= 0) {
                    continue;
                }
                faults.add(fault);
                if (weather == Weather.ONE_FAULT) {
                    break;
                }
                if (fault.trouble == Trouble.CRASH || fault.trouble == Trouble.CLOSE) {
                    clients.add(client("c" + clients.size(), at));
                }
            }
            return new Plan(seed, weather, network, patience, clients, faults);
        }

        private Client client(String id, long start) {
            List<User> users = new ArrayList<>();
            int count = 1 + random.nextInt(hectic ? 3 : 4);
            for (int i = 0; i < count; i++) {
                users.add(user(id + (char) ('A' + i)));
            }
            return new Client(id, start, random.nextInt(2 * DRIFT_PPM) - DRIFT_PPM, users);
        }

        private User user(String name) {
            boolean thread = random.nextInt(3) == 0;
            List<Act> acts = new ArrayList<>();
            int count = 1 + random.nextInt(hectic ? 12 : random.nextInt(4) == 0 ? 150 : 30);
            String lock = any(locks);
            for (int i = 0; i < count; i++) {
                if (random.nextInt(4) == 0) {
                    lock = any(locks);
                }
                acts.add(act(lock, thread));
            }
            return new User(name, thread, random.nextLong(10 * MILLI), acts);
        }

        private Act act(String lock, boolean thread) {
            LockOptions with = any(options);
            Kind kind;
            if (thread) {
                kind = any(
                        Kind.LOCK,
                        Kind.LOCK,
                        Kind.NESTED,
                        Kind.TRY,
                        Kind.TIMED,
                        Kind.INTERRUPTIBLE,
                        Kind.ACQUIRE,
                        Kind.CALL);
                kind = random.nextInt(20) == 0 ? Kind.DIE : kind;
                with = random.nextInt(4) == 0 ? with.withOnLoss(LockOptions.OnLoss.INTERRUPT) : with;
            } else {
                kind = any(
                        Kind.ASYNC,
                        Kind.ASYNC,
                        Kind.ASYNC,
                        Kind.ASYNC,
                        Kind.TRY_ASYNC,
                        Kind.TIMED_ASYNC,
                        Kind.CANCELLED);
            }
            long work = random.nextInt(20) == 0 ? random.nextLong(LONGEST_WORK) : random.nextLong(longestWork);
            long extend = random.nextInt(10) == 0 ? 10 * MILLI + random.nextLong(2 * SECOND) : 0;
            long patience = 5 * MILLI + random.nextLong(800 * MILLI); // at least some round trips
            return new Act(kind, lock, with, patience, work, random.nextLong(longestRest), extend);
        }

        private Fault fault(long at, String client) {
            Trouble trouble = any(
                    Trouble.BREAK,
                    Trouble.BREAK,
                    Trouble.BREAK,
                    Trouble.SILENCE,
                    Trouble.DEAF,
                    Trouble.PAUSE,
                    Trouble.PAUSE,
                    Trouble.PAUSE,
                    Trouble.CRASH,
                    Trouble.CRASH,
                    Trouble.CLOSE,
                    Trouble.FREEZE_SERVER,
                    Trouble.RESTART,
                    Trouble.RESTART_EMPTY,
                    Trouble.FLUSH,
                    Trouble.DELETE_KEY,
                    Trouble.FAILOVER,
                    Trouble.FAILOVER,
                    Trouble.CLOCK_BACK,
                    Trouble.FORCE_RELEASE);
            long lasts = random.nextLong(
                    random.nextBoolean() ? 20 * MILLI : trouble == Trouble.PAUSE ? 7 * SECOND : 3 * SECOND);
            if (random.nextInt(8) == 0) {
                lasts *= 4;
            }
            long jump = switch (trouble) {
                case FAILOVER -> random.nextBoolean() ? random.nextLong(-Math.max(0, lasts - 2 * MILLI), lasts + 1) : 0;
                case CLOCK_BACK -> -random.nextLong(3 * SECOND);
                default -> 0;
            };
            Moment moment = random.nextBoolean() ? Moment.ANY : any(Moment.USUAL);
            return new Fault(
                    trouble,
                    moment,
                    at,
                    client,
                    any(locks),
                    lasts,
                    random.nextBoolean(),
                    random.nextLong(random.nextBoolean() ? 2 * MILLI : SECOND),
                    random.nextInt(10) == 0 ? 4 * jump : jump);
        }

        @SafeVarargs
        private final <T> T any(T... those) {
            return those[random.nextInt(those.length)];
        }

        private <T> T any(List<T> those) {
            return those.get(random.nextInt(those.size()));
        }
    }
}
