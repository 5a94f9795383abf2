// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;

/** Hunts mutants of the scripts for votes. */
class VoteLuaMutantsTest extends LuaMutants {
    private VoteDifferentialBed site;

    VoteLuaMutantsTest() throws IOException {
        super(LuaMutant.voteScripts(), "equivalent-vote-mutants.txt", "vote-lua-mutants.md");
    }

    @Override
    List<LuaMutant> mutants() {
        return LuaMutant.allOfVotes();
    }

    /** Returns the number of a sequence in which more clients watch than a server remembers. */
    @Override
    long slowest() {
        return 3;
    }

    @Override
    void connect(SteppedRedis server) {
        site = new VoteDifferentialBed(server, PATIENCE);
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
        return new VoteDifferentialRun(site, seed, new HashMap<>());
    }
}
