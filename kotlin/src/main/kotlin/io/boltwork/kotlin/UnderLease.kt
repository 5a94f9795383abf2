// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.FencedLock
import io.boltwork.Lease
import io.boltwork.LeaseLostException
import io.boltwork.LockOwner
import io.boltwork.spi.BodyScope
import java.util.concurrent.CompletionStage
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.cancel
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.future.await
import kotlinx.coroutines.isActive
import kotlinx.coroutines.suspendCancellableCoroutine
import kotlinx.coroutines.withContext

/*
 * Effects of a cancellation, by its moment:
 *
 *   before the request       nothing is requested
 *   the request waits        its future is cancelled, which withdraws it. A grant that comes meanwhile finds a future
 *                            that takes no value, and core gives it back
 *   the lease is on its way  the handler of resume() releases the undelivered lease
 *   the lease has come       withContext does not begin the body, or the body is cancelled. The release follows
 *   during the release       nothing: it has been sent, and is awaited
 */

/** The leases that a coroutine runs under, for the client's report of deadlocks. */
private class Held(val scope: BodyScope) : AbstractCoroutineContextElement(Held) {
    companion object Key : CoroutineContext.Key<Held>
}

/** The owner of what a coroutine acquires. */
internal class Owned(val owner: LockOwner) : AbstractCoroutineContextElement(Owned) {
    companion object Key : CoroutineContext.Key<Owned>
}

/** Returns the lock as the owner of this coroutine acquires it. Makes an owner if there is none. */
@JvmSynthetic
internal suspend fun FencedLock.owned(): FencedLock =
    if (owner().isPresent) {
        this
    } else {
        ownedBy(currentCoroutineContext()[Owned]?.owner ?: LockOwner.create("coroutine under ${name()}"))
    }

private fun CoroutineContext.bodyScope(): BodyScope? = this[Held]?.scope ?: BodyScope.current()

/**
 * Awaits the answer to a request, and returns its lease; `null` if it was refused. A cancellation withdraws the request
 * or releases the lease.
 */
@JvmSynthetic // hides it from Java, and from the comparison of the API
internal suspend fun <A : Any> request(send: () -> CompletionStage<A>, lease: (A) -> Lease?): Lease? {
    val context = currentCoroutineContext()
    context.ensureActive()
    return suspendCancellableCoroutine { caller ->
        val future = BodyScope.call(context.bodyScope(), send).toCompletableFuture()
        caller.invokeOnCancellation { future.cancel(true) }
        future.whenComplete { answer, failure ->
            if (failure == null) {
                caller.resume(lease(answer)) { _, undelivered, _ -> undelivered?.releaseAsync() }
            } else {
                caller.resumeWithException(failure)
            }
        }
    }
}

/**
 * Executes the body under the lease, and releases the lease. A loss cancels the body.
 *
 * @param owner the element with the owner of what the body acquires, or nothing
 */
@JvmSynthetic
internal suspend fun <T> underLease(
    lease: Lease,
    owner: CoroutineContext,
    body: suspend CoroutineScope.(Lease) -> T,
): T {
    val caller = currentCoroutineContext()
    val outcome = runCatching {
        withContext(Held(BodyScope.ofPipeline(listOf(lease), caller.bodyScope())) + owner) {
            lease.whenLost().thenAccept { cancel("The lock was lost", LeaseLostException(it)) }
            body(lease)
        }
    }
    val release = withContext(NonCancellable) { runCatching { lease.releaseAsync().await() } }
    val failure = outcome.exceptionOrNull()
    val loss = release.exceptionOrNull()
    if (failure == null || failure is CancellationException && loss != null && caller.isActive) {
        release.getOrThrow()
    }
    if (loss != null && loss !== failure) {
        failure?.addSuppressed(loss)
    }
    return outcome.getOrThrow()
}
