// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.annotation.call.CallerContext;
import io.boltwork.annotation.call.GuardedCode;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.eclipse.microprofile.context.ThreadContext;

/** Captures the contexts of callers, such as that of a request, by MicroProfile Context Propagation. */
@Singleton
public class PropagatedContexts implements LockCalls.Contexts {
    private final Instance<ThreadContext> contexts;

    @Inject
    PropagatedContexts(Instance<ThreadContext> contexts) {
        this.contexts = contexts;
    }

    @Override
    public CallerContext get() {
        if (!contexts.isResolvable()) {
            return GuardedCode::call;
        }
        Executor captured = contexts.get().currentContextExecutor();
        return body -> {
            CompletableFuture<Object> result = new CompletableFuture<>();
            captured.execute(() -> {
                try {
                    result.complete(body.call());
                } catch (Throwable thrown) { // by the method
                    result.completeExceptionally(thrown);
                }
            });
            try {
                return result.get(); // it was executed on this thread
            } catch (ExecutionException e) {
                throw e.getCause() == null ? e : e.getCause();
            }
        };
    }
}
