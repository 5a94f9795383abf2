// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.LockClient
import io.boltwork.LockOwner
import io.boltwork.LockTimeoutException
import io.boltwork.PermitsExceededException
import io.boltwork.memory.MemoryBackend
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/** Read-write locks, multi-locks, semaphores and latches. */
class KindsTest {
    private val locks = LockClient.create(MemoryBackend.create())

    @AfterEach
    fun close() = locks.close()

    @Test
    fun readersShareAndAWriterExcludes() = runBlocking<Unit> {
        val prices = locks.readWriteLock("prices")
        val other = LockOwner.create("another").asContextElement()
        prices.readLock().withLock {
            withContext(other) {
                assertThat(prices.readLock().withLockOrNull { 1 }).isEqualTo(1)
                assertThat(prices.writeLock().withLockOrNull { 1 }).isNull()
            }
        }
        prices.writeLock().withLock {
            assertThat(prices.readLock().withLockOrNull { 1 }).isEqualTo(1)
            withContext(other) { assertThat(prices.readLock().withLockOrNull { 1 }).isNull() }
        }
    }

    @Test
    fun aMultiLockHoldsAllItsMembers() = runBlocking<Unit> {
        val from = locks.lock("account:1")
        val to = locks.lock("account:2")
        locks.multiLock(from, to).withLock { lease ->
            assertThat(lease.of(from).isValid && lease.of(to).isValid).isTrue()
            val other = LockOwner.create("another").asContextElement()
            withContext(other) { assertThat(from.withLockOrNull { 1 } ?: to.withLockOrNull { 1 }).isNull() }
        }
        assertThat(from.isLocked || to.isLocked).isFalse()
    }

    @Test
    fun bodiesSharePermits() = runBlocking<Unit> {
        val uploads = locks.semaphore("uploads", 3)
        uploads.withPermit {
            uploads.withPermit(1.hours, permits = 2) {
                assertThat(uploads.availablePermits()).isZero()
                assertThat(uploads.withPermitOrNull { 1 }).isNull()
                val refused = runCatching { uploads.withPermit(1.milliseconds) { } }.exceptionOrNull()
                assertThat(refused).isInstanceOf(LockTimeoutException::class.java)
            }
            assertThat(uploads.withPermitOrNull(permits = 2) { uploads.availablePermits() }).isZero()
        }
        assertThat(uploads.availablePermits()).isEqualTo(3)
        assertThat(runCatching { uploads.withPermit(permits = 4) { } }.exceptionOrNull())
            .isInstanceOf(PermitsExceededException::class.java)
    }

    @Test
    fun aLatchIsAwaited() = runBlocking<Unit>(Dispatchers.Default) {
        val imported = locks.latch("import")
        imported.trySetCountAsync(1).await()
        assertThat(imported.awaitZero(Duration.ZERO)).isFalse()
        val cancelled = launch { imported.awaitZero() }
        val waiting = async { imported.awaitZero() && imported.awaitZero(1.hours) }
        yield()
        cancelled.cancelAndJoin()
        assertThat(imported.awaitZero(1.milliseconds)).isFalse()
        imported.countDownAsync().await()
        assertThat(waiting.await()).isTrue()
    }
}
