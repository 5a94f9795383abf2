// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.util.ArrayList;
import java.util.List;

/** The options of a shop's JVM. */
final class JvmOptions {
    /** A JVM that lives for seconds is faster with the quick compiler only. */
    private static final List<String> SHORT_LIVED = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    private static final String NO_LOGGER = "-Dslf4j.internal.verbosity=ERROR";

    /** Required by Netty, on which Lettuce is based. Without these options, newer JVMs print warnings. */
    private static final List<String> NETTY =
            List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");

    private JvmOptions() {}

    static List<String> ofAShop() {
        List<String> options = new ArrayList<>(SHORT_LIVED);
        options.add(NO_LOGGER);
        if (Runtime.version().feature() >= 24) {
            options.addAll(NETTY);
        }
        return options;
    }
}
