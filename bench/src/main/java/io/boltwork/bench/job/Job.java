// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.job;

import io.boltwork.bench.measure.WorkOutcome;

/** The work of a {@link Worker}. */
interface Job {
    /** Prepares the measurement. */
    void warmUp() throws Exception;

    /** Measures. */
    WorkOutcome run() throws Exception;

    static Job of(JobContext site) {
        String job = site.order().job();
        return switch (job) {
            case LoadJob.NAME -> new LoadJob(site);
            case LatchJob.NAME -> new LatchJob(site);
            case AlternatingJob.NAME -> new AlternatingJob(site);
            case HandoffJob.NAME -> new HandoffJob(site);
            case TurnsJob.NAME -> new TurnsJob(site);
            case PublishJob.NAME -> new PublishJob(site);
            case SaleJob.NAME -> new SaleJob(site);
            case HoldJob.NAME -> new HoldJob(site);
            case CrashJob.NAME -> new CrashJob(site);
            case FootprintJob.NAME -> new FootprintJob(site);
            default -> throw new IllegalArgumentException("There is no job " + job);
        };
    }
}
