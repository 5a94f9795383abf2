// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.kotlin

import io.boltwork.LeaseLostException
import io.boltwork.LockClient
import io.boltwork.annotation.CurrentLease
import io.boltwork.annotation.DistributedLock
import io.boltwork.annotation.LockMode
import io.boltwork.annotation.LockRefusedException
import io.boltwork.annotation.OnRefused
import io.boltwork.testkit.RandomCancels
import io.boltwork.testkit.wait.Await
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger
import kotlin.random.Random
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.joinAll
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.TestInstance
import org.springframework.boot.WebApplicationType
import org.springframework.boot.autoconfigure.EnableAutoConfiguration
import org.springframework.boot.builder.SpringApplicationBuilder
import org.springframework.context.ConfigurableApplicationContext
import org.springframework.context.annotation.Bean

/** Suspend functions and flows under the locks of `@DistributedLock`. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SuspendFunctionsTest {
    @EnableAutoConfiguration
    open class Application {
        val tokens = mutableListOf<Long>()

        @Bean
        open fun checkout() = Checkout(object : Storage {
            override suspend fun write(row: String, token: Long) {
                tokens += token
            }
        })

        @Bean
        open fun shop() = Shop()
    }

    open class Shop {
        private val inside = AtomicInteger()
        private val most = AtomicInteger()

        open fun most() = most.get()

        @DistributedLock("shop")
        open suspend fun sell(): Long {
            most.accumulateAndGet(inside.incrementAndGet(), Math::max)
            try {
                withContext(Dispatchers.IO) { yield() }
                return CurrentLease.get().fencingToken()
            } finally {
                inside.decrementAndGet()
            }
        }

        @DistributedLock("shop")
        open suspend fun <T> execute(body: suspend () -> T): T = body()

        @DistributedLock(name = "shop", mode = LockMode.TRY)
        open suspend fun tryToSell(): Long = 1

        @DistributedLock(name = "shop", mode = LockMode.SKIP)
        open suspend fun sellOnce(): Unit = error("must not run")

        @DistributedLock(name = "shop", mode = LockMode.TRY, onRefused = OnRefused.FALLBACK, fallback = ["later"])
        open suspend fun sellOrElse(item: String): String = item

        open suspend fun later(item: String): String {
            yield()
            return "$item later"
        }

        @DistributedLock("shop")
        open fun <T> items(item: () -> T): Flow<T> = flow { repeat(3) { emit(item()) } }

        @DistributedLock("shop")
        open suspend fun <T> itemsLater(item: suspend () -> T): Flow<T> {
            yield()
            return flow { repeat(3) { emit(item()) } }
        }
    }

    open class Mistaken {
        @DistributedLock("shop")
        open suspend fun buy(): CompletableFuture<String> = CompletableFuture()
    }

    private val context = start(Application::class.java)
    private val locks = context.getBean(LockClient::class.java)
    private val shop = context.getBean(Shop::class.java)
    private val lock = locks.lock("shop")

    private fun start(vararg classes: Class<*>): ConfigurableApplicationContext =
        SpringApplicationBuilder(*classes).web(WebApplicationType.NONE).properties("boltwork.backend=memory").run()

    @AfterEach
    fun nothingIsHeldOrAwaited() = Await.until("the lock is free") { !lock.isLocked && locks.waiting() == 0 }

    @AfterAll
    fun close() = context.close()

    @Test
    fun callsExcludeEachOther() = runBlocking<Unit>(Dispatchers.Default) {
        List(20) { launch { shop.sell() } }.joinAll()
        assertThat(shop.most()).isEqualTo(1)
        assertThat(shop.sell()).isLessThan(shop.sell())
    }

    @Test
    fun aParameterReceivesTheLease() = runBlocking<Unit> {
        context.getBean(Checkout::class.java).buy("1001")
        assertThat(context.getBean(Application::class.java).tokens).hasSize(1).allMatch { it > 0 }
    }

    @Test
    fun theLockIsHeldUntilACancelledFunctionHasEnded() = runBlocking<Unit>(Dispatchers.Default) {
        val begun = CountDownLatch(1)
        val end = CountDownLatch(1)
        val call = launch {
            shop.execute {
                begun.countDown()
                end.await() // blocks
            }
        }
        begun.await()
        call.cancelAndJoin()
        assertThat(lock.isLocked).isTrue()
        end.countDown()
        Await.until("the lock is free") { !lock.isLocked }
    }

    @Test
    fun cancellationWithdrawsTheRequest() = runBlocking<Unit>(Dispatchers.Default) {
        lock.acquire().use {
            val call = launch { shop.execute { error("must not run") } }
            Await.until("it waits") { locks.waiting() == 1 }
            call.cancelAndJoin()
            Await.until("it does not wait") { locks.waiting() == 0 }
        }
    }

    @Test
    fun cancellationAtAnyMomentLeavesNothing() {
        val random = Random(42)
        RandomCancels.run("suspend function", 300, {
            val job = CoroutineScope(Dispatchers.Default).launch { shop.sell() }
            val further = System.nanoTime() + random.nextInt(1_500_000) // for the advice
            while (System.nanoTime() < further) {
                Thread.onSpinWait()
            }
            Runnable { job.cancel() }
        }, { !lock.isLocked && locks.waiting() == 0 })
        assertThat(shop.most()).isLessThanOrEqualTo(1)
    }

    @Test
    fun anotherOwnerIsARefusal() {
        lock.acquire().use {
            runBlocking {
                assertThat(runCatching { shop.tryToSell() }.exceptionOrNull())
                    .isInstanceOf(LockRefusedException::class.java)
                shop.sellOnce()
                assertThat(shop.sellOrElse("sold")).isEqualTo("sold later")
            }
        }
        runBlocking { assertThat(shop.sellOrElse("sold")).isEqualTo("sold") }
    }

    @Test
    fun aLossIsThrown() {
        assertThat(runCatching {
            runBlocking { shop.execute { locks.inspector().forceRelease("shop") } }
        }.exceptionOrNull()).isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun failuresArePassedOn() {
        assertThat(runCatching { runBlocking { shop.execute { error("declined") } } }.exceptionOrNull())
            .isInstanceOf(IllegalStateException::class.java).hasMessage("declined")
    }

    @Test
    fun aFlowEmitsUnderTheLock() = runBlocking<Unit> {
        assertThat(shop.items { lock.isLocked }.toList()).hasSize(3).containsOnly(true)
        assertThat(shop.itemsLater { lock.isLocked }.toList()).hasSize(3).containsOnly(true)
        assertThat(shop.items { 1 }.first()).isEqualTo(1)
        assertThat(context.getBean(Checkout::class.java).rows().toList()).hasSize(3)
    }

    @Test
    fun aResultWhoseEndIsUnknownIsAMistake() {
        assertThat(runCatching { start(Application::class.java, Mistaken::class.java) }.exceptionOrNull())
            .rootCause().hasMessageContaining("it returns CompletableFuture")
    }
}
