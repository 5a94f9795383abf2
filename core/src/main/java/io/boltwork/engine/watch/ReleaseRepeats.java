// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import io.boltwork.engine.client.ClientCore;
import io.boltwork.engine.client.ReleaseLog;
import io.boltwork.engine.drive.LockDrivers;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Repeats releases that a new server may have lost, some at a time, so that requests in the meantime need not wait
 * behind all of them.
 */
final class ReleaseRepeats implements Runnable {

    /** The number of releases that are repeated at once. */
    static final int AT_ONCE = 64;

    /** The time until the next ones are repeated. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private final ClientCore core;
    private final LockDrivers drivers;
    private final Iterator<ReleaseLog.LoggedRelease> releases;

    ReleaseRepeats(ClientCore core, LockDrivers drivers, List<ReleaseLog.LoggedRelease> releases) {
        this.core = core;
        this.drivers = drivers;
        this.releases = releases.iterator();
    }

    @Override
    public void run() {
        for (int i = 0; i < AT_ONCE && releases.hasNext(); i++) {
            ReleaseLog.LoggedRelease entry = releases.next();
            drivers.post(entry.key(), driver -> driver.machine.releaseAgain(entry.request(), entry.lastToken()));
        }
        if (releases.hasNext() && !core.isClosed()) {
            core.scheduler.schedule(this, PAUSE);
        }
    }
}
