// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.DistributedLocks;
import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import org.jspecify.annotations.Nullable;

/** Executes methods under several locks. It is outside of transactions. */
@DistributedLocks({})
@Interceptor
@Priority(LockInterceptor.PRIORITY)
public class LocksInterceptor {
    private final LockCalls calls;

    @Inject
    LocksInterceptor(LockCalls calls) {
        this.calls = calls;
    }

    @AroundInvoke
    @Nullable
    Object lock(InvocationContext context) throws Exception {
        return calls.execute(context);
    }
}
