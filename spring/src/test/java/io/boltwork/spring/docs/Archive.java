// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** A job whose steps check that its lock is held. */
@Component
class Archive {
    private final StringBuilder steps = new StringBuilder();

    @DistributedLock("archive")
    public String archive() {
        move();
        return steps.toString();
    }

    // @start region="current"
    void move() {
        CurrentLease.ensureHeld("archive"); // no other path leads here
        collect();
        CurrentLease.extend(Duration.ofMinutes(5));
        write();
    }
    // @end

    private void collect() {
        steps.append("collected, ");
    }

    private void write() {
        steps.append("written");
    }
}
