package io.boltwork.examples;

import java.util.List;

/** What a JVM must be told so that SLF4J and Netty, which Lettuce is built on, print no warnings. The script does the same. */
final class JvmOptions {
    private JvmOptions() {}

    static List<String> forThisJava() {
        String quiet = "-Dslf4j.internal.verbosity=ERROR";
        return Runtime.version().feature() < 24
                ? List.of(quiet)
                : List.of(quiet, "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
    }
}
