// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests the order in which members are acquired: by example, and by callers that overlap at random. */
class MultiPlanTest {

    private static final int SEEDS = Integer.getInteger("boltwork.seeds", 500);

    // ================================================================ examples

    @Test
    void allMembersAreTriedAtOnce() {
        MultiPlan plan = plan(0, 1, 2);
        assertRound(plan.next(), "{0, 1, 2} at once");
        assertThat(plan.decided(round(0, 1, 2), set(0, 1, 2))).isEqualTo(set());
        assertThat(plan.isDone()).isTrue();
    }

    @Test
    void membersBeforeTheRefusedOneAreKept() {
        MultiPlan plan = plan(0, 1, 2, 3);
        assertThat(plan.decided(plan.next(), set(0, 2, 3))).isEqualTo(set(2, 3));
        assertRound(plan.next(), "{1} in time");
        assertThat(plan.decided(plan.next(), set(1))).isEqualTo(set());
        assertRound(plan.next(), "{2} in time");
        plan.decided(plan.next(), set(2));
        assertThat(plan.isDone()).isFalse();
        plan.decided(plan.next(), set(3));
        assertThat(plan.isDone()).isTrue();
    }

    @Test
    void membersThatTheCallerHoldsAreNotRequested() {
        MultiPlan plan = new MultiPlan(new int[] {0, 1, 2}, set(0));
        assertRound(plan.next(), "{1, 2} at once");
        assertThat(plan.decided(round(1, 2), set(2))).isEqualTo(set(2));
    }

    @Test
    void ofEqualMembersOneIsWaitedForAndTheOthersAreTried() {
        MultiPlan plan = plan(0, 1, 1, 2);
        assertThat(plan.decided(plan.next(), set(0, 1, 3))).isEqualTo(set(1, 3));
        assertRound(plan.next(), "{2} in time after a pause");
        plan.decided(plan.next(), set(2));
        assertRound(plan.next(), "{1} at once");
        assertThat(plan.decided(round(1), set())).isEqualTo(set(2));
        assertRound(plan.next(), "{1} in time after a pause");
        plan.decided(plan.next(), set(1));
        assertRound(plan.next(), "{2} at once");
        assertThat(plan.decided(round(2), set(2))).isEqualTo(set());
        assertRound(plan.next(), "{3} in time");
    }

    @Test
    void membersFromALostOneOnAreGivenBack() {
        MultiPlan plan = plan(0, 1, 2);
        plan.decided(plan.next(), set(0, 1, 2));
        assertThat(plan.lost(1)).isEqualTo(set(2));
        assertRound(plan.next(), "{1} in time");
    }

    private static MultiPlan plan(int... groups) {
        return new MultiPlan(groups, set());
    }

    private static MultiPlan.Round round(int... members) {
        return new MultiPlan.Round(set(members), false, false);
    }

    private static BitSet set(int... members) {
        BitSet set = new BitSet();
        Arrays.stream(members).forEach(set::set);
        return set;
    }

    private static void assertRound(MultiPlan.Round round, String expected) {
        assertThat(round.members()
                        + (round.waits() ? " in time" : " at once")
                        + (round.pauses() ? " after a pause" : ""))
                .isEqualTo(expected);
    }

    // ================================================================ callers that overlap at random

    @Test
    void overlappingCallersNeitherDeadlockNorStarve() {
        for (int seed = 1; seed <= SEEDS; seed++) {
            new World(seed).run();
        }
    }

    /** A lock with a queue. */
    private static final class ModelLock {
        final int group;
        Caller holder;
        final ArrayDeque<Caller> queue = new ArrayDeque<>();

        ModelLock(int group) {
            this.group = group;
        }

        void release() {
            holder = queue.poll();
            if (holder != null) {
                holder.granted = true;
            }
        }
    }

    /** A caller that acquires and releases several locks, again and again. */
    private static final class Caller {
        final List<ModelLock> members;
        final int[] groups;
        int turnsLeft = 5;
        MultiPlan plan;
        MultiPlan.Round round;
        final BitSet asked = new BitSet();
        final BitSet won = new BitSet();
        final BitSet held = new BitSet();
        boolean waits;
        boolean granted;

        Caller(List<ModelLock> members) {
            this.members = members;
            this.groups = members.stream().mapToInt(lock -> lock.group).toArray();
        }

        boolean mayMove() {
            return turnsLeft > 0 && (!waits || granted);
        }

        /** Makes one step: requests one member, ends a round, or ends a turn. */
        void move(Random random, String world) {
            if (plan == null) {
                plan = new MultiPlan(groups, new BitSet());
            } else if (plan.isDone()) {
                assertThat(held.cardinality()).as(world).isEqualTo(groups.length);
                release(held);
                plan = null;
                turnsLeft--;
            } else if (round == null) {
                round = plan.next();
            } else if (waits) {
                waits = false;
                granted = false;
                won.or(round.members());
            } else if (!asked.equals(round.members())) {
                ask(random, world);
            } else {
                held.or(won);
                BitSet back = plan.decided(round, (BitSet) won.clone());
                release(back);
                asked.clear();
                won.clear();
                round = null;
            }
        }

        private void ask(Random random, String world) {
            List<Integer> left = new ArrayList<>();
            round.members().stream().filter(i -> !asked.get(i)).forEach(left::add);
            int i = left.get(random.nextInt(left.size()));
            asked.set(i);
            ModelLock lock = members.get(i);
            assertThat(lock.holder).as(world).isNotSameAs(this);
            if (lock.holder == null) {
                lock.holder = this;
                won.set(i);
            } else if (round.waits()) {
                held.stream().forEach(j -> assertThat(groups[j]).as(world).isLessThan(groups[i]));
                lock.queue.add(this);
                waits = true;
            }
        }

        private void release(BitSet back) {
            back.stream().forEach(i -> {
                assertThat(members.get(i).holder).isSameAs(this);
                members.get(i).release();
            });
            held.andNot((BitSet) back.clone());
        }
    }

    /** Some callers and locks, some of which are equal in the order. */
    private static final class World {
        final int seed;
        final Random random;
        final List<ModelLock> locks = new ArrayList<>();
        final List<Caller> callers = new ArrayList<>();

        World(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
            int group = 0;
            for (int i = 2 + random.nextInt(5); i > 0; i--) {
                locks.add(new ModelLock(random.nextInt(3) == 0 ? group : ++group));
            }
            for (int i = 2 + random.nextInt(5); i > 0; i--) {
                List<ModelLock> members = new ArrayList<>(locks);
                Collections.shuffle(
                        members, random); // also the order of equal ones, which each JVM may see differently
                List<ModelLock> some = members.subList(0, 1 + random.nextInt(members.size()));
                callers.add(new Caller(some.stream()
                        .sorted(Comparator.comparingInt(lock -> lock.group))
                        .toList()));
            }
        }

        void run() {
            for (int steps = 0; callers.stream().anyMatch(caller -> caller.turnsLeft > 0); steps++) {
                List<Caller> able = callers.stream().filter(Caller::mayMove).toList();
                assertThat(able)
                        .as("seed %s: deadlock after %s steps", seed, steps)
                        .isNotEmpty();
                assertThat(steps).as("seed %s: no end", seed).isLessThan(100_000);
                able.get(random.nextInt(able.size())).move(random, "seed " + seed);
            }
            assertThat(locks).as("seed %s", seed).allMatch(lock -> lock.holder == null && lock.queue.isEmpty());
        }
    }
}
