// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.LockClient
import io.boltwork.LockOptions
import io.boltwork.memory.MemoryBackend
import io.boltwork.redis.RedisBackend
import io.boltwork.testkit.RandomCancels
import io.boltwork.testkit.server.RedisServer
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.condition.EnabledIfSystemProperty
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.EnumSource

/** A lock that is granted when its request is cancelled is released, and none is released before its body has ended. */
class CancelledBodiesTest {
    /** The kind of work that is cancelled. */
    enum class Work {
        WITH_LOCK,
        WITH_LOCK_UNCONFINED,
        WITH_LOCK_AND_WAIT,
        WITH_LOCK_OR_NULL,
        HOP,
        TIMEOUT,
        CHILDREN,
        READ,
        WRITE,
        MULTI_LOCK,
        PERMIT,
        PERMIT_OR_NULL,
        LATCH,
    }

    /** One client, and the work under its locks. */
    private class Scene(private val locks: LockClient) : AutoCloseable {
        private val stock = locks.lock("stock", LONG)
        private val orders = locks.lock("orders", LONG)
        private val prices = locks.readWriteLock("prices", LONG)
        private val uploads = locks.semaphore("uploads", 1, LONG)
        private val imported = locks.latch("import")
        private val inside = AtomicInteger()
        private val most = AtomicInteger()

        fun run(work: Work, rounds: Int) {
            imported.trySetCount(1)
            RandomCancels.run(work.toString(), rounds, { begin(work) }, ::isFree)
            assertThat(most.get()).isLessThanOrEqualTo(1)
        }

        private fun isFree() = !stock.isLocked && !orders.isLocked && !prices.writeLock().isLocked &&
            !prices.readLock().isLocked && uploads.availablePermits() == 1 && locks.waiting() == 0

        private fun begin(work: Work): Runnable {
            val dispatcher = if (work == Work.WITH_LOCK_UNCONFINED) Dispatchers.Unconfined else Dispatchers.Default
            val job = CoroutineScope(dispatcher).launch { perform(work) }
            return Runnable { job.cancel() }
        }

        private suspend fun perform(work: Work) {
            when (work) {
                Work.WITH_LOCK, Work.WITH_LOCK_UNCONFINED -> stock.withLock { alone() }
                Work.WITH_LOCK_AND_WAIT -> stock.withLock(10.minutes) { alone() }
                Work.WITH_LOCK_OR_NULL -> stock.withLockOrNull { alone() }
                Work.HOP -> stock.withLock { withContext(Dispatchers.IO) { alone() } }
                Work.TIMEOUT -> withTimeoutOrNull(40.microseconds) { stock.withLock { alone() } }
                Work.CHILDREN -> stock.withLock { launch { alone() } }
                Work.READ -> prices.readLock().withLock { it.ensureValid() }
                Work.WRITE -> prices.writeLock().withLock { alone() }
                Work.MULTI_LOCK -> locks.multiLock(stock, orders).withLock { alone() }
                Work.PERMIT -> uploads.withPermit { alone() }
                Work.PERMIT_OR_NULL -> uploads.withPermitOrNull(10.minutes) { alone() }
                Work.LATCH -> imported.awaitZero()
            }
        }

        private suspend fun alone() {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max)
            try {
                yield()
            } finally {
                inside.decrementAndGet()
            }
        }

        override fun close() = locks.close()
    }

    @ParameterizedTest
    @EnumSource
    fun cancellationAtAnyMomentLeavesNothing(work: Work) {
        Scene(LockClient.create(MemoryBackend.create())).use { it.run(work, ROUNDS) }
    }

    @Test
    fun nothingIsLeftInRedis() {
        RedisServer.start().use { server ->
            Scene(LockClient.create(RedisBackend.connect(server.uri()))).use { scene ->
                for (work in listOf(Work.WITH_LOCK, Work.WRITE, Work.MULTI_LOCK, Work.PERMIT)) {
                    scene.run(work, ROUNDS_IN_REDIS)
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @EnabledIfSystemProperty(
        named = "boltwork.proof",
        matches = "true",
        disabledReason = "minutes: -Dboltwork.proof=true",
    )
    fun manyCancellationsLeaveNothing(work: Work) {
        Scene(LockClient.create(MemoryBackend.create())).use { it.run(work, MANY_ROUNDS) }
    }

    private companion object {
        /** So long that no renewal finds unreachable handles meanwhile. */
        val LONG: LockOptions = LockOptions.renewedLease(Duration.ofHours(1))

        const val ROUNDS = 300
        const val ROUNDS_IN_REDIS = 100
        const val MANY_ROUNDS = 20_000
    }
}
