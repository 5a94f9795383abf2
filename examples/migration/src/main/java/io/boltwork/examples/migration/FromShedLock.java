// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.migration;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.scheduling.annotation.Scheduled;

/** A job that one instance runs once in an hour. */
final class FromShedLock {
    private FromShedLock() {}

    @Configuration
    @EnableSchedulerLock(defaultLockAtMostFor = "50m")
    static class ShedLockJobs {
        @Bean
        LockProvider lockProvider(RedisConnectionFactory redis) {
            return new RedisLockProvider.Builder(redis).environment("shop").build();
        }
    }

    static class ReportBefore {
        int reports;

        @Scheduled(cron = "0 0 * * * *")
        @SchedulerLock(name = "report", lockAtMostFor = "50m", lockAtLeastFor = "10m")
        public void report() {
            reports++;
        }

        int reports() {
            return reports;
        }
    }

    static class ReportAfter {
        int reports;

        // @start region="after"
        @Scheduled(cron = "0 0 * * * *")
        @DistributedLock(name = "report", mode = LockMode.SKIP, minHold = "10m", maxHold = "50m")
        public void report() {
            reports++;
        }
        // @end

        int reports() {
            return reports;
        }
    }

    static class ReportStrict {
        int reports;

        @Scheduled(cron = "0 0 * * * *")
        @DistributedLock(name = "strict-report", mode = LockMode.SKIP, minHold = "10m", lease = "50m")
        public void report() {
            reports++;
        }

        int reports() {
            return reports;
        }
    }
}
