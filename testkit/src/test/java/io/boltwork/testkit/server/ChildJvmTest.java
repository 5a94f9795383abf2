// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.Faults;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChildJvmTest {

    /** Repeats each line that it reads, after its argument. */
    static final class Echo {
        public static void main(String[] args) throws Exception {
            System.out.println("ready " + String.join(",", args) + " " + System.getProperty("colour", ""));
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
                System.out.println(line);
            }
            System.exit(7);
        }
    }

    @Test
    void aChildJvmTalksWithItsParent() throws Exception {
        try (ChildJvm jvm = ChildJvm.start(Echo.class, List.of("-Dcolour=red"), List.of("a", "b"))) {
            assertThat(jvm.nextLine(Duration.ofSeconds(20))).isEqualTo("ready a,b red");
            jvm.send("hello");
            assertThat(jvm.nextLine(Duration.ofSeconds(5))).isEqualTo("hello");
            jvm.send("end");
            assertThat(jvm.awaitExit(Duration.ofSeconds(10))).isEqualTo(7);
            assertThat(jvm.isAlive()).isFalse();
        }
    }

    @Test
    void aChildJvmFreezesThawsAndDies() throws Exception {
        try (ChildJvm jvm = ChildJvm.start(Echo.class)) {
            assertThat(jvm.nextLine(Duration.ofSeconds(20))).startsWith("ready");
            Fault frozen = Faults.freeze(jvm);
            frozen.inject();
            jvm.send("later");
            assertThat(jvm.lines().poll(200, java.util.concurrent.TimeUnit.MILLISECONDS))
                    .isNull();
            frozen.heal();
            assertThat(jvm.nextLine(Duration.ofSeconds(5))).isEqualTo("later");
            frozen.inject();
            Faults.kill(jvm).inject();
            assertThat(jvm.isAlive()).isFalse();
        }
    }
}
