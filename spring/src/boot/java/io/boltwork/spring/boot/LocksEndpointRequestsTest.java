// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import java.lang.management.ManagementFactory;
import java.net.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Each operation of the endpoint {@code locks}: with all parameters, without each of them, and with wrong values. */
class LocksEndpointRequestsTest {
    /** The wrong values of each parameter. */
    private static final Map<String, List<String>> WRONG = Map.of(
            "pattern", List.of(),
            "limit", List.of("0", "-1", "many"),
            "kind", List.of("", "latch"),
            "name", List.of("", "x".repeat(1_025)),
            "fencingToken", List.of("", "0", "-1", "all"));

    private enum Operation {
        LIST("GET", "", Map.of("pattern", "shop:*", "limit", "10", "kind", "lock"), ""),
        DESCRIBE("GET", "/shop:1", Map.of("kind", "lock"), ""),
        DESCRIBE_BY_NAME("GET", "", Map.of("name", "shop:1", "kind", "lock"), ""),
        RELEASE("DELETE", "/shop:1", Map.of("fencingToken", "1", "kind", "lock"), ""),
        RELEASE_BY_NAME("DELETE", "", Map.of("name", "shop:1", "fencingToken", "1", "kind", "lock"), "name");

        private final String method;
        private final String path;
        private final Map<String, String> parameters;
        private final String required;

        Operation(String method, String path, Map<String, String> parameters, String required) {
            this.method = method;
            this.path = path;
            this.parameters = parameters;
            this.required = required;
        }

        HttpResponse<String> send(ApplicationContext application, Map<String, String> values) throws Exception {
            String query = values.entrySet().stream()
                    .map(each -> each.getKey() + "=" + each.getValue())
                    .collect(Collectors.joining("&", "?", ""));
            return HttpRequests.send(application, method, "/actuator/locks" + path + query);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void answers(WebApplicationType type) throws Exception {
        try (ConfigurableApplicationContext application = run(type)) {
            for (Operation operation : Operation.values()) {
                assertThat(answer(application, operation, operation.parameters))
                        .as(operation + " with all parameters")
                        .isEqualTo(200);
                assertThat(answer(application, operation, Map.of()))
                        .as(operation + " without parameters")
                        .isEqualTo(operation.required.isEmpty() ? 200 : 400);
                for (String name : operation.parameters.keySet()) {
                    Map<String, String> changed = new LinkedHashMap<>(operation.parameters);
                    changed.remove(name);
                    assertThat(answer(application, operation, changed))
                            .as(operation + " without " + name)
                            .isEqualTo(name.equals(operation.required) ? 400 : 200);
                    for (String wrong : WRONG.get(name)) {
                        changed.put(name, wrong);
                        assertThat(answer(application, operation, changed))
                                .as(operation + " with " + changed)
                                .isEqualTo(400);
                    }
                }
            }
        }
    }

    /** Returns the status of a request while the lock is held. */
    private static int answer(ApplicationContext application, Operation operation, Map<String, String> values)
            throws Exception {
        LockClient locks = application.getBean(LockClient.class);
        Lease lease = locks.lock("shop:1").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
        HttpResponse<String> response = operation.send(application, values);
        if (response.statusCode() == 200) {
            assertThat(response.body()).contains("shop:1");
        }
        if (lease.isValid()) {
            lease.release();
        }
        return response.statusCode();
    }

    @Test
    void parametersAreOptionalInJmx() throws Exception {
        try (ConfigurableApplicationContext application = run(WebApplicationType.NONE)) {
            try (Lease lease =
                    application.getBean(LockClient.class).lock("shop:2").acquire()) {
                ObjectName locks = new ObjectName("org.springframework.boot:type=Endpoint,name=Locks");
                String text = String.class.getName();
                assertThat(ManagementFactory.getPlatformMBeanServer()
                                .invoke(locks, "list", new Object[] {null, null, null}, new String[] {
                                    text, Integer.class.getName(), text
                                }))
                        .asString()
                        .contains("shop:2");
                assertThat(lease.isValid()).isTrue();
            }
        }
    }

    private static ConfigurableApplicationContext run(WebApplicationType type) {
        return new SpringApplicationBuilder(App.class)
                .web(type)
                .properties(
                        "server.port=0",
                        "spring.main.banner-mode=off",
                        "spring.reactor.netty.shutdown-quiet-period=0s",
                        "spring.jmx.enabled=true",
                        "boltwork.backend=memory",
                        "management.endpoints.web.exposure.include=locks",
                        "management.endpoints.jmx.exposure.include=locks",
                        "management.endpoint.locks.access=unrestricted")
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(ReactiveServer.class)
    static class App {}
}
