// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import io.boltwork.machine.Ticker;

/** The monotonic clock of the system. */
final class SystemTicker {

    private SystemTicker() {}

    /** Returns a ticker that counts from now on. */
    static Ticker start() {
        long origin = System.nanoTime();
        return () -> System.nanoTime() - origin;
    }
}
