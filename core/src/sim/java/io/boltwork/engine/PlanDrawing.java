// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Draws a {@link Plan} from its seed. */
final class PlanDrawing {

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

    /** The most by which rates of clocks differ: 0.4 % either way, which is less than the allowed 1 %. */
    private static final int DRIFT_PPM = 4_000;

    private final long seed;
    private final Random random;
    private final Plan.Weather weather;
    private final boolean hectic;
    private final long longestRest;
    private final long longestWork;
    private final List<String> locks;
    private final List<LockOptions> options;

    /** Draws the plan of a seed. */
    static Plan of(long seed) {
        Plan plan = new PlanDrawing(seed).plan();
        if (Plan.hasCluster(seed)) {
            plan = PlanVariants.spread(plan);
        }
        plan = PlanVariants.withSuspensions(plan);
        plan = withOptions(seed, plan);
        if (seed >= Plan.EXECUTING) {
            return seed % 3 == 0 ? plan : seed % 3 == 1 ? PlanVariants.shared(plan) : PlanVariants.withRetention(plan);
        }
        if (seed >= Plan.RETENTION) {
            return PlanVariants.withRetention(plan);
        }
        if (seed >= Plan.CONDITIONS) {
            return PlanVariants.withConditions(plan);
        }
        return seed < Plan.SHARED ? plan : PlanVariants.shared(plan);
    }

    private static Plan withOptions(long seed, Plan plan) {
        return switch ((int) (seed % 8)) {
            case 3 -> PlanVariants.withSome(plan, act -> act.withReplica());
            case 5 -> PlanVariants.withSome(plan, act -> act.withReleaseSent());
            case 6 -> plan.weather().isBad() ? PlanVariants.withChain(plan) : plan;
            default -> plan;
        };
    }

    private PlanDrawing(long seed) {
        this.seed = seed;
        random = Plan.scrambled(seed);
        int dice = random.nextInt(10);
        weather = dice < 2
                ? Plan.Weather.FAIR
                : dice < 4 ? Plan.Weather.ONE_FAULT : dice < 6 ? Plan.Weather.ROUGH : Plan.Weather.HECTIC;
        hectic = weather == Plan.Weather.HECTIC;
        longestRest =
                1 + random.nextLong(random.nextBoolean() ? Plan.MILLI : hectic ? 50 * Plan.MILLI : 300 * Plan.MILLI);
        longestWork =
                random.nextBoolean() ? 2 * Plan.MILLI : 1 + random.nextLong(hectic ? Plan.SECOND : 2 * Plan.SECOND);
        locks = random.nextBoolean() ? List.of("a") : List.of("a", "b");
        options = someOptions();
    }

    /** Draws options: all of them FIFO, none, or some. */
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

    private Plan plan() {
        Plan.Network network = !weather.isBad() || hectic && random.nextBoolean()
                ? Plan.Network.GOOD
                : new Plan.Network(random.nextInt(300), random.nextInt(40), random.nextInt(100));
        Duration patience = Duration.ofSeconds(random.nextInt(4) == 0 ? 2 : 30);
        List<Plan.Client> clients = new ArrayList<>();
        int count = 2 + random.nextInt(hectic ? 2 : 3);
        for (int i = 0; i < count; i++) {
            clients.add(client("c" + i, 0));
        }
        List<Plan.Fault> faults = new ArrayList<>();
        int crashes = random.nextInt(3);
        long loud = weather.loud();
        long often = hectic ? Plan.SECOND / 2 : 2 * Plan.SECOND;
        for (long at = 0; weather != Plan.Weather.FAIR && (at += random.nextLong(often)) < loud; ) {
            Plan.Fault fault = fault(at, "c" + random.nextInt(clients.size()));
            if ((fault.trouble() == Plan.Trouble.CRASH || fault.trouble() == Plan.Trouble.CLOSE) && crashes-- <= 0) {
                continue;
            }
            faults.add(fault);
            if (weather == Plan.Weather.ONE_FAULT) {
                break;
            }
            if (fault.trouble() == Plan.Trouble.CRASH || fault.trouble() == Plan.Trouble.CLOSE) {
                clients.add(client("c" + clients.size(), at));
            }
        }
        return new Plan(seed, weather, network, patience, clients, faults);
    }

    private Plan.Client client(String id, long start) {
        List<Plan.User> users = new ArrayList<>();
        int count = 1 + random.nextInt(hectic ? 3 : 4);
        for (int i = 0; i < count; i++) {
            users.add(user(id + (char) ('A' + i)));
        }
        return new Plan.Client(id, start, random.nextInt(2 * DRIFT_PPM) - DRIFT_PPM, users);
    }

    private Plan.User user(String name) {
        boolean thread = random.nextInt(3) == 0;
        List<Plan.Act> acts = new ArrayList<>();
        int count = 1 + random.nextInt(hectic ? 12 : random.nextInt(4) == 0 ? 150 : 30);
        String lock = any(locks);
        for (int i = 0; i < count; i++) {
            if (random.nextInt(4) == 0) {
                lock = any(locks);
            }
            acts.add(act(lock, thread));
        }
        return new Plan.User(name, thread, random.nextLong(10 * Plan.MILLI), acts);
    }

    private Plan.Act act(String lock, boolean thread) {
        LockOptions with = any(options);
        Plan.Kind kind;
        if (thread) {
            kind = any(
                    Plan.Kind.LOCK,
                    Plan.Kind.LOCK,
                    Plan.Kind.NESTED,
                    Plan.Kind.TRY,
                    Plan.Kind.TIMED,
                    Plan.Kind.INTERRUPTIBLE,
                    Plan.Kind.ACQUIRE,
                    Plan.Kind.CALL);
            kind = random.nextInt(20) == 0 ? Plan.Kind.DIE : kind;
            with = random.nextInt(4) == 0 ? with.withOnLoss(LockOptions.OnLoss.INTERRUPT) : with;
        } else {
            kind = any(
                    Plan.Kind.ASYNC,
                    Plan.Kind.ASYNC,
                    Plan.Kind.ASYNC,
                    Plan.Kind.ASYNC,
                    Plan.Kind.TRY_ASYNC,
                    Plan.Kind.TIMED_ASYNC,
                    Plan.Kind.CANCELLED);
        }
        long work = random.nextInt(20) == 0 ? random.nextLong(Plan.LONGEST_WORK) : random.nextLong(longestWork);
        long extend = random.nextInt(10) == 0 ? 10 * Plan.MILLI + random.nextLong(2 * Plan.SECOND) : 0;
        long patience = 5 * Plan.MILLI + random.nextLong(800 * Plan.MILLI); // at least some round trips
        return new Plan.Act(kind, lock, with, patience, work, random.nextLong(longestRest), extend);
    }

    private Plan.Fault fault(long at, String client) {
        Plan.Trouble trouble = any(
                Plan.Trouble.BREAK,
                Plan.Trouble.BREAK,
                Plan.Trouble.BREAK,
                Plan.Trouble.SILENCE,
                Plan.Trouble.DEAF,
                Plan.Trouble.PAUSE,
                Plan.Trouble.PAUSE,
                Plan.Trouble.PAUSE,
                Plan.Trouble.CRASH,
                Plan.Trouble.CRASH,
                Plan.Trouble.CLOSE,
                Plan.Trouble.FREEZE_SERVER,
                Plan.Trouble.RESTART,
                Plan.Trouble.RESTART_EMPTY,
                Plan.Trouble.FLUSH,
                Plan.Trouble.DELETE_KEY,
                Plan.Trouble.FAILOVER,
                Plan.Trouble.FAILOVER,
                Plan.Trouble.CLOCK_BACK,
                Plan.Trouble.FORCE_RELEASE);
        long lasts = random.nextLong(
                random.nextBoolean()
                        ? 20 * Plan.MILLI
                        : trouble == Plan.Trouble.PAUSE ? 7 * Plan.SECOND : 3 * Plan.SECOND);
        if (random.nextInt(8) == 0) {
            lasts *= 4;
        }
        long jump = switch (trouble) {
            case FAILOVER ->
                random.nextBoolean() ? random.nextLong(-Math.max(0, lasts - 2 * Plan.MILLI), lasts + 1) : 0;
            case CLOCK_BACK -> -random.nextLong(3 * Plan.SECOND);
            default -> 0;
        };
        Plan.Moment moment = random.nextBoolean() ? Plan.Moment.ANY : any(Plan.Moment.USUAL);
        return new Plan.Fault(
                trouble,
                moment,
                at,
                client,
                any(locks),
                lasts,
                random.nextBoolean(),
                random.nextLong(random.nextBoolean() ? 2 * Plan.MILLI : Plan.SECOND),
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
