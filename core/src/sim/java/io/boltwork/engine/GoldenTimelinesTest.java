// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Compares the timelines of 2,000 seeds with the recorded ones, to show that a change of the code did not change its
 * behaviour. A change of the protocol or of the simulation must record them again, with {@code
 * -Dboltwork.recordTimelines=true}. Without {@code -Dboltwork.proof=true}, one seed in nineteen is compared. This step
 * is a prime number, because a plan uses the remainders of its seed.
 */
@ExtendWith(Quiet.class)
class GoldenTimelinesTest {

    private static final int SEEDS = 2_000;
    private static final Path RECORD = Path.of("src", "test", "resources", "io", "boltwork", "timelines.txt");
    private static final int STEP =
            Boolean.getBoolean("boltwork.proof") ? 1 : Boolean.getBoolean("boltwork.whole") ? 19 : 97;

    @Test
    void timelinesEqualTheRecordedOnes() throws Exception {
        if (Boolean.getBoolean("boltwork.recordTimelines")) {
            Files.write(
                    RECORD,
                    LongStream.range(0, SEEDS)
                            .parallel()
                            .mapToObj(GoldenTimelinesTest::digest)
                            .toList());
        }
        List<String> recorded = Files.readAllLines(RECORD);
        assertThat(recorded).hasSize(SEEDS);
        List<Long> changed = LongStream.range(0, SEEDS)
                .filter(seed -> seed % STEP == 0)
                .parallel()
                .filter(seed -> !digest(seed).equals(recorded.get((int) seed)))
                .boxed()
                .toList();
        assertThat(changed).as("seeds whose timelines have changed").isEmpty();
    }

    private static String digest(long seed) {
        try {
            Simulation simulation = new Simulation(Plan.of(seed), true);
            simulation.run();
            byte[] timeline = simulation.timeline.protocol().getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(timeline), 0, 8);
        } catch (Exception e) {
            throw new AssertionError("seed " + seed, e);
        }
    }
}
