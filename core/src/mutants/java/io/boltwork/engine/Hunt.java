// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Looks for what a mutant does wrong. Called by reflection, in its class loader. */
final class Hunt {

    private static final Logger LOG = Logger.getLogger("io.boltwork");

    /** The rules one by one. */
    private static final List<String> RULES = List.of(
            "io.boltwork.engine.EngineRulesTest",
            "io.boltwork.engine.WaitingRulesTest",
            "io.boltwork.engine.HoldingRulesTest",
            "io.boltwork.engine.ReleasingRulesTest",
            "io.boltwork.engine.RecoveryRulesTest",
            "io.boltwork.engine.PartitionRulesTest",
            "io.boltwork.engine.IdleLifeRulesTest",
            "io.boltwork.engine.ErrorRecoveryTest",
            "io.boltwork.engine.LostTimersTest",
            "io.boltwork.engine.drive.MailboxTest",
            "io.boltwork.engine.CutAnswerTest",
            "io.boltwork.engine.PoolRepairTest",
            "io.boltwork.engine.ManyWaitersTest",
            "io.boltwork.engine.AsyncWishTest",
            "io.boltwork.engine.LostReleasesTest",
            "io.boltwork.engine.client.ReleaseLogTest",
            "io.boltwork.engine.SuspensionRulesTest",
            "io.boltwork.engine.StarvedClientRulesTest",
            "io.boltwork.engine.CloneRulesTest",
            "io.boltwork.engine.ClonesTest",
            "io.boltwork.engine.UsageRulesTest",
            "io.boltwork.engine.watch.BusyLocksTest",
            "io.boltwork.engine.drive.LeaseRenewerTest",
            "io.boltwork.engine.FixedLeaseTest",
            "io.boltwork.engine.CoolDownTest",
            "io.boltwork.engine.TakenTest",
            "io.boltwork.engine.SemaphoreTest",
            "io.boltwork.engine.ReadWriteLockTest",
            "io.boltwork.engine.ReaderTurnRulesTest",
            "io.boltwork.engine.SemaphoreRulesTest",
            "io.boltwork.engine.ReadWriteRulesTest",
            "io.boltwork.engine.locks.multi.MultiPlanTest",
            "io.boltwork.quorum.QuorumRulesTest",
            "io.boltwork.engine.QuorumSimulationTest",
            "io.boltwork.memory.VoteRulesTest",
            "io.boltwork.engine.RetainingRulesTest",
            "io.boltwork.engine.drive.RetainedLocksTest",
            "io.boltwork.engine.ConditionWaitRulesTest",
            "io.boltwork.machine.LatchSimulationTest",
            "io.boltwork.machine.request.RequestTest",
            "io.boltwork.engine.client.ServerClocksTest",
            "io.boltwork.engine.watch.PartitionOutagesTest",
            "io.boltwork.spi.Utf8Test",
            "io.boltwork.memory.TokenRulesTest",
            "io.boltwork.memory.QueueRulesTest",
            "io.boltwork.memory.ForceRulesTest",
            "io.boltwork.memory.GoneWaitersRulesTest",
            "io.boltwork.memory.ConditionRulesTest",
            "io.boltwork.memory.RetentionRulesTest",
            "io.boltwork.memory.ShareRulesTest",
            "io.boltwork.memory.ShareQueueRulesTest",
            "io.boltwork.memory.ShareClaimRulesTest",
            "io.boltwork.memory.ShareTokenRulesTest",
            "io.boltwork.memory.ShareForceRulesTest",
            "io.boltwork.memory.MemoryServerTest",
            "io.boltwork.store.StoreStepRulesTest",
            "io.boltwork.memory.RecordTextTest");

    /** More seeds of the simulated quorum than each build runs. */
    private static final String QUORUM_SEEDS = "300";

    private static final long TEST_SECONDS = 90;

    private Hunt() {}

    /** The property and the seed of the first violation; {@code null} if there is none. */
    static String[] seeds(long from, long to) {
        LOG.setLevel(Level.OFF);
        for (long seed = from; seed < to; seed++) {
            try {
                new Simulation(Plan.of(seed), false).run();
            } catch (Violation violation) {
                return new String[] {violation.property.name(), "seed " + seed};
            }
        }
        return null;
    }

    /** The test of a rule that fails, of those whose names match; {@code null} if all pass. */
    static String[] rules(String names) throws ReflectiveOperationException, InterruptedException {
        LOG.setLevel(Level.OFF);
        System.setProperty("boltwork.quorumSeeds", QUORUM_SEEDS);
        for (String name : RULES) {
            if (!name.matches(names)) {
                continue;
            }
            Class<?> tests = Class.forName(name, true, Hunt.class.getClassLoader());
            Constructor<?> constructor = tests.getDeclaredConstructor();
            constructor.setAccessible(true);
            for (Method test : tests.getDeclaredMethods()) {
                if (test.isAnnotationPresent(Test.class)) {
                    test.setAccessible(true);
                    Object instance = constructor.newInstance();
                    if (!passes(() -> test.invoke(instance))) {
                        return new String[] {"`" + tests.getSimpleName() + "`", "`" + test.getName() + "`"};
                    }
                }
            }
        }
        return null;
    }

    /** Returns whether a test passes, and does not wait for ever. */
    private static boolean passes(Callable<?> test) throws InterruptedException {
        FutureTask<?> task = new FutureTask<>(test);
        Thread thread = new Thread(task, "rule");
        thread.setDaemon(true);
        thread.start();
        try {
            task.get(TEST_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }
}
