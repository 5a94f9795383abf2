// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.ClientOptions;
import io.boltwork.FencedLock;
import io.boltwork.LockClient;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.metrics.LockMetrics;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.Announce;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Command;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.NodeStatus;
import io.boltwork.spring.acquire.ClientBeans;
import io.boltwork.spring.actuate.ForceLog;
import io.boltwork.spring.actuate.LocksEndpoint;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.spring.properties.WrongPropertyException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import tools.jackson.databind.json.JsonMapper;

/** Tests all texts of the starter that contain names with control characters. */
@ExtendWith(OutputCaptureExtension.class)
class PrintableSpringTest {
    private static final String NAME = "stock\n\r\u001b[m\u202ex:1";
    private static final String ESCAPED = "stock\\u000a\\u000d\\u001b[m\\u202ex";
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    private final MemoryServer server = MemoryServer.create();
    private final LockClient client =
            LockClient.create(MemoryBackend.on(server), ClientOptions.defaults().withApplication(NAME));
    private final FencedLock lock = client.lock(NAME);
    private final List<String> texts = new ArrayList<>();

    @AfterEach
    void close() {
        client.close();
        assertThat(texts).isNotEmpty().allSatisfy(text -> assertThat(text).doesNotContainPattern(CONTROL));
        assertThat(String.join(" ", texts)).contains(ESCAPED);
    }

    private void holdElsewhere() {
        server.execute(new Announce(new ClientRecord("other", NAME, NAME, 1, 0, 1), 60_000, "n"));
        server.execute(new Command.Acquire(NAME, "other:1", true, 60_000, 0, Long.MAX_VALUE));
        server.execute(new Command.Acquire(NAME, NAME + ":2", true, 60_000, 0, Long.MAX_VALUE));
    }

    @Test
    void endpoint(CapturedOutput output) {
        List<AuditApplicationEvent> events = new ArrayList<>();
        LocksEndpoint endpoint = new LocksEndpoint(
                new ClientBeans(new DefaultListableBeanFactory(), () -> client),
                new ForceLog(event -> events.add((AuditApplicationEvent) event)));
        JsonMapper json = new JsonMapper();
        lock.lock();
        texts.add(String.valueOf(endpoint.describe(NAME, null, null)));
        lock.unlock();
        holdElsewhere();
        LocksEndpoint.Lock described = endpoint.describe(NAME, null, null);
        assertThat(described.holders().get(0).application()).contains(ESCAPED);
        assertThat(described.queue()).hasSize(1);
        texts.add(described.toString());
        texts.add(endpoint.list("*", null, null, null).toString());
        texts.add(endpoint.forceRelease(NAME, null, null, null, NAME).toString());
        texts.add(events.get(0).getAuditEvent().getData().toString());
        String line = output.getAll()
                .lines()
                .filter(each -> each.contains("through the actuator endpoint 'locks'"))
                .findFirst()
                .orElseThrow();
        assertThat(line).contains("holder: ").contains("'" + ESCAPED);
        texts.add(line);
        texts.add(json.writeValueAsString(described));
    }

    @Test
    void exceptions() {
        LockTemplate template = new LockTemplate(client).withWait(Duration.ZERO);
        fails(() -> template.execute(NAME, () -> List.of().stream()));
        holdElsewhere();
        fails(() -> template.execute(NAME, () -> 1));
        Thread.currentThread().interrupt();
        fails(() -> new LockTemplate(client).withWait(Duration.ofSeconds(60)).execute(NAME, () -> 1));
        assertThat(Thread.interrupted()).isTrue();
        BoltworkLockRegistry locks = new BoltworkLockRegistry(client, "");
        texts.add(locks.obtain(NAME).toString());
        fails(() -> locks.renewLock(NAME, Duration.ofSeconds(1)));
        fails(() -> {
            throw new WrongPropertyException(NAME, NAME, "correct it");
        });
        fails(() -> {
            throw new LockDefinitionException(NAME, NAME, "correct it", null)
                    .of(NAME)
                    .in(NAME);
        });
    }

    private void fails(Runnable call) {
        Throwable failure = catchThrowable(call::run);
        assertThat(failure).isNotNull();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            texts.add(cause.toString());
        }
    }

    @Test
    void metersAndObservations() {
        MeterRegistry registry = new SimpleMeterRegistry();
        LockGroups groups = new LockGroups(10, List.of());
        client.addListener(new LockMetrics(registry, groups, List.of(), client, Tags.empty()), Runnable::run);
        lock.lock();
        client.inspector().forceRelease(NAME);
        catchThrowable(lock::unlock);
        lock.lock();
        lock.unlock();
        registry.getMeters().forEach(meter -> texts.add(meter.getId().toString()));
        assertThat(String.join(" ", texts)).contains("boltwork.lock.lost", "boltwork.lock.hold", "boltwork.lock.wait");
        TestObservationRegistry observations = TestObservationRegistry.create();
        new LockTemplate(client).withObservations(observations).execute(NAME, () -> 1);
        TestObservationRegistryAssert.assertThat(observations)
                .hasSingleObservationThat()
                .hasHighCardinalityKeyValue("name", ESCAPED + ":1")
                .hasLowCardinalityKeyValue("group", ESCAPED)
                .hasContextualNameEqualTo("lock " + ESCAPED);
    }

    @Test
    void health() {
        MemoryBackend memory = MemoryBackend.create();
        NodeStatus node = new NodeStatus(NAME, NodeStatus.Role.UNKNOWN, false, Duration.ZERO, NAME, NAME);
        LockBackend backend = (LockBackend) Proxy.newProxyInstance(
                PrintableSpringTest.class.getClassLoader(),
                new Class<?>[] {LockBackend.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("nodes")) {
                        return CompletableFuture.completedFuture(List.of(node));
                    }
                    Object result = method.invoke(memory, arguments);
                    if (method.getName().equals("open")) {
                        ((BackendListener) arguments[1]).warned(NAME);
                    }
                    return result;
                });
        try (LockClient other = LockClient.create(backend)) {
            Health health = new LocksHealthIndicator(other, Stream::empty).health();
            assertThat(health.getDetails()).containsKeys("nodes", "warnings");
            health.getDetails().values().forEach(detail -> texts.add(detail.toString()));
        }
    }
}
