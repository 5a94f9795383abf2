// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.contender.Contender;
import io.boltwork.bench.contender.GuardedLock;
import io.boltwork.bench.measure.Figure;
import io.boltwork.bench.measure.Wait;
import io.boltwork.bench.measure.WorkOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * One thread that uses a plain lock and a lock of another kind in turn, for a short time each, so that both run under
 * the same conditions. The figures are those of the other kind.
 */
public final class AlternatingJob implements Job {
    public static final String NAME = "alternating";

    /** The kind beside the plain lock, an ordinal of {@link Kind}. */
    public static final String KIND = "kind";

    /** A kind of lock that is measured beside the plain lock. */
    public enum Kind {
        READ,
        WRITE,
        PERMIT,
        THREE_LOCKS
    }

    private static final long SLICE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final double QUIET = 0.03;

    private final JobContext site;
    private final Uses plain;
    private final Uses other;

    AlternatingJob(JobContext site) {
        this.site = site;
        plain = new Uses(GuardedLock.alone(site.lock(0, "plain"), site.board(), 0, site.who(0)));
        other = new Uses(other(Kind.values()[site.order().count(KIND)]));
    }

    private GuardedLock other(Kind kind) {
        Contender client = site.client(0);
        String name = "other";
        return switch (kind) {
            case READ -> GuardedLock.reading(client.readLock(name), site.board(), 1);
            case WRITE -> GuardedLock.alone(client.writeLock(name), site.board(), 1, site.who(0));
            case PERMIT -> GuardedLock.among(1, client.permit(name, 1), site.board(), 1);
            case THREE_LOCKS ->
                GuardedLock.alone(client.together(List.of("a", "b", "c")), site.board(), 1, site.who(0));
        };
    }

    @Override
    public void warmUp() throws InterruptedException {
        WarmUp.pairs(site, Duration.ofMillis(site.order().number(LoadJob.WARM_UP_MILLIS)));
        long end = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(site.order().number(LoadJob.LONGEST_REHEARSAL_MILLIS));
        alternate(Duration.ofMillis(site.order().number(LoadJob.REHEARSAL_MILLIS)));
        WarmUp.untilCompiled(() -> alternate(LOOK), QUIET * LOOK.toSeconds(), end);
    }

    @Override
    public WorkOutcome run() {
        double cpu = Worker.cpuSeconds();
        alternate(Duration.ofMillis(site.order().number(LoadJob.MILLIS)).multipliedBy(2));
        cpu = Worker.cpuSeconds() - cpu;
        return new WorkOutcome(
                new long[] {other.pairs},
                other.pairs,
                plain.entries + other.entries,
                other.nanos / 1e9,
                cpu,
                Wait.encode(other.waits),
                Map.of(
                        Figure.PLAIN.name(),
                        plain.perSecond(),
                        Figure.BESIDE_PLAIN.name(),
                        other.perSecond() / plain.perSecond()));
    }

    private void alternate(Duration time) {
        plain.reset();
        other.reset();
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() < end; ) {
            plain.use();
            other.use();
        }
    }

    /** The counts of one of both. */
    private static final class Uses {
        private final GuardedLock lock;
        private final Histogram waits = Wait.histogram();
        private long pairs;
        private long nanos;

        /** Since the worker started. */
        private long entries;

        Uses(GuardedLock lock) {
            this.lock = lock;
        }

        void reset() {
            waits.reset();
            pairs = 0;
            nanos = 0;
        }

        void use() {
            long begin = System.nanoTime();
            long now = begin;
            while (now - begin < SLICE) {
                lock.lock();
                Wait.record(waits, System.nanoTime() - now);
                lock.enter();
                lock.exit();
                lock.unlock();
                pairs++;
                if (!lock.isReading()) {
                    entries++;
                }
                now = System.nanoTime();
            }
            nanos += now - begin;
        }

        double perSecond() {
            return pairs / (nanos / 1e9);
        }
    }
}
