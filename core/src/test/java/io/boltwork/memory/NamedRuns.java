package io.boltwork.memory;

import java.time.InstantSource;
import java.util.function.Supplier;

/** Memory servers whose runs have names given by a test, so that several of them can be one server. */
public final class NamedRuns {

    private NamedRuns() {}

    public static MemoryServer create(InstantSource clock, Supplier<String> runs) {
        return new MemoryServer(clock, runs);
    }
}
