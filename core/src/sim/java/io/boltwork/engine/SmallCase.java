// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Explores two clients with a few requests each and one fault: every order in which messages in transit can arrive,
 * timers that fire before them, and the fault at every moment. No state is explored twice. The engine cannot
 * go back, so each path is repeated from its beginning.
 */
final class SmallCase {

    /** The number of times that timers may fire while a message is under way. */
    private final int delays;

    /** Seeds with two servers whose clocks agree. Clients listen when a user has to wait, or always. */
    private static final long COLD = 133;

    private static final long WARM = 237;

    private final int depth;
    private final String name;
    private final Plan plan;
    private final List<Plan.Fault> faults;
    private final Set<Long> seen = new HashSet<>();
    private long steps;
    private long ends;
    private long handovers;
    private boolean complete = true;

    /** The requests of the two clients for one lock, each of a user of its own. */
    record Requests(String lock, List<Wish> first, List<Wish> second) {

        /** The same requests of both clients, in opposite orders. */
        static Requests mirrored(String lock, Wish one, Wish other) {
            return new Requests(lock, List.of(one, other), List.of(other, one));
        }
    }

    /** One request: a callback's, or a thread's. Permits as in {@link Plan.Act}. */
    record Wish(Plan.Kind kind, LockOptions options, int permits) {
        static Wish of(LockOptions options, int permits) {
            return new Wish(Plan.Kind.ASYNC, options, permits);
        }

        private boolean isOfThread() {
            return kind != Plan.Kind.ASYNC;
        }
    }

    SmallCase(String name, Requests requests, List<Plan.Trouble> troubles, boolean half, int depth, int delays) {
        this.name = name;
        this.depth = depth;
        this.delays = delays;
        this.faults = troubles.stream()
                .map(trouble -> new Plan.Fault(trouble, Plan.Moment.ANY, 0, "c0", requests.lock, 0, half, 0, 0))
                .toList();
        this.plan = new Plan(
                !troubles.contains(Plan.Trouble.MOVE) ? 0 : half ? COLD : WARM,
                Plan.Weather.ROUGH, // what is late for longer than a lease is a fault, too
                Plan.Network.GOOD,
                Duration.ofSeconds(30),
                List.of(client("c0", requests.lock, requests.first), client("c1", requests.lock, requests.second)),
                List.of());
    }

    private static Plan.Client client(String id, String lock, List<Wish> wishes) {
        List<Plan.User> users = new ArrayList<>();
        for (Wish wish : wishes) {
            Plan.Act act = new Plan.Act(wish.kind, lock, wish.options, 0, 0, 0, 0, wish.permits);
            users.add(new Plan.User(id + (char) ('A' + users.size()), wish.isOfThread(), 0, List.of(act)));
        }
        return new Plan.Client(id, 0, 0, users);
    }

    /** One world, and its path so far. */
    final class World implements AutoCloseable {
        final Exploration time = new Exploration();
        final Simulation simulation;
        int delayed;

        World(boolean withTimeline) {
            simulation = new Simulation(plan, time, withTimeline);
            simulation.cluster.keepReplicas();
            time.pass(); // the clients start, and announce themselves
            introduce();
            for (String client : List.of("c0", "c1")) {
                time.happen(client + "A"); // a later start is like a slower command
            }
            for (Plan.Fault fault : faults) {
                time.at("fault " + fault.trouble(), 0, () -> fail(fault));
            }
        }

        private void fail(Plan.Fault fault) {
            time.setNow(time.now() + 2 * Plan.MILLI); // losses of data take time, and tokens rely on it
            if (fault.trouble() == Plan.Trouble.FAILOVER) {
                simulation.failOver(fault, simulation.cluster.copyBehind(simulation.serverOf(fault)));
            } else {
                simulation.happen(fault);
            }
        }

        /**
         * Delivers announcements and their answers at once. They concern no lock, so their order does not matter here.
         */
        private void introduce() {
            for (String channel : time.ready()) {
                if (channel.endsWith(SimulatedLink.INTRODUCTIONS)) {
                    time.happen(channel);
                    introduce(); // its answer
                    return;
                }
            }
        }

        /** The number of possible next steps. */
        int ways() {
            List<String> ready = time.ready();
            boolean mayPass = time.isTimerDue(Long.MAX_VALUE)
                    && (simulation.history.hasPendingCallsOrHolds() || simulation.checks.hasSharedHolds());
            boolean waits = ready.stream().anyMatch(channel -> !channel.startsWith("fault"));
            return ready.size() + (mayPass && (!waits || delayed < delays) ? 1 : 0);
        }

        void go(int way) {
            List<String> ready = time.ready();
            if (way < ready.size()) {
                time.happen(ready.get(way));
            } else {
                if (ready.stream().anyMatch(channel -> !channel.startsWith("fault"))) {
                    delayed++;
                }
                time.pass();
            }
            introduce();
            steps++;
            simulation.check();
        }

        long fingerprint() {
            List<Object> others = new ArrayList<>(time.pending());
            others.add(delayed);
            return Fingerprint.of(simulation, others);
        }

        /** Delivers everything and lets time pass. Then all users must be served, and nothing may be left. */
        void end() {
            long end = time.now() + 60 * Plan.SECOND;
            for (int i = 0; i < 100_000; i++) {
                List<String> ready = time.ready();
                String next = ready.stream()
                        .filter(channel -> !channel.startsWith("fault"))
                        .findFirst()
                        .orElse(null);
                if (next != null) {
                    time.happen(next);
                } else if (time.isTimerDue(end)) {
                    time.pass();
                } else {
                    break;
                }
                introduce();
                simulation.check();
                simulation.checks.lookAtShares(); // from here on, nothing is late
            }
            simulation.checks.afterHealing();
            simulation.checks.atRest();
            handovers += simulation.history.handovers;
        }

        @Override
        public void close() {
            simulation.clients().forEach(SimulatedClient::endThreads);
        }
    }

    /** Explores all paths, but at most a number of states. */
    void explore(long mostStates) {
        ArrayDeque<int[]> open = new ArrayDeque<>();
        open.add(new int[0]);
        while (!open.isEmpty() && seen.size() < mostStates) { // early branches come first
            int[] way = open.remove();
            try {
                follow(way, open, mostStates);
            } catch (Violation violation) {
                throw new AssertionError(name + ": " + violation.getMessage() + "\n" + story(failing), violation);
            }
        }
        complete &= open.isEmpty();
    }

    private int[] failing = {};

    private void follow(int[] begin, ArrayDeque<int[]> open, long mostStates) {
        try (World world = new World(false)) {
            follow(world, begin, open, mostStates);
        }
    }

    private void follow(World world, int[] begin, ArrayDeque<int[]> open, long mostStates) {
        int[] way = Arrays.copyOf(begin, Math.max(depth, begin.length));
        failing = begin;
        for (int choice : begin) {
            world.go(choice);
        }
        for (int at = begin.length; ; at++) {
            failing = Arrays.copyOf(way, at);
            if (!seen.add(world.fingerprint())) {
                return;
            }
            int ways = world.ways();
            if (ways == 0 || at == depth || seen.size() >= mostStates) {
                complete &= ways == 0;
                ends++;
                world.end();
                return;
            }
            for (int other = ways - 1; other > 0; other--) {
                int[] branch = Arrays.copyOf(way, at + 1);
                branch[at] = other;
                open.add(branch);
            }
            way[at] = 0;
            failing = Arrays.copyOf(way, at + 1);
            world.go(0);
        }
    }

    /** Repeats a path, with its timeline. */
    private String story(int[] way) {
        try (World world = new World(true)) {
            try {
                for (int choice : way) {
                    world.go(choice);
                }
                world.end();
            } catch (Violation again) {
                world.simulation.timeline.add("-", String.valueOf(again.getMessage()));
            }
            return Arrays.toString(way) + "\n" + world.simulation.timeline.last(200);
        }
    }

    String name() {
        return name;
    }

    int states() {
        return seen.size();
    }

    long steps() {
        return steps;
    }

    long ends() {
        return ends;
    }

    /** Returns how many holds began without a grant, over all ways to the end. */
    long handovers() {
        return handovers;
    }

    /** Returns whether every path was followed to its end. */
    boolean isComplete() {
        return complete;
    }
}
