// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.call;

import io.boltwork.annotation.acquire.EnteredLock;
import io.boltwork.annotation.call.AsyncLocking.Held;
import java.util.concurrent.CompletableFuture;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;

/*
 * Spring executes a suspend function as a Mono. A cancellation of its subscription cancels the coroutine and does not
 * wait for its end, but the locks must be held until then. Spring makes the Job of that coroutine and passes it to no
 * code outside. This element gets it whenever a thread executes the coroutine; one that was cancelled before its first
 * thread never begins.
 */
/** The coroutine of a suspend function that is executed under locks, on whatever thread. */
final class LockedCoroutine extends AbstractCoroutineContextElement
        implements ThreadContextElement<@Nullable EnteredLock> {
    private static final class Key implements CoroutineContext.Key<LockedCoroutine> {}

    private static final Key KEY = new Key();

    private final @Nullable EnteredLock innermost;
    private volatile @Nullable Job job;

    private LockedCoroutine(@Nullable EnteredLock innermost) {
        super(KEY);
        this.innermost = innermost;
    }

    /**
     * Replaces the last one of a suspend function's arguments, the continuation of its caller, by one whose context has
     * a new element.
     */
    @SuppressWarnings("unchecked") // that of a suspend function
    static LockedCoroutine enter(@Nullable Object[] arguments, Held held) {
        Continuation<Object> caller = (Continuation<Object>) arguments[arguments.length - 1];
        LockedCoroutine around = caller.getContext().get(KEY);
        EnteredLock innermost = around == null ? null : around.innermost;
        for (int i = 0; i < held.leases().size(); i++) {
            innermost =
                    new EnteredLock(held.steps().get(i).target(), held.leases().get(i), innermost);
        }
        LockedCoroutine entered = new LockedCoroutine(innermost);
        arguments[arguments.length - 1] =
                new UnderLocks(caller, caller.getContext().plus(entered));
        return entered;
    }

    private record UnderLocks(Continuation<Object> caller, CoroutineContext context) implements Continuation<Object> {
        @Override
        public CoroutineContext getContext() {
            return context;
        }

        @Override
        public void resumeWith(Object result) {
            caller.resumeWith(result);
        }
    }

    @Override
    public @Nullable EnteredLock updateThreadContext(CoroutineContext context) {
        Job known = job;
        if (known == null || known.isCompleted()) { // another advice may execute the function again
            job = context.get(Job.Key);
        }
        EnteredLock outer = EnteredLock.innermost();
        EnteredLock.leave(innermost);
        return outer;
    }

    @Override
    public void restoreThreadContext(CoroutineContext context, @Nullable EnteredLock outer) {
        EnteredLock.leave(outer);
    }

    /** Returns a future that completes when the coroutine has ended. */
    CompletableFuture<Unit> end() {
        CompletableFuture<Unit> end = new CompletableFuture<>();
        Job begun = job;
        if (begun == null) {
            end.complete(Unit.INSTANCE);
        } else {
            begun.invokeOnCompletion(failure -> {
                end.complete(Unit.INSTANCE);
                return Unit.INSTANCE;
            });
        }
        return end;
    }
}
