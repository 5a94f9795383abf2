package io.boltwork;

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
            "io.boltwork.EngineRulesTest",
            "io.boltwork.WaitingRulesTest",
            "io.boltwork.HoldingRulesTest",
            "io.boltwork.ReleasingRulesTest",
            "io.boltwork.RecoveryRulesTest",
            "io.boltwork.PartitionRulesTest",
            "io.boltwork.IdleLifeRulesTest",
            "io.boltwork.AftercareTest",
            "io.boltwork.LostTimersTest",
            "io.boltwork.MailboxTest",
            "io.boltwork.ManyWaitersTest",
            "io.boltwork.AsyncWishTest",
            "io.boltwork.LostReleasesTest",
            "io.boltwork.ReleaseLogTest",
            "io.boltwork.SuspensionRulesTest",
            "io.boltwork.CloneRulesTest",
            "io.boltwork.ClonesTest",
            "io.boltwork.KeeperTest",
            "io.boltwork.FixedLeaseTest",
            "io.boltwork.CoolDownTest",
            "io.boltwork.TakenTest",
            "io.boltwork.RequestTest",
            "io.boltwork.ServerClocksTest",
            "io.boltwork.DowntimesTest",
            "io.boltwork.spi.Utf8Test",
            "io.boltwork.memory.TokenRulesTest",
            "io.boltwork.memory.QueueRulesTest",
            "io.boltwork.memory.ForceRulesTest",
            "io.boltwork.memory.GoneWaitersRulesTest",
            "io.boltwork.memory.MemoryServerTest");

    private static final long TEST_SECONDS = 20;

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

    /** The test of a rule that fails; {@code null} if all pass. */
    static String[] rules() throws ReflectiveOperationException, InterruptedException {
        for (String name : RULES) {
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

    /** Whether a test passes, and does not wait for ever. */
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
