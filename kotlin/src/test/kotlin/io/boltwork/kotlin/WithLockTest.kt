// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.LeaseLostException
import io.boltwork.LockClient
import io.boltwork.LockListener
import io.boltwork.LockOptions
import io.boltwork.LockOwner
import io.boltwork.LockTimeoutException
import io.boltwork.memory.MemoryBackend
import io.boltwork.memory.MemoryServer
import io.boltwork.testkit.wait.Await
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.assertj.core.api.Assertions.catchThrowable
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/** Bodies under locks: waits, cancellations, losses, failures. */
class WithLockTest {
    private val server = MemoryServer.create()
    private val locks = LockClient.create(MemoryBackend.on(server, java.time.Duration.ofMillis(500)))
    private val elsewhere = LockClient.create(MemoryBackend.on(server, java.time.Duration.ofMillis(500)))
    private val stock = locks.lock(NAME)
    private val stockElsewhere = elsewhere.lock(NAME)

    @AfterEach
    fun nothingIsHeldOrAwaitedInTheEnd() {
        server.thaw()
        locks.use {
            elsewhere.use {
                Await.until("the lock is free") { !stockElsewhere.isLocked && queued() == 0 }
            }
        }
    }

    private fun queued() = elsewhere.inspector().describe(NAME).queue().size

    private fun forceRelease() = elsewhere.inspector().forceRelease(NAME)

    // ================================================================ waiting

    @Test
    fun bodiesExcludeEachOtherWhateverTheirThreads() = runBlocking<Unit>(Dispatchers.Default) {
        val inside = AtomicInteger()
        val most = AtomicInteger()
        List(20) {
            launch {
                stock.withLock {
                    most.accumulateAndGet(inside.incrementAndGet(), Math::max)
                    withContext(Dispatchers.IO) { yield() }
                    inside.decrementAndGet()
                }
            }
        }.joinAll()
        assertThat(most).hasValue(1)
    }

    @Test
    fun aBodyGetsTheLeaseAndItsResultIsReturned() = runBlocking<Unit> {
        val first = stock.withLock { it.fencingToken() }
        assertThat(stock.withLock(1.hours) { it.fencingToken() }).isGreaterThan(first)
        assertThat(stock.withLockOrNull { lease -> lease.isValid }).isTrue()
        assertThat(stock.withLock<Int?> { null }).isNull()
    }

    @Test
    fun aWaitEndsWithoutTheBody() {
        stockElsewhere.acquire().use {
            runBlocking {
                for (wait in listOf(10.milliseconds, Duration.ZERO, -Duration.INFINITE)) {
                    assertThat(stock.withLockOrNull<Int>(wait) { error("must not run") }).isNull()
                    assertThat(runCatching { stock.withLock<Int>(wait) { error("must not run") } }.exceptionOrNull())
                        .isInstanceOf(LockTimeoutException::class.java)
                }
                assertThat(withTimeoutOrNull(10) { stock.withLock<Int> { error("must not run") } }).isNull()
            }
        }
    }

    @Test
    fun bodiesWithoutAThreadCannotBeInterrupted() {
        val interrupting = stock.withOptions(LockOptions.defaults().withOnLoss(LockOptions.OnLoss.INTERRUPT))
        assertThatThrownBy { runBlocking { interrupting.withLock { } } }
            .isInstanceOf(UnsupportedOperationException::class.java)
    }

    @Test
    fun aBodyEntersTheHoldOfItsCoroutine() = runBlocking<Unit>(Dispatchers.Default) {
        stock.withLock { outer ->
            val launched = launch { stock.withLock { assertThat(it.fencingToken()).isEqualTo(outer.fencingToken()) } }
            assertThat(stock.withLockOrNull { inner -> inner.fencingToken() }).isEqualTo(outer.fencingToken())
            launched.join()
            assertThat(outer.isValid).isTrue()
            assertThat(stockElsewhere.tryLock()).isFalse()
        }
        assertThat(stockElsewhere.isLocked).isFalse()
    }

    @Test
    fun coroutinesExcludeEachOtherUnlessTheyShareAnOwner() = runBlocking<Unit>(Dispatchers.Default) {
        val order = LockOwner.create("order 42")
        stock.ownedBy(order).withLock {
            assertThat(stock.withLockOrNull { 1 }).isEqualTo(1)
            val alone = CoroutineScope(Dispatchers.Default)
            assertThat(alone.async { stock.withLockOrNull { 1 } }.await()).isNull()
            assertThat(alone.async(order.asContextElement()) { stock.withLockOrNull { 1 } }.await()).isEqualTo(1)
        }
    }

    @Test
    fun aBodyThatWaitsForItsOwnPermitIsReported() {
        val reported = ConcurrentHashMap<String, Boolean>()
        locks.addListener(object : LockListener {
            override fun deadlock(event: LockListener.Deadlock) {
                event.cycle().forEach { reported[it.lockName()] = event.certain() }
            }
        })
        val one = locks.semaphore(NAME, 1)
        runBlocking(Dispatchers.Default) {
            val nested = launch { one.withPermit { launch { one.withPermit { } } } }
            Await.until("the deadlock is reported") { reported[NAME] == true }
            nested.cancelAndJoin()
        }
    }

    // ================================================================ cancellation

    @Test
    fun aCancelledCoroutineRequestsNothing() = runBlocking<Unit> {
        server.freeze()
        val cancelled = launch(start = CoroutineStart.UNDISPATCHED) {
            coroutineContext[Job]!!.cancel()
            stock.withLock { error("must not run") }
        }
        assertThat(locks.waiting()).isZero()
        cancelled.join()
    }

    @Test
    fun cancellationWithdrawsTheRequest() {
        stockElsewhere.acquire().use {
            runBlocking(Dispatchers.Default) {
                val waiter = launch { stock.withLock { error("must not run") } }
                Await.until("the request waits") { queued() == 1 }
                waiter.cancelAndJoin()
                Await.until("the request is withdrawn") { queued() == 0 }
            }
        }
    }

    @Test
    fun aLeaseThatIsOnItsWayToACancelledCoroutineIsReleased() {
        stockElsewhere.lock()
        val later = QueueDispatcher()
        val waiter = CoroutineScope(later).launch { stock.withLock { error("must not run") } }
        later.runAll() // sends the request
        Await.until("the request is queued") { queued() == 1 }
        stockElsewhere.unlock()
        Await.until("the lease is on its way") { later.hasNext() && stockElsewhere.isLocked }
        waiter.cancel()
        later.runAll()
        assertThat(waiter.isCompleted).isTrue()
    }

    @Test
    fun cancellationEndsTheBodyAndThenReleasesTheLock() = runBlocking<Unit>(Dispatchers.Default) {
        val held = CompletableDeferred<Unit>()
        val cleaning = CountDownLatch(1)
        val holder = launch {
            stock.withLock {
                try {
                    held.complete(Unit)
                    awaitCancellation()
                } finally {
                    cleaning.await() // blocks
                }
            }
        }
        held.await()
        holder.cancel()
        assertThat(stockElsewhere.tryLock()).isFalse()
        cleaning.countDown()
        holder.join()
        assertThat(stockElsewhere.isLocked).isFalse()
    }

    @Test
    fun cancellationDuringTheReleaseWaitsForItsEnd() = runBlocking<Unit>(Dispatchers.Default) {
        val ended = AtomicBoolean()
        val holder = launch {
            stock.withLock {
                server.freeze()
                ended.set(true)
            }
        }
        Await.until("the body has ended", ended::get)
        holder.cancel()
        assertThat(holder.isCompleted).isFalse()
        server.thaw()
        holder.join()
        Await.until("the lock is free") { !stockElsewhere.isLocked }
    }

    @Test
    fun theLockIsHeldUntilAllCoroutinesOfTheBodyHaveEnded() = runBlocking<Unit> {
        var heldInside = false
        stock.withLock {
            launch {
                delay(20.milliseconds)
                heldInside = stockElsewhere.isLocked
            }
        }
        assertThat(heldInside).isTrue()
        assertThat(stockElsewhere.isLocked).isFalse()
    }

    // ================================================================ losses and failures

    @Test
    fun aLossCancelsTheBody() {
        var cause: Throwable? = null
        val loss = catchThrowable {
            runBlocking(Dispatchers.Default) {
                stock.withLock { lease ->
                    forceRelease()
                    catchThrowable { lease.verify() } // learns of it
                    try {
                        awaitCancellation()
                    } catch (e: CancellationException) {
                        cause = generateSequence(e.cause) { it.cause }.last() // a recovered stack trace adds one
                        throw e
                    }
                }
            }
        }
        assertThat(loss).isInstanceOf(LeaseLostException::class.java).hasNoSuppressedExceptions()
        assertThat(cause).isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun aLossThatTheBodyDoesNotNoticeIsThrown() {
        assertThatThrownBy { runBlocking { stock.withLock { forceRelease() } } }
            .isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun aLossIsSuppressedInAFailureOfTheBody() {
        val failure = catchThrowable {
            runBlocking<Unit> {
                stock.withLock {
                    forceRelease()
                    error("declined")
                }
            }
        }
        assertThat(failure).hasMessage("declined")
        assertThat(failure.suppressed).singleElement().isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun aCancellationOfTheCallerComesBeforeALoss() = runBlocking<Unit>(Dispatchers.Default) {
        var failure: Throwable? = null
        launch {
            val caller = coroutineContext[Job]!!
            failure = runCatching {
                stock.withLock {
                    caller.cancel("not wanted any more")
                    forceRelease()
                    awaitCancellation()
                }
            }.exceptionOrNull()
        }.join()
        assertThat(failure).isInstanceOf(CancellationException::class.java).hasMessage("not wanted any more")
        assertThat(failure!!.suppressed).singleElement().isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun aCancellationThatTheBodyThrowsIsPassedOn() = runBlocking<Unit> {
        val failure = runCatching { stock.withLock { withTimeout(1) { awaitCancellation() } } }.exceptionOrNull()
        assertThat(failure).isInstanceOf(TimeoutCancellationException::class.java)
    }

    /** Executes what is dispatched when it is told to. */
    private class QueueDispatcher : CoroutineDispatcher() {
        private val tasks = ConcurrentLinkedQueue<Runnable>()

        override fun dispatch(context: CoroutineContext, block: Runnable) {
            tasks += block
        }

        fun hasNext() = tasks.isNotEmpty()

        fun runAll() {
            while (hasNext()) {
                tasks.remove().run()
            }
        }
    }

    private companion object {
        const val NAME = "stock:1001"
    }
}
