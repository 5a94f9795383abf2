// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A backend that answers within the command timeout by its own timer, which fires late on a busy machine. */
class LateHealthTest {
    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);
    private static final List<NodeStatus> NODES =
            List.of(new NodeStatus("frozen", NodeStatus.Role.UNKNOWN, false, Duration.ZERO, "", "no answer"));

    @Test
    void aLateStatusIsReported() {
        try (LockClient client = LockClient.create(late())) {
            assertThat(client.health().nodes()).isEqualTo(NODES);
        }
    }

    private static LockBackend late() {
        MemoryBackend memory = MemoryBackend.on(MemoryServer.create(), COMMAND_TIMEOUT);
        return (LockBackend) Proxy.newProxyInstance(
                LateHealthTest.class.getClassLoader(),
                new Class<?>[] {LockBackend.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("nodes")) {
                        return statusAfter(COMMAND_TIMEOUT.multipliedBy(11).dividedBy(10));
                    }
                    try {
                        return method.invoke(memory, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static CompletionStage<List<NodeStatus>> statusAfter(Duration time) {
        return new CompletableFuture<List<NodeStatus>>()
                .completeOnTimeout(NODES, time.toMillis(), TimeUnit.MILLISECONDS);
    }
}
