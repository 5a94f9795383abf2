// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.LockClient;

class CounterBean implements Counter {
    private final LockClient locks;

    CounterBean(LockClient locks) {
        this.locks = locks;
    }

    @Override
    public String count() {
        return locks.lock("counter").isHeldByCurrentThread() ? "counter" : "not held";
    }
}
