// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.kotlin

import io.boltwork.LockClient
import io.boltwork.LockTimeoutException
import io.boltwork.kotlin.signal
import io.boltwork.kotlin.withLock
import io.boltwork.memory.MemoryBackend
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/** The examples do what they say. */
class CoroutinesTest {
    private val locks = LockClient.create(MemoryBackend.create())
    private val tokens = mutableListOf<Long>()
    private val storage = object : Storage {
        override suspend fun write(row: String, token: Long) {
            tokens += token
        }
    }

    @AfterEach
    fun close() = locks.close()

    @Test
    fun aPurchaseWritesItsTokenOrGivesUp() = runBlocking<Unit> {
        purchase(locks, storage)
        locks.lock("stock:1001").acquire().use {
            assertThat(runCatching { purchase(locks, storage) }.exceptionOrNull())
                .isInstanceOf(LockTimeoutException::class.java)
        }
        assertThat(tokens).hasSize(1).allMatch { it > 0 }
    }

    @Test
    fun aTransferNeedsBothAccounts() = runBlocking<Unit> {
        assertThat(transfer(locks, storage)).isNotNull()
        locks.lock("account:2").acquire().use { assertThat(transfer(locks, storage)).isNull() }
        assertThat(tokens).hasSize(2)
    }

    @Test
    fun aBufferIsTakenFromOnceItHasSomething() = runBlocking<Unit> {
        val buffer = mutableListOf<String>()
        val taken = async(Dispatchers.Default) { take(locks, buffer) }
        locks.lock("buffer").withLock {
            buffer += "first"
            locks.lock("buffer").signal("notEmpty")
        }
        assertThat(taken.await()).isEqualTo("first")
    }

    @Test
    fun reportsAreWrittenByTheLeader() = runBlocking<Unit> {
        val token = CompletableDeferred<Long>()
        val leader = launch(Dispatchers.Default) { reports(locks) { token.complete(it) } }
        assertThat(token.await()).isPositive()
        leader.cancelAndJoin()
        assertThat(locks.lock("reports").isLocked).isFalse()
    }

    @Test
    fun anUploadHasAPermit() = runBlocking<Unit> {
        var free = -1
        upload(locks) { free = locks.semaphore("uploads", 3).availablePermits() }
        assertThat(free).isEqualTo(2)
    }
}
