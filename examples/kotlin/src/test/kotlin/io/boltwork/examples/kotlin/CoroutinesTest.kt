// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.kotlin

import io.boltwork.LeaseLostException
import io.boltwork.LockClient
import io.boltwork.memory.MemoryBackend
import io.boltwork.memory.MemoryServer
import io.boltwork.testkit.wait.Await
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/** Coroutines hold locks, and their cancellation leaves nothing behind. */
class CoroutinesTest {
    private val server = MemoryServer.create()
    private val locks = LockClient.create(MemoryBackend.on(server))
    private val elsewhere = LockClient.create(MemoryBackend.on(server))
    private val stock = locks.lock(NAME)
    private val stockElsewhere = elsewhere.lock(NAME)

    @AfterEach
    fun nothingIsHeldOrAwaitedInTheEnd() {
        locks.use {
            elsewhere.use {
                Await.until("the lock is free") { !stockElsewhere.isLocked && queued() == 0 }
            }
        }
    }

    private fun queued() = elsewhere.inspector().describe(NAME).queue().size

    @Test
    fun coroutinesExcludeEachOther() = runBlocking<Unit>(Dispatchers.Default) {
        val inside = AtomicInteger()
        val most = AtomicInteger()
        List(20) {
            launch {
                stock.withLease {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max)
                    yield()
                    inside.decrementAndGet()
                }
            }
        }.joinAll()
        assertThat(most).hasValue(1)
    }

    @Test
    fun cancellationWithdrawsTheRequest() {
        stockElsewhere.acquire().use {
            runBlocking(Dispatchers.Default) {
                val waiter = launch { stock.withLease { error("must not run") } }
                Await.until("the request waits") { queued() == 1 }
                waiter.cancelAndJoin()
                Await.until("the request is withdrawn") { queued() == 0 }
            }
        }
    }

    @Test
    fun cancellationReleasesTheLock() = runBlocking<Unit>(Dispatchers.Default) {
        val held = CompletableDeferred<Unit>()
        val holder = launch {
            stock.withLease {
                held.complete(Unit)
                awaitCancellation()
            }
        }
        held.await()
        assertThat(stockElsewhere.tryLock()).isFalse()
        holder.cancelAndJoin()
        assertThat(stockElsewhere.isLocked).isFalse()
    }

    @Test
    fun cancellationAtAnyMomentLeavesNothing() = runBlocking<Unit>(Dispatchers.Default) {
        repeat(500) { round ->
            coroutineScope {
                val holder = launch { stock.withLease { yield() } }
                repeat(round % 20) { yield() }
                holder.cancelAndJoin()
            }
        }
    }

    @Test
    fun lossAndFailureReachTheCaller() {
        assertThatThrownBy {
            runBlocking { stock.withLease { elsewhere.inspector().forceRelease(NAME) } }
        }.isInstanceOf(LeaseLostException::class.java)
        assertThatThrownBy { runBlocking { stock.withLease { error("declined") } } }.hasMessage("declined")
    }

    @Test
    fun purchaseWritesItsTokenOrGivesUp() = runBlocking<Unit> {
        val tokens = mutableListOf<Long>()
        val storage = object : Storage {
            override suspend fun write(row: String, token: Long) {
                tokens += token
            }
        }
        assertThat(purchase(locks, storage)).isTrue()
        stockElsewhere.acquire().use { assertThat(purchase(locks, storage)).isFalse() }
        assertThat(tokens).hasSize(1).allMatch { it > 0 }
    }

    private companion object {
        const val NAME = "stock:1001"
    }
}
