// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.LockOptions;
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
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests two clients with a few requests each, and one fault, in all orders: see {@link SmallCase}. A normal run
 * explores the shorter paths only. {@code mvn -B verify -Pproof} explores many more, and writes tables to
 * target/small-cases.md and target/small-cases-shared.md.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
@ExtendWith(Quiet.class)
class SmallCasesTest {

    private static final boolean PROOF = Boolean.getBoolean("boltwork.proof");
    private static final int MOST_STATES = PROOF ? 15_000 : 250;
    private static final int MOST_STATES_SHARED = PROOF ? 5_000 : 150;
    private static final int DEPTH = PROOF ? 120 : 60;
    private static final int DELAYS = PROOF ? 2 : 1;
    private static final int THREADS = 2;

    private static final LockOptions FIXED = LockOptions.fixedLease(Duration.ofMillis(700));
    private static final LockOptions RENEWED = LockOptions.renewedLease(Duration.ofSeconds(4));
    private static final LockOptions RENEWED_FIFO = RENEWED.withFairness(LockOptions.Fairness.FIFO);

    /** Requests, and their name in the table. */
    private record Scene(String name, SmallCase.Requests requests) {
        static Scene mirrored(String name, String lock, SmallCase.Wish one, SmallCase.Wish other) {
            return new Scene(name, SmallCase.Requests.mirrored(lock, one, other));
        }
    }

    @Test
    void allOrdersOfTwoClientsWithTwoRequestsAndOneFault() throws Exception {
        explore(cases(DEPTH, DELAYS), MOST_STATES, "small-cases");
    }

    @Test
    void allOrdersOfSharedLocks() throws Exception {
        explore(sharedCases(DEPTH, DELAYS), MOST_STATES_SHARED, "small-cases-shared");
    }

    private static void explore(List<SmallCase> cases, int mostStates, String file) throws Exception {
        StringBuilder table = new StringBuilder(
                "| case | states | steps | ways to the end | complete | s |\n|---|---|---|---|---|---|\n");
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        long states = 0;
        long start = System.nanoTime();
        try {
            List<Future<String>> rows = new ArrayList<>();
            for (SmallCase one : cases) {
                rows.add(threads.submit(() -> explore(one, mostStates)));
            }
            for (int i = 0; i < rows.size(); i++) {
                table.append(rows.get(i).get());
                states += cases.get(i).states();
            }
        } finally {
            threads.shutdownNow();
        }
        Files.writeString(Path.of("target", file + ".md"), table.toString());
        System.out.printf(
                Locale.ROOT,
                "%s: %d, %,d states in %.0f s%n",
                file,
                cases.size(),
                states,
                (System.nanoTime() - start) / 1e9);
    }

    private static String explore(SmallCase one, int mostStates) {
        long start = System.nanoTime();
        one.explore(mostStates);
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

    /** Returns each kind of waiting for a plain lock, with each kind of fault. */
    static List<SmallCase> cases(int depth, int delays) {
        LockOptions fifo = FIXED.withFairness(LockOptions.Fairness.FIFO);
        List<SmallCase> cases = new ArrayList<>();
        for (Scene scene : List.of(
                Scene.mirrored("batched", "a", SmallCase.Wish.of(FIXED, 0), SmallCase.Wish.of(FIXED, 0)),
                Scene.mirrored("FIFO", "a", SmallCase.Wish.of(fifo, 0), SmallCase.Wish.of(fifo, 0)),
                Scene.mirrored(
                        "renewed, mixed", "a", SmallCase.Wish.of(RENEWED_FIFO, 0), SmallCase.Wish.of(RENEWED, 0)))) {
            cases.addAll(cases(scene, depth, delays));
        }
        return cases;
    }

    /** Returns readers and writers, and requests for permits, with each kind of fault. */
    static List<SmallCase> sharedCases(int depth, int delays) {
        List<SmallCase> cases = new ArrayList<>();
        for (Scene scene : shared()) {
            cases.addAll(cases(scene, depth, delays));
        }
        return cases;
    }

    private static List<Scene> shared() {
        String readWrite = SharedName.readWrite("a");
        String two = SharedName.semaphore("a", 2);
        String three = SharedName.semaphore("a", 3);
        int all = SharedName.capacity(readWrite);
        SmallCase.Wish reader = SmallCase.Wish.of(RENEWED, 1);
        SmallCase.Wish writer = SmallCase.Wish.of(RENEWED, all);
        SmallCase.Wish reads = new SmallCase.Wish(Plan.Kind.NESTED, RENEWED, all);
        SmallCase.Wish pair = SmallCase.Wish.of(RENEWED, 2);
        return List.of(
                Scene.mirrored("reader, writer", readWrite, SmallCase.Wish.of(FIXED, 1), SmallCase.Wish.of(FIXED, all)),
                new Scene(
                        "readers together",
                        new SmallCase.Requests(readWrite, List.of(reader, reader), List.of(writer, reader))),
                new Scene(
                        "writer reads on",
                        new SmallCase.Requests(readWrite, List.of(reads, reader), List.of(writer, reader))),
                Scene.mirrored("1 and 2 of 2", two, SmallCase.Wish.of(FIXED, 1), SmallCase.Wish.of(FIXED, 2)),
                new Scene(
                        "2, 2 and 1 of 3",
                        new SmallCase.Requests(
                                three, List.of(pair, pair), List.of(SmallCase.Wish.of(RENEWED_FIFO, 1)))));
    }

    private static List<SmallCase> cases(Scene scene, int depth, int delays) {
        String name = scene.name;
        SmallCase.Requests requests = scene.requests;
        List<SmallCase> cases = new ArrayList<>();
        cases.add(new SmallCase(name + ", no fault", requests, List.of(), false, depth, delays));
        for (Plan.Trouble trouble : List.of(
                Plan.Trouble.BREAK,
                Plan.Trouble.DEAF,
                Plan.Trouble.CRASH,
                Plan.Trouble.FLUSH,
                Plan.Trouble.FAILOVER,
                Plan.Trouble.RESTART,
                Plan.Trouble.FORCE_RELEASE)) {
            cases.add(new SmallCase(name + ", " + trouble, requests, List.of(trouble), false, depth, delays));
            if (trouble == Plan.Trouble.BREAK || trouble == Plan.Trouble.DEAF || trouble == Plan.Trouble.CRASH) {
                cases.add(new SmallCase(
                        name + ", " + trouble + " half open", requests, List.of(trouble), true, depth, delays));
            }
        }
        List<Plan.Trouble> move = List.of(Plan.Trouble.MOVE);
        List<Plan.Trouble> moveAndBreak = List.of(Plan.Trouble.MOVE, Plan.Trouble.BREAK);
        cases.add(new SmallCase(name + ", move", requests, move, false, depth, delays));
        cases.add(new SmallCase(name + ", move, cold", requests, move, true, depth, delays));
        cases.add(new SmallCase(name + ", move and break", requests, moveAndBreak, false, depth, delays));
        return cases;
    }
}
