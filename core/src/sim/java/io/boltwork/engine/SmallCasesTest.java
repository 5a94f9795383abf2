package io.boltwork.engine;

import io.boltwork.LockOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests two clients with two requests each, and one fault, in all orders: see {@link SmallCase}. A normal run explores the shorter
 * paths only. {@code mvn -B verify -Pproof} explores many more, and writes the table of docs/proof.md to target/small-cases.md.
 */
@ExtendWith(Quiet.class)
class SmallCasesTest {

    private static final boolean PROOF = Boolean.getBoolean("boltwork.proof");
    private static final int MOST_STATES = PROOF ? 15_000 : 400;
    private static final int DEPTH = PROOF ? 120 : 60;
    private static final int DELAYS = PROOF ? 2 : 1;
    private static final int THREADS = 2;

    @Test
    void allOrdersOfTwoClientsWithTwoRequestsAndOneFault() throws Exception {
        List<SmallCase> cases = cases(DEPTH, DELAYS);
        StringBuilder table = new StringBuilder(
                "| case | states | steps | ways to the end | complete | s |\n|---|---|---|---|---|---|\n");
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        long states = 0;
        long start = System.nanoTime();
        try {
            List<Future<String>> rows = new ArrayList<>();
            for (SmallCase one : cases) {
                rows.add(threads.submit(() -> explore(one)));
            }
            for (int i = 0; i < rows.size(); i++) {
                table.append(rows.get(i).get());
                states += cases.get(i).states();
            }
        } finally {
            threads.shutdownNow();
        }
        write(table.toString());
        System.out.printf(
                Locale.ROOT,
                "small cases: %d, %,d states in %.0f s%n",
                cases.size(),
                states,
                (System.nanoTime() - start) / 1e9);
    }

    private static void write(String table) throws IOException {
        Files.writeString(Path.of("target", "small-cases.md"), table);
    }

    private static String explore(SmallCase one) {
        long start = System.nanoTime();
        one.explore(MOST_STATES);
        return String.format(
                Locale.ROOT,
                "| %s | %,d | %,d | %,d | %s | %.0f |%n",
                one.name(),
                one.states(),
                one.steps(),
                one.ends(),
                one.isComplete() ? "yes" : "to the bound",
                (System.nanoTime() - start) / 1e9);
    }

    /** Returns each kind of waiting with each kind of fault. */
    static List<SmallCase> cases(int depth, int delays) {
        LockOptions batched = LockOptions.fixedLease(Duration.ofMillis(700));
        LockOptions fifo = batched.withFairness(LockOptions.Fairness.FIFO);
        LockOptions renewed = LockOptions.renewedLease(Duration.ofSeconds(4));
        List<SmallCase> cases = new ArrayList<>();
        cases.addAll(cases("batched", batched, batched, depth, delays));
        cases.addAll(cases("FIFO", fifo, fifo, depth, delays));
        cases.addAll(cases("renewed, mixed", renewed.withFairness(LockOptions.Fairness.FIFO), renewed, depth, delays));
        return cases;
    }

    private static List<SmallCase> cases(String name, LockOptions first, LockOptions second, int depth, int delays) {
        List<SmallCase> cases = new ArrayList<>();
        cases.add(new SmallCase(name + ", no fault", first, second, List.of(), false, depth, delays));
        for (Plan.Trouble trouble : List.of(
                Plan.Trouble.BREAK,
                Plan.Trouble.DEAF,
                Plan.Trouble.CRASH,
                Plan.Trouble.FLUSH,
                Plan.Trouble.FAILOVER,
                Plan.Trouble.RESTART,
                Plan.Trouble.FORCE_RELEASE)) {
            cases.add(new SmallCase(name + ", " + trouble, first, second, List.of(trouble), false, depth, delays));
            if (trouble == Plan.Trouble.BREAK || trouble == Plan.Trouble.DEAF || trouble == Plan.Trouble.CRASH) {
                cases.add(new SmallCase(
                        name + ", " + trouble + " half open", first, second, List.of(trouble), true, depth, delays));
            }
        }
        List<Plan.Trouble> move = List.of(Plan.Trouble.MOVE);
        List<Plan.Trouble> moveAndBreak = List.of(Plan.Trouble.MOVE, Plan.Trouble.BREAK);
        cases.add(new SmallCase(name + ", move", first, second, move, false, depth, delays));
        cases.add(new SmallCase(name + ", move, cold", first, second, move, true, depth, delays));
        cases.add(new SmallCase(name + ", move and break", first, second, moveAndBreak, false, depth, delays));
        return cases;
    }
}
