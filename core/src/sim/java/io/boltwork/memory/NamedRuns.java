// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import java.time.InstantSource;
import java.util.function.Supplier;

/** Creates memory servers whose run names a test chooses, so that several of them can act as one server. */
public final class NamedRuns {

    private NamedRuns() {}

    public static MemoryServer create(InstantSource clock, Supplier<String> runs) {
        return new MemoryServer(clock, runs);
    }
}
