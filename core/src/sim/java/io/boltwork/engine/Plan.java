// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import io.boltwork.Replication;
import io.boltwork.machine.LockMachine;
import io.boltwork.spi.rules.ServerClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The plan of a simulated run: its clients, the actions of their users, the network, and the faults with their times. A
 * seed decides all of it; a {@link Reduction} leaves parts of it out. Times are virtual nanoseconds.
 */
record Plan(
        long seed,
        Weather weather,
        Network network,
        Duration outagePatience,
        List<Client> clients,
        List<Fault> faults) {

    static final long MICRO = VirtualTime.MICRO;
    static final long MILLI = VirtualTime.MILLI;
    static final long SECOND = VirtualTime.SECOND;

    /** Shorter suspensions are not noticed, and may cost as much of a lease. */
    static final long SHORTEST_SUSPENSION = ServerClock.NOTICED + 100 * MILLI;

    private static final long LOUD = 20 * SECOND;
    private static final long HECTIC_LOUD = 5 * SECOND;

    static final long LONGEST_WORK = 8 * SECOND;

    /** The amount of faults. */
    enum Weather {
        /** Nothing. */
        FAIR,
        /** A good network and one fault, whose damage must be repaired quickly. */
        ONE_FAULT,
        /** A bad network, and one fault after the other. */
        ROUGH,
        /** As the previous one, but within a few seconds, so that faults coincide. */
        HECTIC;

        boolean isBad() {
            return this == ROUGH || this == HECTIC;
        }

        /** Returns the time within which users begin new acts and faults happen. */
        long loud() {
            return this == HECTIC ? HECTIC_LOUD : LOUD;
        }
    }

    /** Per mille of messages that are late by tens of milliseconds, late by up to a second, or lost. */
    record Network(int slow, int stuck, int lost) {
        static final Network GOOD = new Network(0, 0, 0);
    }

    /** A JVM with a clock of its own. */
    record Client(String id, long start, long driftPpm, List<User> users) {}

    /** A user that performs one act after the other: a thread, or callbacks. */
    record User(String name, boolean isThread, long start, List<Act> acts) {}

    /** An action of a user on a lock. */
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
        /** Holds the lock, and waits for its condition until there is something to take. */
        AWAIT,
        /** As the previous one, and each wait has a limit, or is interrupted. */
        AWAIT_BRIEFLY,
        /** Holds the lock, puts something there, and signals. */
        SIGNAL,
        ASYNC,
        TRY_ASYNC,
        TIMED_ASYNC,
        CANCELLED;

        /** Returns whether the act waits without a limit. */
        boolean isPatient() {
            return switch (this) {
                case LOCK, NESTED, ACQUIRE, DIE, ASYNC -> true;
                default -> false;
            };
        }
    }

    /**
     * @param extend by how much the lease is extended meanwhile; 0 for no extension
     * @param permits how many are wanted of a shared lock; 0 of a plain lock
     */
    record Act(
            Kind kind,
            String lock,
            LockOptions options,
            long patience,
            long work,
            long rest,
            long extend,
            int permits) {
        Act(Kind kind, String lock, LockOptions options, long patience, long work, long rest, long extend) {
            this(kind, lock, options, patience, work, rest, extend, 0);
        }

        boolean isOfReader() {
            return permits == 1 && SharedName.kind(lock) == LockKind.READ_WRITE;
        }

        /** A replica must know of the hold. */
        Act withReplica() {
            return with(options.withReplication(Replication.atLeast(1, Duration.ofMillis(50))));
        }

        /** Other options, with the same effect of a loss. */
        Act renewed(LockOptions other) {
            return with(other.withOnLoss(options.onLoss()));
        }

        /** The answer to the release is not awaited. */
        Act withReleaseSent() {
            return with(options.withRelease(LockOptions.Release.SENT));
        }

        Act as(Kind another) {
            return new Act(another, lock, options, patience, work, rest, extend, permits);
        }

        Act on(String another) {
            return new Act(kind, another, options, patience, work, rest, extend, permits);
        }

        /** The same on a shared lock. */
        Act shared(Kind like, String another, LockOptions with, int many) {
            return new Act(like, another, with, patience, work, rest, extend, many);
        }

        private Act with(LockOptions other) {
            return new Act(kind, lock, other, patience, work, rest, extend, permits);
        }
    }

    enum Trouble {
        /** Both connections of a client break. */
        BREAK,
        /** Messages to and from a client are delayed, without an error, and all arrive afterwards. */
        SILENCE,
        /** The connection for messages breaks alone. */
        DEAF,
        PAUSE,
        /** The machine of a client is suspended: its monotonic clock stands still. */
        SUSPEND,
        /** Another living client announces itself under a client's id. */
        CLONE,
        CRASH,
        /** A client is closed. */
        CLOSE,
        FREEZE_SERVER,
        /** A server restarts with its data. */
        RESTART,
        /** A server restarts without its data. */
        RESTART_EMPTY,
        FLUSH,
        DELETE_KEY,
        /** A replica without the last writes takes over. Its clock may differ. */
        FAILOVER,
        /** The server's clock is set back. */
        CLOCK_BACK,
        /** A partition moves to another server, and no connection breaks. */
        MOVE,
        FORCE_RELEASE;

        /** Returns whether the fault concerns one server, or its connection to a client, and no other server. */
        boolean isOfOneServer() {
            return switch (this) {
                case BREAK, DEAF, FREEZE_SERVER, RESTART, RESTART_EMPTY, FLUSH, FAILOVER -> true;
                default -> false;
            };
        }
    }

    /** The moment of a fault: each is a bad one. */
    enum Moment {
        /** At the fault's time, independent of other events. */
        ANY,
        /** After the fault's time, when its client has sent a renewal. */
        SENT_RENEWAL,
        /** After the server has executed such a command of the fault's client, while the answer is in transit. */
        ACQUIRED,
        RELEASED,
        RENEWED,
        RESTORED,
        WITHDRAWN,
        /** After the server has granted the lock to its client by message. */
        GRANTED,
        /** After its client has sent a command again, to the server that a lock has moved to. */
        SENT_AGAIN,
        /** After its client has learned that a partition has moved. */
        LEARNED;

        /** The moments that also exist with one server. */
        static final Moment[] USUAL = Arrays.copyOf(values(), SENT_AGAIN.ordinal());
    }

    /**
     * @param client the client concerned, unless the fault concerns a server
     * @param lasts the duration
     * @param half whether the connection is half open, so that the other side does not notice
     * @param lag by how much the replica is behind; one command at any moment but {@link Moment#ANY}
     * @param jump by how much the replica's clock is ahead
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
     * @param partitions the number of partitions of the locks
     * @param ahead by how much each server's clock is ahead of the first one's
     * @param cold whether clients listen in a partition only once a user has to wait there
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

    /** Draws the servers. Three runs of ten have several servers, or at least several partitions. */
    private static final Set<Integer> CLUSTERS = Set.of(1, 7, 8, 13, 14, 17);

    private static final int SEEDS_PER_CLUSTER = 20;

    static boolean hasCluster(long seed) {
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

    /**
     * The most commands of one lock that a client may have under way at a time; in one run of five a very small number.
     */
    int underWay() {
        return seed % 5 == 3 ? 1 + (int) (seed / 5 % 3) : LockMachine.UNDER_WAY;
    }

    /** The time until which users begin new acts and faults happen. */
    long loud() {
        return weather.loud();
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

    /** The number of parts of the plan. */
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

    static Plan of(long seed) {
        return PlanDrawing.of(seed);
    }

    /** Seeds from here on have shared locks instead of plain ones. */
    static final long SHARED = 1_000_000_000;

    /** Seeds from here on have threads that wait for conditions. */
    static final long CONDITIONS = 2 * SHARED;

    /** Seeds from here on have clients that retain locks. */
    static final long RETENTION = 3 * SHARED;

    /** From this seed on, callers execute commands themselves. */
    static final long EXECUTING = 4 * SHARED;

    boolean hasConditions() {
        return seed >= CONDITIONS && seed < RETENTION;
    }

    /** Returns random numbers for one actor, so that leaving out another one changes little. */
    Random random(String actor) {
        return scrambled(seed * 1_000_003 + actor.hashCode());
    }

    static Random scrambled(long seed) {
        Random random = new Random(seed);
        random.nextInt(); // the first number of neighbouring seeds is alike
        return random;
    }
}
