// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

/**
 * A fault of a lock, as a sequence of steps that is the same each time.
 *
 * @param name a short name, such as {@code crash-before-expire}
 * @param title the fault in a few words
 * @param server the heading of the server's column
 * @param action the steps
 */
record Trap(String name, String title, String server, TrapSteps action) {
    /** The steps of a trap on real servers. */
    interface TrapSteps {
        void play(TrapServers servers, TrapLog log) throws Exception;
    }

    /** Creates a trap on one Redis. */
    static Trap onRedis(String name, String title, TrapSteps action) {
        return new Trap(name, title, "Redis", action);
    }

    /** Runs the steps on servers whose data are removed first. */
    TrapReport play(TrapServers servers) throws Exception {
        TrapLog log = new TrapLog(this);
        try {
            action.play(servers, log);
        } finally {
            servers.reset();
        }
        return log.report();
    }

    @Override
    public String toString() {
        return name;
    }
}
