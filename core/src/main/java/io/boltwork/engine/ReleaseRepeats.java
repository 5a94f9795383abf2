package io.boltwork.engine;

import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Repeats releases that a new server may have lost, some at a time, so that what is asked for meanwhile is not behind all. */
final class ReleaseRepeats implements Runnable {

    /** As many as are repeated at once. */
    static final int AT_ONCE = 64;

    /** The time until the next ones are. */
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(1);

    private final Engine engine;
    private final Iterator<ReleaseLog.Entry> releases;

    ReleaseRepeats(Engine engine, List<ReleaseLog.Entry> releases) {
        this.engine = engine;
        this.releases = releases.iterator();
    }

    @Override
    public void run() {
        for (int i = 0; i < AT_ONCE && releases.hasNext(); i++) {
            ReleaseLog.Entry entry = releases.next();
            engine.post(entry.lock(), driver -> driver.machine.releaseAgain(entry.request(), entry.lastToken()));
        }
        if (releases.hasNext() && !engine.isClosed()) {
            engine.scheduler.schedule(this, PAUSE);
        }
    }
}
