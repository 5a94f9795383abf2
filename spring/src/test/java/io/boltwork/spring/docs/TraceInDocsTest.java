// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** The trace that docs/run/dashboards.md shows is one that a web application exports. */
class TraceInDocsTest {
    private static final Path PAGE = Path.of("..", "docs", "run", "dashboards.md");
    private static final Duration WAIT = Duration.ofMillis(200);

    @Test
    void requestThatWaitsForALockExportsTheTrace() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = new SpringApplicationBuilder(App.class)
                        .properties("server.port=0", "spring.main.banner-mode=off")
                        .properties("spring.data.redis.port=" + redis.port())
                        .run()) {
            LockClient locks = application.getBean(LockClient.class);
            Exported exported = application.getBean(Exported.class);
            post(application, "/sales/1002").get(20, TimeUnit.SECONDS); // the first request initializes much
            Await.until("its trace is complete", () -> exported.spans.size() == 3);
            exported.spans.clear();
            Lease other = locks.lock("stock:1001")
                    .acquireAsync()
                    .toCompletableFuture()
                    .get(5, TimeUnit.SECONDS);
            CompletableFuture<HttpResponse<String>> answer = post(application, "/sales/1001");
            Await.until("the request waits for the lock", () -> locks.waiting() == 1);
            long since = System.nanoTime();
            Await.until("the wait can be seen in the trace", () -> System.nanoTime() - since > WAIT.toNanos());
            other.release();
            assertThat(answer.get(10, TimeUnit.SECONDS).body()).isEqualTo("true");
            Await.until("the trace is complete", () -> exported.spans.size() == 3);
            String trace = exported.tree();
            System.out.println(trace);
            assertThat(withoutTimes(Files.readString(PAGE))).contains(withoutTimes(trace));
        }
    }

    private static CompletableFuture<HttpResponse<String>> post(
            ConfigurableApplicationContext application, String path) {
        URI uri =
                URI.create("http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port") + path);
        return HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(uri)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    private static String withoutTimes(String text) {
        return text.replaceAll(" *\\d+\\.\\d ms", " # ms");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    @Import({TracedSales.class, Desk.class})
    static class App {
        @Bean
        Stock stock() {
            return new ShopApplication().stock();
        }

        @Bean
        Exported exported() {
            return new Exported();
        }

        @Bean
        SdkTracerProvider tracers(Exported exported) {
            return SdkTracerProvider.builder()
                    .addSpanProcessor(SimpleSpanProcessor.create(exported))
                    .build();
        }

        @Bean
        ObservationHandler<?> spans(SdkTracerProvider tracers) {
            return new DefaultTracingObservationHandler(
                    new OtelTracer(tracers.get("shop"), new OtelCurrentTraceContext(), event -> {}));
        }
    }

    @RestController
    static class Desk {
        private final TracedSales sales;

        Desk(TracedSales sales) {
            this.sales = sales;
        }

        @PostMapping("/sales/{item}")
        boolean sell(@PathVariable("item") String item) {
            return sales.sell(item);
        }
    }

    /** Keeps the spans that are exported. */
    static final class Exported implements SpanExporter {
        final List<SpanData> spans = new CopyOnWriteArrayList<>();

        @Override
        public CompletableResultCode export(Collection<SpanData> ended) {
            spans.addAll(ended);
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }

        String tree() {
            SpanData root = spans.stream()
                    .filter(span ->
                            spans.stream().noneMatch(each -> each.getSpanId().equals(span.getParentSpanId())))
                    .findFirst()
                    .orElseThrow();
            return tree(root, "").strip();
        }

        private String tree(SpanData span, String indent) {
            String attributes = span.getAttributes().asMap().entrySet().stream()
                    .filter(entry -> List.of("group", "kind", "name", "outcome")
                            .contains(entry.getKey().getKey()))
                    .filter(entry -> span.getName().startsWith("lock"))
                    .map(entry -> entry.getKey().getKey() + "=" + entry.getValue())
                    .sorted()
                    .collect(Collectors.joining(", "));
            double millis = (span.getEndEpochNanos() - span.getStartEpochNanos()) / 1e6;
            String line = String.format(Locale.ROOT, "%-28s %6.1f ms  %s", indent + span.getName(), millis, attributes)
                    .stripTrailing();
            return line + "\n"
                    + spans.stream()
                            .filter(each -> each.getParentSpanId().equals(span.getSpanId()))
                            .sorted(Comparator.comparingLong(SpanData::getStartEpochNanos))
                            .map(each -> tree(each, indent + "  "))
                            .collect(Collectors.joining());
        }
    }
}
