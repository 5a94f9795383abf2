// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.DistributedLocks;
import io.boltwork.cdi.call.CommitCheck;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import org.jspecify.annotations.Nullable;

/** Verifies several leases before the method's transaction commits. It is inside of the transaction. */
@DistributedLocks({})
@Interceptor
@Priority(CommitInterceptor.PRIORITY)
public class CommitsInterceptor {
    @AroundInvoke
    @Nullable
    Object begun(InvocationContext context) throws Exception {
        CommitCheck.begun(context);
        return context.proceed();
    }
}
