// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.LeaseLostException
import io.boltwork.LockClient
import io.boltwork.memory.MemoryBackend
import io.boltwork.memory.MemoryServer
import io.boltwork.testkit.wait.Await
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout

/** Bodies that wait for a condition of their lock. */
@Timeout(60)
class ConditionsTest {
    private val server = MemoryServer.create()
    private val locks = LockClient.create(MemoryBackend.on(server))
    private val elsewhere = LockClient.create(MemoryBackend.on(server))
    private val lock = locks.lock("buffer")
    private val lockElsewhere = elsewhere.lock("buffer")
    private val full = AtomicInteger()

    @AfterEach
    fun nothingIsLeft() {
        locks.use {
            elsewhere.use {
                Await.until("the lock is free") { !lockElsewhere.isLocked && locks.waiting() == 0 }
            }
        }
    }

    @Test
    fun aSignalOfAnotherClientWakesABody() = runBlocking<Unit>(Dispatchers.Default) {
        val looks = AtomicInteger()
        val isFull = { looks.incrementAndGet() > 0 && full.get() > 0 }
        val taken = async { lock.withLockWhen("notEmpty", { isFull() }) { full.decrementAndGet() } }
        Await.until("it waits") { looks.get() == 1 && !lockElsewhere.isLocked }
        lockElsewhere.withLock {
            full.set(1)
            lockElsewhere.signal("notEmpty")
        }
        assertThat(taken.await()).isZero()
    }

    @Test
    fun producersAndConsumersPassEverythingOn() = runBlocking<Unit>(Dispatchers.Default) {
        val rounds = 50
        val passed = AtomicInteger()
        val consumers = List(2) {
            launch {
                repeat(rounds) {
                    lock.withLockWhen("notEmpty", { full.get() > 0 }) {
                        full.decrementAndGet()
                        passed.incrementAndGet()
                        lock.signalAll("notFull")
                    }
                }
            }
        }
        val producers = List(2) {
            launch {
                repeat(rounds) {
                    lockElsewhere.withLockWhen("notFull", { full.get() == 0 }) {
                        full.incrementAndGet()
                        lockElsewhere.signalAll("notEmpty")
                    }
                }
            }
        }
        (consumers + producers).joinAll()
        assertThat(passed).hasValue(2 * rounds)
        assertThat(full).hasValue(0)
    }

    @Test
    fun aCancellationAtAnyMomentLeavesNothing() = runBlocking<Unit>(Dispatchers.Default) {
        val random = Random(7)
        repeat(60) {
            val waits = launch { lock.withLockWhen("never", { false }) { } }
            delay(random.nextLong(0, 6))
            waits.cancelAndJoin()
            assertThat(lockElsewhere.withLockOrNull(kotlin.time.Duration.parse("10s")) { 1 }).isEqualTo(1)
        }
        assertThat(withTimeoutOrNull(20) { lock.withLockWhen("never", { false }) { } }).isNull()
    }

    @Test
    fun aLossAndANestedCallAreErrors() = runBlocking<Unit>(Dispatchers.Default) {
        val lost = runCatching {
            lock.withLockWhen("any", { true }) { elsewhere.inspector().forceRelease("buffer") }
        }
        assertThat(lost.exceptionOrNull()).isInstanceOf(LeaseLostException::class.java)
        val nested = runCatching { lock.withLock { lock.withLockWhen("any", { true }) { } } }
        assertThat(nested.exceptionOrNull()).isInstanceOf(IllegalStateException::class.java)
            .hasMessageContaining("is held already by LockOwner['coroutine under buffer']")
        assertThat(runCatching { lock.signal("any") }.exceptionOrNull())
            .isInstanceOf(IllegalMonitorStateException::class.java)
    }
}
