// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;

/** Hunts mutants of the scripts for latches. */
class LatchLuaMutantsTest extends LuaMutants {
    private LatchDifferentialBed site;

    LatchLuaMutantsTest() throws IOException {
        super(LuaMutant.latchScripts(), "equivalent-latch-mutants.txt", "latch-lua-mutants.md");
    }

    @Override
    List<LuaMutant> mutants() {
        return LuaMutant.allOfLatches();
    }

    /** Returns the number of a sequence with more generations than a record remembers. */
    @Override
    long slowest() {
        return 1;
    }

    @Override
    void connect(SteppedRedis server) {
        site = new LatchDifferentialBed(server, PATIENCE);
    }

    @Override
    void disconnect() {
        site.close();
    }

    @Override
    void load(byte[] script) throws Exception {
        site.load(script);
    }

    @Override
    DifferentialSequence sequence(long seed) throws Exception {
        return new LatchDifferentialRun(site, seed, new HashMap<>());
    }
}
