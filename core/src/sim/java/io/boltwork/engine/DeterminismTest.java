// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** A seed determines everything: its timeline is the same, byte for byte, in every run and on every JDK. */
class DeterminismTest {

    private static final int SEEDS = 12;

    /** Prints the digest of the timelines. */
    public static void main(String[] args) throws Exception {
        System.out.println(digest());
    }

    @Test
    void aSeedAlwaysHasTheSameTimeline() throws Exception {
        assertThat(digest()).isEqualTo(digest());
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void aSeedHasTheSameTimelineOnAnotherJdk() throws Exception {
        Optional<Path> java = anotherJdk();
        assumeTrue(java.isPresent(), "No other JDK beside " + System.getProperty("java.home"));
        Path log = Files.createTempFile("timeline", ".txt");
        Process process = new ProcessBuilder(
                        java.get().toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        DeterminismTest.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            String mine = digest();
            assertThat(process.waitFor()).as(Files.readString(log)).isZero();
            assertThat(Files.readString(log).strip()).isEqualTo(mine);
        } finally {
            process.destroyForcibly();
            Files.delete(log);
        }
    }

    private static String digest() throws Exception {
        Logger log = Logger.getLogger("io.boltwork");
        log.setLevel(Level.OFF); // many leases are lost
        MessageDigest digest = MessageDigest.getInstance("SHA-256");
        for (long seed = 0; seed < SEEDS; seed++) {
            Simulation simulation = new Simulation(Plan.of(seed), true);
            simulation.run();
            digest.update(simulation.timeline.protocol().getBytes(StandardCharsets.UTF_8));
        }
        log.setLevel(null);
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Returns the java command of another JDK version beside this one. */
    private static Optional<Path> anotherJdk() throws IOException {
        Path home = Path.of(System.getProperty("java.home")).toRealPath();
        try (Stream<Path> homes = Files.list(home.getParent())) {
            return homes.map(other -> other.resolve("bin").resolve("java"))
                    .filter(Files::isExecutable)
                    .filter(java -> isAnother(java.getParent().getParent(), home))
                    .sorted()
                    .findFirst();
        }
    }

    private static boolean isAnother(Path home, Path mine) {
        try {
            return feature(home) != feature(mine) && feature(home) >= 17;
        } catch (IOException unreadable) {
            return false;
        }
    }

    /** Returns the feature version from the release file: 25 for {@code JAVA_VERSION="25.0.1"}. */
    private static int feature(Path home) throws IOException {
        try (Stream<String> lines = Files.lines(home.resolve("release"))) {
            return lines.filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.replaceAll("\\D*(\\d+).*", "$1"))
                    .mapToInt(Integer::parseInt)
                    .findFirst()
                    .orElse(0);
        }
    }
}
