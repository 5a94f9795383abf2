// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FingerprintTest {

    static Stream<String> fields() {
        return Fingerprint.UNIMPORTANT.stream().sorted();
    }

    /**
     * A name that a rename has made wrong would make states differ that are alike, and cost most of the exploration.
     */
    @ParameterizedTest
    @MethodSource("fields")
    void eachFieldThatIsLeftOutExists(String name) {
        String type = name.substring(0, name.indexOf('.'));
        assertThat(Stream.of(
                                "",
                                "spi.",
                                "engine.",
                                "engine.client.",
                                "engine.diagnose.",
                                "engine.drive.",
                                "engine.locks.",
                                "engine.locks.multi.",
                                "engine.watch.",
                                "machine.",
                                "machine.latch.",
                                "machine.parts.",
                                "machine.request.",
                                "machine.state.")
                        .flatMap(room -> find("io.boltwork." + room + type))
                        .flatMap(found -> Arrays.stream(found.getDeclaredFields()))
                        .map(field -> type + "." + field.getName()))
                .contains(name);
    }

    private static Stream<Class<?>> find(String name) {
        try {
            return Stream.of(Class.forName(name));
        } catch (ClassNotFoundException elsewhere) {
            return Stream.empty();
        }
    }
}
