// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;

/** A class whose methods are all locked. */
@DistributedLock("till")
public class Till {
    private final LockClient locks;

    Till(LockClient locks) {
        this.locks = locks;
    }

    public String first() {
        return held("till");
    }

    @DistributedLock("second")
    public String second() {
        return held("second");
    }

    private String held(String name) {
        return locks.lock(name).isHeldByCurrentThread()
                        && locks.inspector().list("*", 10).stream()
                                .noneMatch(lock -> !lock.name().equals(name)
                                        && !lock.name().equals("job"))
                ? name
                : "other";
    }
}
