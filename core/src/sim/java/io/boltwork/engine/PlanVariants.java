// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockKind;
import io.boltwork.LockOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Changes of a drawn {@link Plan} that only some seeds have: more locks and clients, and rarer faults and options. */
final class PlanVariants {

    private PlanVariants() {}

    /** Adds locks, and faults of several servers. */
    static Plan spread(Plan plan) {
        Random random = plan.random("spread");
        List<String> names = List.of("a", "b", "c", "d", "e").subList(0, 2 + random.nextInt(4));
        List<Plan.Fault> spread = new ArrayList<>();
        for (Plan.Fault fault : plan.faults()) {
            Plan.Trouble trouble = switch (random.nextInt(10)) {
                case 0, 1, 2 -> Plan.Trouble.MOVE;
                case 3 -> Plan.Trouble.FREEZE_SERVER;
                default -> fault.trouble();
            };
            boolean alone =
                    plan.weather() == Plan.Weather.ONE_FAULT && trouble != Plan.Trouble.MOVE && random.nextBoolean();
            trouble = alone ? Plan.Trouble.FREEZE_SERVER : trouble; // for longer than most leases: see OTHERS_GO_ON
            long lasts = alone ? random.nextLong(Plan.LONGEST_WORK) : fault.lasts();
            Plan.Moment moment = switch (trouble == Plan.Trouble.MOVE ? 9 : random.nextInt(10)) {
                case 0, 1 -> Plan.Moment.SENT_AGAIN;
                case 2 -> Plan.Moment.LEARNED;
                default -> fault.moment();
            };
            if (moment == Plan.Moment.SENT_AGAIN && random.nextBoolean()) {
                trouble = Plan.Trouble.BREAK;
            }
            String lock = names.get(random.nextInt(names.size()));
            spread.add(new Plan.Fault(
                    trouble, moment, fault.at(), fault.client(), lock, lasts, fault.half(), fault.lag(), fault.jump()));
        }
        return with(plan, act -> act.on(names.get(random.nextInt(names.size()))), spread);
    }

    /** Adds many clients that wait in sequence, and all die or pause at the same time. */
    static Plan withChain(Plan plan) {
        Random random = plan.random("chain");
        List<Plan.Client> many = new ArrayList<>(plan.clients());
        List<Plan.Fault> frozen = new ArrayList<>(plan.faults());
        String lock = plan.locks().get(0);
        LockOptions fifo = LockOptions.renewedLease(Duration.ofSeconds(4)).withFairness(LockOptions.Fairness.FIFO);
        long at = Plan.SECOND / 2 + random.nextLong(2 * Plan.SECOND);
        int count = 3 + random.nextInt(8);
        for (int i = 0; i < count; i++) {
            String id = "f" + i;
            List<Plan.User> users = new ArrayList<>();
            for (int j = random.nextInt(2); j >= 0; j--) {
                Plan.Act act =
                        new Plan.Act(Plan.Kind.ASYNC, lock, fifo, Plan.SECOND, random.nextLong(20 * Plan.MILLI), 0, 0);
                users.add(new Plan.User(id + (char) ('A' + j), false, 0, List.of(act, act)));
            }
            many.add(new Plan.Client(id, random.nextLong(at), 0, users));
            boolean dies = random.nextInt(3) == 0;
            long lasts = random.nextInt(4) == 0 ? random.nextLong(Plan.SECOND) : random.nextLong(7 * Plan.SECOND);
            frozen.add(new Plan.Fault(
                    dies ? Plan.Trouble.CRASH : Plan.Trouble.PAUSE,
                    Plan.Moment.ANY,
                    at,
                    id,
                    lock,
                    lasts,
                    random.nextBoolean(),
                    0,
                    0));
        }
        return new Plan(plan.seed(), plan.weather(), plan.network(), plan.outagePatience(), many, frozen);
    }

    /**
     * Suspends machines in an eighth of the plans, in addition to pauses, and lets other clients announce themselves
     * under a client's id.
     */
    static Plan withSuspensions(Plan plan) {
        if (plan.seed() % 8 != 6) {
            return plan;
        }
        Random random = plan.random("suspensions");
        List<Plan.Fault> others = new ArrayList<>();
        for (Plan.Fault fault : plan.faults()) {
            Plan.Trouble trouble = switch (fault.trouble()) {
                case PAUSE, SILENCE -> Plan.Trouble.SUSPEND;
                case DEAF -> Plan.Trouble.CLONE;
                default -> fault.trouble();
            };
            long lasts = trouble == Plan.Trouble.SUSPEND
                    ? Plan.SHORTEST_SUSPENSION + random.nextLong(10 * Plan.SECOND)
                    : fault.lasts();
            others.add(new Plan.Fault(
                    trouble,
                    fault.moment(),
                    fault.at(),
                    fault.client(),
                    fault.lock(),
                    lasts,
                    fault.half(),
                    fault.lag(),
                    fault.jump()));
        }
        return new Plan(plan.seed(), plan.weather(), plan.network(), plan.outagePatience(), plan.clients(), others);
    }

    /** Replaces each lock by a read-write lock or a semaphore. */
    static Plan shared(Plan plan) {
        Random random = plan.random("shared");
        Map<String, String> names = new TreeMap<>();
        for (String lock : plan.locks()) {
            names.put(
                    lock,
                    random.nextBoolean()
                            ? SharedName.readWrite(lock)
                            : SharedName.semaphore(lock, 1 + random.nextInt(4)));
        }
        int readers = 1 + random.nextInt(9);
        List<Plan.Fault> others = new ArrayList<>();
        for (Plan.Fault fault : plan.faults()) {
            others.add(new Plan.Fault(
                    fault.trouble(),
                    fault.moment(),
                    fault.at(),
                    fault.client(),
                    Objects.requireNonNull(names.get(fault.lock())),
                    fault.lasts(),
                    fault.half(),
                    fault.lag(),
                    fault.jump()));
        }
        return with(plan, act -> shared(act, Objects.requireNonNull(names.get(act.lock())), readers, random), others);
    }

    private static Plan.Act shared(Plan.Act act, String name, int readers, Random random) {
        int all = SharedName.capacity(name);
        if (SharedName.kind(name) == LockKind.READ_WRITE) {
            return act.shared(act.kind(), name, act.options(), random.nextInt(10) < readers ? 1 : all);
        }
        Plan.Kind kind = switch (act.kind()) {
            case LOCK, NESTED, CALL, DIE -> Plan.Kind.ACQUIRE; // leases of a semaphore belong to no thread
            default -> act.kind();
        };
        int permits = random.nextInt(3) == 0 ? 1 + random.nextInt(all) : 1;
        return act.shared(kind, name, act.options().withOnLoss(LockOptions.OnLoss.NOTIFY), permits);
    }

    /** Lets most users wait for conditions, or signal. All users are threads. */
    static Plan withConditions(Plan plan) {
        Random random = plan.random("conditions");
        Plan changed = with(plan, act -> act.as(onCondition(act, random)), plan.faults());
        List<Plan.Client> threads = changed.clients().stream()
                .map(client -> new Plan.Client(
                        client.id(),
                        client.start(),
                        client.driftPpm(),
                        client.users().stream()
                                .map(user -> new Plan.User(user.name(), true, user.start(), user.acts()))
                                .toList()))
                .toList();
        return new Plan(plan.seed(), plan.weather(), plan.network(), plan.outagePatience(), threads, changed.faults());
    }

    /** Lets clients retain locks, for most acts or for some. */
    static Plan withRetention(Plan plan) {
        Random random = plan.random("retention");
        int most = 1 + random.nextInt(10);
        long longest = 20 + random.nextInt(2_000);
        List<LockOptions> leases = List.of(
                LockOptions.renewedLease(Duration.ofSeconds(1)),
                LockOptions.renewedLease(Duration.ofSeconds(1 + random.nextInt(4))));
        List<LockOptions> options = new ArrayList<>(leases);
        for (LockOptions lease : leases) {
            options.add(lease.withRetention(Duration.ofMillis(10 + random.nextLong(longest))));
        }
        return with(
                plan,
                act -> act.renewed(options.get(random.nextInt(2) + (random.nextInt(10) < most ? 2 : 0))),
                plan.faults());
    }

    private static Plan.Kind onCondition(Plan.Act act, Random random) {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> Plan.Kind.SIGNAL;
            case 4, 5, 6 -> Plan.Kind.AWAIT;
            case 7, 8 -> Plan.Kind.AWAIT_BRIEFLY;
            default -> random.nextBoolean() ? Plan.Kind.TRY : Plan.Kind.LOCK;
        };
    }

    /** Changes some acts, or all. */
    static Plan withSome(Plan plan, UnaryOperator<Plan.Act> change) {
        Random random = plan.random("some");
        boolean all = random.nextBoolean();
        return with(plan, act -> all || random.nextBoolean() ? change.apply(act) : act, plan.faults());
    }

    private static Plan with(Plan plan, UnaryOperator<Plan.Act> change, List<Plan.Fault> others) {
        List<Plan.Client> wanting = plan.clients().stream()
                .map(client -> new Plan.Client(
                        client.id(),
                        client.start(),
                        client.driftPpm(),
                        client.users().stream()
                                .map(user -> new Plan.User(
                                        user.name(),
                                        user.isThread(),
                                        user.start(),
                                        user.acts().stream().map(change).toList()))
                                .toList()))
                .toList();
        return new Plan(plan.seed(), plan.weather(), plan.network(), plan.outagePatience(), wanting, others);
    }
}
