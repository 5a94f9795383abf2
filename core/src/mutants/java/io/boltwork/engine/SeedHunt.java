// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.logging.Level;
import java.util.logging.Logger;

/** Looks for a simulated run that a mutant spoils. Called by reflection, in its class loader. */
final class SeedHunt {

    private static final Logger LOG = Logger.getLogger("io.boltwork");

    private SeedHunt() {}

    /** The property and the seed of the first violation; {@code null} if there is none. */
    static String[] seeds(long from, long to) {
        LOG.setLevel(Level.OFF);
        for (long seed = from; seed < to; seed++) {
            try {
                new Simulation(Plan.of(seed), false).run();
            } catch (Violation violation) {
                return new String[] {violation.property.name(), "seed " + seed};
            }
        }
        return null;
    }
}
