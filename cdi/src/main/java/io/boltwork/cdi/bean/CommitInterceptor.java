// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.cdi.call.CommitCheck;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import org.jspecify.annotations.Nullable;

/** Verifies a lease before the method's transaction commits. It is inside of the transaction. */
@DistributedLock
@Interceptor
@Priority(CommitInterceptor.PRIORITY)
public class CommitInterceptor {
    static final int PRIORITY = Interceptor.Priority.PLATFORM_BEFORE + 210;

    @AroundInvoke
    @Nullable
    Object begun(InvocationContext context) throws Exception {
        CommitCheck.begun(context);
        return context.proceed();
    }
}
