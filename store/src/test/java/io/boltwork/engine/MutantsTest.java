// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.List;

/** The mutants of the steps on a store. */
class MutantsTest extends Mutants {

    MutantsTest() {
        super("store", 12, List.of("io.boltwork.store.StoreStepRulesTest"));
    }
}
