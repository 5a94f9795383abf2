package io.boltwork;

import io.boltwork.engine.Engine;

/** What tests of the engine's room reach of this one. */
public final class Doors {
    private Doors() {}

    /** Returns an inspector of a client that has no other part than its engine. */
    public static LockInspector inspector(Engine engine) {
        return new LockInspector(engine);
    }

    /** Checks the name of a lock. */
    public static void checkName(String name) {
        LockClient.checkName(name);
    }
}
