// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.List;

/** The mutants of the engine and of the rules. The simulation catches most of them. */
class MutantsTest extends Mutants {

    private static final int SEEDS = 1_000;

    /** The test of votes shows nothing of the other parts. */
    private static final String VOTES = "io.boltwork.memory.VoteRulesTest";

    private static final List<String> TESTS = List.of(
            "io.boltwork.engine.EngineRulesTest",
            "io.boltwork.engine.WaitingRulesTest",
            "io.boltwork.engine.AnswerRulesTest",
            "io.boltwork.engine.HoldingRulesTest",
            "io.boltwork.engine.RenewalFailureRulesTest",
            "io.boltwork.engine.ReleasingRulesTest",
            "io.boltwork.engine.RecoveryRulesTest",
            "io.boltwork.engine.CallerRunRulesTest",
            "io.boltwork.engine.OwnerRulesTest",
            "io.boltwork.engine.OwnerAtOnceTest",
            "io.boltwork.engine.PartitionRulesTest",
            "io.boltwork.engine.IdleLifeRulesTest",
            "io.boltwork.engine.ErrorRecoveryTest",
            "io.boltwork.engine.LostTimersTest",
            "io.boltwork.engine.drive.MailboxTest",
            "io.boltwork.engine.CutAnswerTest",
            "io.boltwork.machine.kind.CutPermitsTest",
            "io.boltwork.engine.ManyWaitersTest",
            "io.boltwork.engine.AsyncWishTest",
            "io.boltwork.engine.MultiLockRulesTest",
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
            "io.boltwork.memory.RecordTextTest");

    MutantsTest() {
        super("core", 400, TESTS);
    }

    @Override
    List<String> testsOf(String file) {
        boolean isOfVotes = file.endsWith("/VoteRules.java");
        boolean isOfRules = file.contains("/spi/rules/");
        return TESTS.stream()
                .filter(test -> test.equals(VOTES) == isOfVotes)
                .sorted(Comparator.comparing(test -> isOfRules != test.startsWith("io.boltwork.memory.")))
                .toList(); // those that test the file itself first
    }

    @Override
    String[] simulate(MutantLoader loader, long seed) throws ReflectiveOperationException {
        Method seeds = loader.loadClass(SeedHunt.class.getName()).getDeclaredMethod("seeds", long.class, long.class);
        seeds.setAccessible(true);
        return (String[]) seeds.invoke(null, seed, seed + SEEDS);
    }
}
