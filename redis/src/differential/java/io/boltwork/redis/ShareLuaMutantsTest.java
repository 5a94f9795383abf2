// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;

/**
 * Hunts mutants of the scripts for shared locks. Files that they have in common with plain locks are mutated by {@link
 * LuaMutantsTest}.
 */
class ShareLuaMutantsTest extends LuaMutants {
    private ShareDifferentialBed site;

    ShareLuaMutantsTest() throws IOException {
        super(LuaMutant.shareScripts(), "equivalent-share-mutants.txt", "share-lua-mutants.md");
    }

    @Override
    List<LuaMutant> mutants() {
        return LuaMutant.allOfShares();
    }

    /** Returns the number of the first sequence with a long queue. */
    @Override
    long slowest() {
        return 3;
    }

    @Override
    void connect(SteppedRedis server) {
        site = new ShareDifferentialBed(server, PATIENCE);
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
        return new ShareDifferentialRun(site, seed, new HashMap<>());
    }
}
