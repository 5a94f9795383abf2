// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.DistributedLock;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import org.jspecify.annotations.Nullable;

/** Executes methods under one lock. It is outside of transactions, whose interceptors are at 200. */
@DistributedLock
@Interceptor
@Priority(LockInterceptor.PRIORITY)
public class LockInterceptor {
    static final int PRIORITY = Interceptor.Priority.PLATFORM_BEFORE + 100;

    private final LockCalls calls;

    @Inject
    LockInterceptor(LockCalls calls) {
        this.calls = calls;
    }

    @AroundInvoke
    @Nullable
    Object lock(InvocationContext context) throws Exception {
        return calls.execute(context);
    }
}
