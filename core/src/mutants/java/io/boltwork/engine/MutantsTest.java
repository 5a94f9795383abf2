// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Proof that the simulation can fail: each rule of the protocol that is weakened is noticed. The mutants are in mutants.txt;
 * they are compiled and loaded beside the real classes, which they never touch. {@code mvn -B verify -Pmutants} hunts them.
 */
class MutantsTest {

    private static final int THREADS = 2;
    private static final int SEEDS = 1_000;

    /** The tests of a quorum and of its votes show nothing of the other parts, and take long. */
    private static final String QUORUM_RULES = ".*(Quorum|Vote).*";

    private static final String STORE_RULES = ".*(StoreStep|RecordText).*";
    private static final String OTHER_RULES = "(?!" + QUORUM_RULES + ").*";

    private static final Path LIST = Path.of("src", "test", "resources", "io", "boltwork", "mutants.txt");

    /** The beginning of a heading in the list. */
    private static final String RULES = "######## ";

    private static final Path TABLE = Path.of("target", "mutants.md");

    /** By which property or test a mutant was caught, and where; {@code by} is null if it survived. */
    private record Catch(Mutant mutant, String by, String where, long millis) {}

    @Test
    void thereAreManyAndTheSourcesStillHaveWhatTheyChange() throws IOException {
        List<Mutant> mutants = Mutant.all();
        assertThat(mutants).extracting(Mutant::name).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(60);
        for (Mutant mutant : mutants) {
            assertThat(mutant.source()).isNotEmpty();
        }
    }

    @Test
    void proofCountsThemByTheRulesThatTheyWeaken() throws IOException {
        Map<String, Integer> counts = new LinkedHashMap<>();
        String rules = "";
        for (String line : Files.readAllLines(LIST)) {
            if (line.startsWith(RULES)) {
                rules = line.substring(RULES.length());
            } else if (line.startsWith("== ")) {
                counts.merge(rules, 1, Integer::sum);
            }
        }
        StringBuilder table = new StringBuilder("| rules | mutants |\n|---|---:|\n");
        counts.forEach((name, count) -> table.append(String.format("| %s | %d |%n", name, count)));
        table.append(String.format("| **all** | %d |%n", Mutant.all().size()));
        assertThat(Path.of("..", "docs", "inside", "proof.md")).content().contains(table);
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.mutants", matches = ".+", disabledReason = "for mvn verify -Pmutants")
    void everyMutantIsCaught() throws Exception {
        assertThat(Hunt.rules(".*"))
                .as("the test of a rule that fails without a mutant")
                .isNull();
        String only = System.getProperty("boltwork.mutants");
        List<Mutant> mutants = Mutant.all().stream()
                .filter(mutant -> only.equals("true") || mutant.name().matches(only))
                .toList();
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Catch> caught = new ArrayList<>();
        try {
            List<Future<Catch>> hunts = new ArrayList<>();
            for (Mutant mutant : mutants) {
                hunts.add(threads.submit(() -> hunt(mutant)));
            }
            for (Future<Catch> hunt : hunts) {
                Catch result = hunt.get();
                caught.add(result);
                System.out.printf("mutant %d of %d: %s", caught.size(), mutants.size(), row(result));
            }
        } finally {
            threads.shutdownNow();
        }
        StringBuilder table =
                new StringBuilder("| mutant | weakened behavior | caught by | where | ms |\n|---|---|---|---|---|\n");
        caught.forEach(result -> table.append(row(result)));
        Files.writeString(TABLE, table);
        assertThat(caught)
                .as("survivors")
                .filteredOn(result -> result.by == null)
                .isEmpty();
    }

    private static String row(Catch result) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %,d |%n",
                result.mutant.name(),
                result.mutant.rule(),
                result.by == null ? "**survived**" : result.by,
                result.where,
                result.millis);
    }

    /** With the simulation first, then with the tests of single rules, if not the other way round. */
    private static Catch hunt(Mutant mutant) throws Exception {
        Class<?> hunt = new MutantLoader(mutant).loadClass(Hunt.class.getName());
        Method seeds = hunt.getDeclaredMethod("seeds", long.class, long.class);
        Method rules = hunt.getDeclaredMethod("rules", String.class);
        seeds.setAccessible(true);
        rules.setAccessible(true);
        long start = System.nanoTime();
        boolean isOfQuorum = mutant.file().matches("quorum/.*|.*/VoteRules.java");
        String others = mutant.file().startsWith("store/") ? STORE_RULES : OTHER_RULES;
        String names = isOfQuorum ? QUORUM_RULES : others;
        String[] found = mutant.byRule() ? (String[]) rules.invoke(null, names) : null;
        if (found == null && !isOfQuorum) {
            found = (String[]) seeds.invoke(null, mutant.seed(), mutant.seed() + SEEDS);
        }
        if (found == null && !mutant.byRule()) {
            found = (String[]) rules.invoke(null, names);
        }
        long millis = (System.nanoTime() - start) / 1_000_000;
        return found == null ? new Catch(mutant, null, "", millis) : new Catch(mutant, found[0], found[1], millis);
    }
}
