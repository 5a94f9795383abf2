// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import java.time.Duration;
import java.util.Optional;

/** The snippet of docs/run/operations.md. */
final class Operations {
    private Operations() {}

    static boolean firstFor(LockClient locks, String event, Duration quiet) {
        // @start region="cool-down"
        // the first caller gets the lock and releases it at once; it stays closed in all JVMs until the time is over
        LockOptions once = LockOptions.defaults().withMinHold(quiet);
        Optional<Lease> first = locks.lock("quiet:" + event, once).tryAcquire();
        first.ifPresent(Lease::release);
        // @end
        return first.isPresent();
    }
}
