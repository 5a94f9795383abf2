// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.client;

import io.boltwork.machine.request.Ticker;

/** The monotonic clock of the system. */
public final class SystemTicker {

    private SystemTicker() {}

    /** Returns a ticker that counts from now on. */
    public static Ticker start() {
        long origin = System.nanoTime();
        return () -> System.nanoTime() - origin;
    }
}
