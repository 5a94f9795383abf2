// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.BackendException;
import io.boltwork.testkit.wait.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A thread that waits for an answer is not left waiting, and gets no interrupt that is not its own. */
class EtcdCallsTest {
    private final ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final CompletableFuture<Socket> asked = CompletableFuture.supplyAsync(this::answerHalf);

    EtcdCallsTest() throws IOException {}

    /** Begins an answer and does not end it. */
    private Socket answerHalf() {
        try {
            Socket client = server.accept();
            client.getInputStream().read();
            client.getOutputStream()
                    .write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{".getBytes(StandardCharsets.US_ASCII));
            return client;
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @AfterEach
    void close() throws IOException, ExecutionException, InterruptedException {
        server.close();
        asked.get().close();
    }

    private EtcdCalls calls(Duration timeout) {
        return new EtcdCalls(
                List.of(URI.create("http://127.0.0.1:" + server.getLocalPort())),
                HttpClient.newHttpClient(),
                EtcdOptions.defaults().withCommandTimeout(timeout));
    }

    @Test
    void answerThatStopsInItsMiddleIsLate() {
        EtcdCalls calls = calls(Duration.ofSeconds(2));
        assertThatThrownBy(() -> calls.call("kv/range", Map.of()))
                .isInstanceOf(BackendException.class)
                .hasMessageEndingWith("has not answered within 2000 ms");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void closingEndsTheWaitWithoutAnInterrupt() throws Exception {
        EtcdCalls calls = calls(Duration.ofMinutes(1));
        AtomicBoolean interrupted = new AtomicBoolean();
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                calls.call("kv/range", Map.of());
            } catch (BackendException closed) {
                interrupted.set(Thread.currentThread().isInterrupted());
                failure.complete(closed);
            }
        });
        waiting.start();
        asked.get();
        Await.until("it waits", () -> waiting.getState() == Thread.State.WAITING);
        calls.close();
        assertThat(failure.get()).hasMessageContaining("closed");
        assertThat(interrupted).isFalse();
    }

    @Test
    void interruptOfTheCallerStays() {
        EtcdCalls calls = calls(Duration.ofMinutes(1));
        Thread caller = Thread.currentThread();
        asked.thenRun(caller::interrupt);
        assertThatThrownBy(() -> calls.call("kv/range", Map.of())).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }
}
