// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.redis.call.Script;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Tests that a differential test detects every wrong rule: each {@linkplain LuaMutant small change} of the scripts
 * makes some sequence end in a difference, except those that are known to change nothing. The results are written to a
 * file.
 */
abstract class LuaMutants {
    private static final Pattern ONLY = Pattern.compile(System.getProperty("boltwork.mutant", ""));
    static final Duration PATIENCE = Slack.seconds(2);

    private static final int SEQUENCES = Integer.getInteger("boltwork.sequences", 60);

    /* The number for a mutant that is known to change nothing. */
    private static final int FEW = 3;

    private final List<Script> scripts;
    private final Path report;
    private final Map<String, String> equivalent;
    private final Map<Long, Integer> caught = new HashMap<>();
    private SteppedRedis redis;

    /** The detection of a mutant; {@code by} is empty if it was not detected. */
    private record Verdict(LuaMutant mutant, String by, long seed, long millis) {
        String row() {
            return "| " + mutant.name().replace("|", "\\|") + " | " + mutant.line() + " | "
                    + (by.isEmpty() ? "**survived**" : by) + " | " + (by.isEmpty() ? "" : seed) + " | " + millis + " |";
        }
    }

    /**
     * Hunts the mutants of some scripts.
     *
     * @param equivalent the name of the resource that lists the mutants that change nothing
     * @param report the name of the file for the results, below {@code target}
     */
    LuaMutants(List<Script> scripts, String equivalent, String report) throws IOException {
        this.scripts = scripts;
        this.equivalent = read(equivalent);
        this.report = Path.of("target", report);
    }

    abstract List<LuaMutant> mutants();

    /** Returns the number of the slowest sequence, which is tried last. */
    abstract long slowest();

    abstract void connect(SteppedRedis server) throws Exception;

    abstract void disconnect();

    /** Loads a script into the server. */
    abstract void load(byte[] script) throws Exception;

    abstract DifferentialSequence sequence(long seed) throws Exception;

    @Test
    @EnabledIfSystemProperty(named = "boltwork.mutants", matches = "true", disabledReason = "for mvn verify -Pmutants")
    void everyMutantOfTheScriptsIsDetected() throws Exception {
        assumeTrue(open(), "SKIPPED: a clock that stands still needs libfaketime (Debian: faketime)");
        List<Verdict> verdicts = new ArrayList<>();
        try {
            assertThat(attempt(null)).as("the original").isNull();
            for (LuaMutant mutant : mutants()) {
                if (ONLY.matcher(mutant.name()).find()) {
                    verdicts.add(examine(mutant));
                }
            }
        } finally {
            close();
            restore();
        }
        write(verdicts);
        assertThat(verdicts.stream()
                        .filter(verdict -> verdict.by().isEmpty())
                        .map(verdict -> verdict.mutant().name())
                        .toList())
                .as("survivors that are not known to be equivalent")
                .isSubsetOf(equivalent.keySet());
    }

    /**
     * Checks the list of equivalent mutants, because an entry without a mutant would hide nothing and its reason would
     * mislead.
     */
    @Test
    void everyMutantListedAsEquivalentExists() {
        assertThat(mutants()).extracting(LuaMutant::name).containsAll(equivalent.keySet());
    }

    @Test
    void aMutantDiffersFromTheOriginalOnlyInItsChange() {
        LuaMutant none = new LuaMutant("none", 0, "", "");
        for (Script script : scripts) {
            assertThat(none.textOf(script)).as("%s", script.name()).isEqualTo(script.text());
        }
        assertThat(mutants()).extracting(LuaMutant::name).doesNotHaveDuplicates();
    }

    private Verdict examine(LuaMutant mutant) throws Exception {
        long start = System.nanoTime();
        restore();
        for (Script script : scripts) {
            if (mutant.isPartOf(script)) {
                byte[] text = mutant.textOf(script);
                try {
                    load(text);
                } catch (Exception e) {
                    return new Verdict(mutant, "does not compile", 0, millis(start));
                }
                name(script, text);
            }
        }
        Verdict verdict = attempt(mutant);
        if (verdict == null) {
            System.out.println("survived: " + mutant.name() + " (line " + mutant.line() + ")");
            return new Verdict(mutant, "", 0, millis(start));
        }
        return new Verdict(mutant, verdict.by, verdict.seed, millis(start));
    }

    /** Runs sequences, the most successful ones first, until one finds a difference. */
    private Verdict attempt(LuaMutant mutant) throws Exception {
        boolean known = mutant != null && equivalent.containsKey(mutant.name());
        for (long seed : known ? seeds().subList(0, FEW) : seeds()) {
            DifferentialSequence run = null;
            try {
                run = sequence(seed);
                run.execute();
            } catch (Exception | AssertionError e) {
                if (mutant == null) {
                    throw new AssertionError("seed " + seed + "\n" + run, e);
                }
                caught.merge(seed, 1, Integer::sum);
                String by = run == null ? "no answer" : run.difference(e);
                if (!(e instanceof AssertionError)) { // the script may never end
                    close();
                    open();
                }
                return new Verdict(mutant, by, seed, 0);
            }
        }
        return null;
    }

    private List<Long> seeds() {
        List<Long> seeds = new ArrayList<>();
        for (long seed = 1; seed < SEQUENCES; seed++) {
            seeds.add(seed < slowest() ? seed : seed + 1);
        }
        seeds.add(slowest());
        seeds.sort((one, other) -> caught.getOrDefault(other, 0) - caught.getOrDefault(one, 0));
        return seeds;
    }

    private boolean open() throws Exception {
        redis = SteppedRedis.start().orElse(null);
        if (redis != null) {
            connect(redis);
        }
        return redis != null;
    }

    private void close() throws IOException, InterruptedException {
        redis.close(); // first, because it may not answer any more
        disconnect();
    }

    /** Makes the script calls use another script's name at the server. */
    private static void name(Script script, byte[] text) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-1").digest(text);
        byte[] sha = HexFormat.of().formatHex(digest).getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(sha, 0, script.sha(), 0, sha.length);
    }

    private void restore() throws Exception {
        for (Script script : scripts) {
            name(script, script.text());
        }
    }

    private static long millis(long start) {
        return (System.nanoTime() - start) / 1_000_000;
    }

    /** The known survivors, each with the reason. */
    private static Map<String, String> read(String resource) throws IOException {
        Map<String, String> reasons = new LinkedHashMap<>();
        try (InputStream in = LuaMutants.class.getResourceAsStream(resource)) {
            String reason = "";
            for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n")) {
                if (line.startsWith("#")) {
                    reason = line.substring(1).strip();
                } else if (!line.isBlank()) {
                    reasons.put(line.strip(), reason);
                }
            }
        }
        return reasons;
    }

    private void write(List<Verdict> verdicts) throws IOException {
        Map<String, Long> sums = verdicts.stream()
                .collect(Collectors.groupingBy(
                        verdict -> verdict.by().isEmpty() ? "survived" : verdict.by(),
                        TreeMap::new,
                        Collectors.counting()));
        String summary = verdicts.size() + " mutants: " + sums + ", in "
                + verdicts.stream().mapToLong(Verdict::millis).sum() / 1_000 + " s";
        StringBuilder out =
                new StringBuilder(summary + "\n\n| mutant | line | caught by | seed | ms |\n|---|---|---|---|---|\n");
        verdicts.forEach(verdict -> out.append(verdict.row()).append('\n'));
        out.append("\n## Survivors\n\n");
        verdicts.stream()
                .filter(verdict -> verdict.by().isEmpty())
                .map(verdict -> verdict.mutant().name())
                .forEach(name -> out.append("- ")
                        .append(name)
                        .append(": ")
                        .append(equivalent.getOrDefault(name, "NOT KNOWN TO BE EQUIVALENT"))
                        .append('\n'));
        Files.createDirectories(report.getParent());
        Files.writeString(report, out);
        System.out.println(summary);
    }
}
