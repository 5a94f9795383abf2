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
 * Explores two clients with two requests each and one fault: every order in which messages in transit can arrive,
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
    private boolean complete = true;

    SmallCase(
            String name,
            LockOptions first,
            LockOptions second,
            List<Plan.Trouble> troubles,
            boolean half,
            int depth,
            int delays) {
        this.name = name;
        this.depth = depth;
        this.delays = delays;
        this.faults = troubles.stream()
                .map(trouble -> new Plan.Fault(trouble, Plan.Moment.ANY, 0, "c0", "a", 0, half, 0, 0))
                .toList();
        this.plan = new Plan(
                !troubles.contains(Plan.Trouble.MOVE) ? 0 : half ? COLD : WARM,
                Plan.Weather.ROUGH, // what is late for longer than a lease is a fault, too
                Plan.Network.GOOD,
                Duration.ofSeconds(30),
                List.of(client("c0", first, second), client("c1", second, first)),
                List.of());
    }

    private static Plan.Client client(String id, LockOptions first, LockOptions second) {
        return new Plan.Client(id, 0, 0, List.of(user(id + "A", first), user(id + "B", second)));
    }

    private static Plan.User user(String name, LockOptions options) {
        Plan.Act act = new Plan.Act(Plan.Kind.ASYNC, "a", options, 0, 0, 0, 0);
        return new Plan.User(name, false, 0, List.of(act));
    }

    /** One world, and its path so far. */
    private final class World {
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

        /** Delivers announcements and their answers at once. They concern no lock, so their order does not matter here. */
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
            boolean mayPass = time.isTimerDue(Long.MAX_VALUE) && simulation.history.hasPendingCallsOrHolds();
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
            }
            simulation.checks.afterHealing();
            simulation.checks.atRest();
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
        World world = new World(false);
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
        World world = new World(true);
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

    /** Returns whether every path was followed to its end. */
    boolean isComplete() {
        return complete;
    }
}
