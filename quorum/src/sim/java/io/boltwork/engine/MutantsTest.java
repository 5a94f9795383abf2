// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;

/** The mutants of a quorum. */
class MutantsTest extends Mutants {

    /** More seeds of the simulated quorum than each build runs. */
    private static final String SEEDS = "300";

    MutantsTest() {
        super("quorum", 25, List.of("io.boltwork.quorum.QuorumRulesTest", "io.boltwork.engine.QuorumSimulationTest"));
    }

    @BeforeAll
    static void simulateMore() {
        if (!System.getProperty("boltwork.mutants", "").isEmpty()) {
            System.setProperty("boltwork.quorumSeeds", SEEDS);
        }
    }
}
