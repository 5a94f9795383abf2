// SPDX-License-Identifier: Apache-2.0
package io.boltwork.kotlin

import io.boltwork.LockClient
import io.boltwork.memory.MemoryBackend
import io.boltwork.memory.MemoryServer
import java.time.Duration
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

/** Leaders that are elected while a flow is collected. */
class LeaderTest {
    private val server = MemoryServer.create()
    private val clients = List(2) { LockClient.create(MemoryBackend.on(server, Duration.ofMillis(500))) }
    private val tokens = Channel<Long>(Channel.UNLIMITED)
    private val working = AtomicInteger()
    private val atOnce = CopyOnWriteArrayList<Int>()

    @AfterEach
    fun close() = clients.forEach(LockClient::close)

    private suspend fun lead(client: LockClient) = client.lock("leader").leadership().collectLatest { lease ->
        if (lease != null) {
            atOnce.add(working.incrementAndGet())
            try {
                tokens.send(lease.fencingToken())
                awaitCancellation()
            } finally {
                working.decrementAndGet()
            }
        }
    }

    private suspend fun next(): Long = withTimeout(20_000) { tokens.receive() }

    @Test
    fun oneLeadsAtATimeUntilItsCollectionIsCancelled() = runBlocking<Unit>(Dispatchers.Default) {
        val first: Job = launch { lead(clients[0]) }
        val tokenOfFirst = next()
        val second = launch { lead(clients[1]) }
        delay(50)
        assertThat(tokens.tryReceive().isSuccess).isFalse()
        first.cancelAndJoin()
        assertThat(next()).isGreaterThan(tokenOfFirst)
        second.cancelAndJoin()
        assertThat(clients[0].lock("leader").isLocked).isFalse()
        assertThat(atOnce).containsOnly(1)
    }

    @Test
    fun aLeaderThatHasLostItsLockStandsAgain() = runBlocking<Unit>(Dispatchers.Default) {
        val candidate = launch { lead(clients[0]) }
        val token = next()
        clients[1].inspector().forceRelease("leader")
        assertThat(next()).isGreaterThan(token)
        candidate.cancelAndJoin()
        assertThat(atOnce).containsOnly(1)
        assertThat(clients[0].lock("leader").isLocked).isFalse()
    }

    @Test
    fun aCandidateOutlivesAnOutage() = runBlocking<Unit>(Dispatchers.Default) {
        server.cutOff()
        val candidate = launch { lead(clients[0]) }
        delay(700)
        server.thaw()
        next()
        candidate.cancelAndJoin()
    }
}
