// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.call;

import io.boltwork.annotation.acquire.BoundHold;
import io.boltwork.annotation.acquire.TransactionBoundary;
import java.lang.reflect.Method;

/** For an application without transactions. */
public enum NoTransactions implements TransactionBoundary {
    /** The only instance. */
    INSTANCE;

    @Override
    public boolean isLeftAside(Method method, Class<?> targetClass) {
        return false;
    }

    @Override
    public boolean isThere() {
        return false;
    }

    @Override
    public boolean register(BoundHold hold) {
        return false;
    }
}
