// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;

/** Hunts mutants of the parts of scripts about locks that are shared with Redisson. */
class BridgeLuaMutantsTest extends LuaMutants {
    private BridgeBed site;

    BridgeLuaMutantsTest() throws IOException {
        super(LuaMutant.bridgedScripts(), "equivalent-bridge-mutants.txt", "bridge-lua-mutants.md");
    }

    @Override
    List<LuaMutant> mutants() {
        return LuaMutant.allOfBridge();
    }

    /** Returns 0, because all sequences take equally long. */
    @Override
    long slowest() {
        return 0;
    }

    @Override
    void connect(SteppedRedis server) throws Exception {
        site = new BridgeBed(server, PATIENCE);
    }

    @Override
    void disconnect() {
        site.close();
    }

    @Override
    void load(byte[] script) throws Exception {
        site.await(site.raw().scriptLoad(script));
    }

    @Override
    DifferentialSequence sequence(long seed) throws Exception {
        return new BridgeSequence(site, seed, new HashMap<>());
    }
}
