// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;

/** Hunts mutants of the scripts for plain locks. */
class LuaMutantsTest extends LuaMutants {
    private DifferentialBed site;

    LuaMutantsTest() throws IOException {
        super(LuaMutant.scripts(), "equivalent-mutants.txt", "lua-mutants.md");
    }

    @Override
    List<LuaMutant> mutants() {
        return LuaMutant.all();
    }

    /** Returns the number of the first sequence with a long queue. */
    @Override
    long slowest() {
        return 10;
    }

    @Override
    void connect(SteppedRedis server) {
        site = new DifferentialBed(server, PATIENCE);
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
        return new DifferentialRun(site, seed, new HashMap<>());
    }
}
