// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import io.boltwork.engine.Engine;

/** Gives tests of the engine's package access to this one. */
public final class Doors {
    private Doors() {}

    /** Returns an inspector of a client that consists of its engine only. */
    public static LockInspector inspector(Engine engine) {
        return new LockInspector(engine);
    }

    /** Checks the name of a lock. */
    public static void checkName(String name) {
        LockClient.checkName(name);
    }
}
