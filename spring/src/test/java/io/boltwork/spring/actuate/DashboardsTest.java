// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.LockOptions;
import io.boltwork.spring.TestApplication;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The files in docs/run/dashboards ask for meters and labels that the actuator's Prometheus endpoint of a real
 * application has, and Prometheus' own tool accepts them.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class DashboardsTest {
    private static final Path DOCS = Path.of("..", "docs", "run");
    private static final Path DASHBOARDS = DOCS.resolve("dashboards");
    private static final Pattern METER = Pattern.compile("(boltwork_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!~|!=|=)\\s*\"");
    private static final Pattern GROUPING = Pattern.compile("by \\(([^)]*)\\)");
    /** Prometheus adds these to all that it scrapes. */
    private static final Set<String> TARGET = Set.of("job", "instance");

    /** The labels of each meter that was scraped. */
    private static final Map<String, Set<String>> SCRAPED = new TreeMap<>();

    @BeforeAll
    static void scrape() throws Exception {
        try (RedisServer redis = RedisServer.start();
                ConfigurableApplicationContext application = new SpringApplicationBuilder(App.class)
                        .properties(
                                "server.port=0",
                                "spring.main.banner-mode=off",
                                "spring.config.location=classpath:docs/",
                                "spring.config.name=prometheus",
                                "boltwork.long-wait=1s",
                                "boltwork.long-hold=1s",
                                "spring.data.redis.port=" + redis.port())
                        .run()) {
            use(application.getBean(LockClient.class), redis);
            String uri = "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port")
                    + "/actuator/prometheus";
            Await.until("all events are counted", () -> isComplete(get(uri)));
            String page = get(uri);
            assertThat(page).as("used by alerts, too").contains("\nprocess_start_time_seconds");
            page.lines()
                    .map(METER::matcher)
                    .filter(Matcher::lookingAt)
                    .forEach(line -> SCRAPED.computeIfAbsent(line.group(1), name -> new TreeSet<>())
                            .addAll(labels(line.group(2))));
        }
    }

    private static boolean isComplete(String page) {
        return Stream.of(
                        "granted",
                        "refused",
                        "taken",
                        "renewal_failed",
                        "thread_ended",
                        "certain=\"true\"",
                        "semaphore",
                        "read_write",
                        "what=\"wait\"",
                        "what=\"hold\"")
                .allMatch(page::contains);
    }

    /** Uses locks, waits for them, is refused, loses one, cannot renew one, abandons one, and causes a deadlock. */
    private static void use(LockClient locks, RedisServer redis) throws Exception {
        Lease lease = TestApplication.elsewhere(locks, "stock:1");
        assertThat(locks.lock("stock:1").tryLock()).isFalse();
        CompletableFuture<Lease> waiting = locks.lock("stock:1").acquireAsync().toCompletableFuture();
        Await.until("a caller waits", () -> locks.waiting() == 1);
        lease.release();
        waiting.get().release();
        locks.semaphore("imports", 3).acquire().release();
        locks.readWriteLock("prices").readLock().acquire().release();
        Lease taken = TestApplication.elsewhere(locks, "stock:2");
        locks.inspector().forceRelease("stock:2");
        taken.whenLost().toCompletableFuture().get();
        locks.lock("stock:4", LockOptions.renewedLease(Duration.ofSeconds(3))).lock();
        redis.command("SET", "boltwork:{stock:4}", "something else");
        Thread abandoning = new Thread(() -> locks.lock("stock:3").lock());
        abandoning.start();
        abandoning.join();
        CyclicBarrier bothHold = new CyclicBarrier(2);
        lockTwo(locks, "a", "b", bothHold);
        lockTwo(locks, "b", "a", bothHold);
    }

    private static void lockTwo(LockClient locks, String first, String second, CyclicBarrier bothHold) {
        Thread thread = new Thread(() -> {
            try {
                locks.lock(first).lock();
                bothHold.await();
                locks.lock(second).lock();
            } catch (InterruptedException | BrokenBarrierException | RuntimeException end) { // the client is closed
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static String get(String uri) {
        try {
            return HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> labels(String selector) {
        return selector == null
                ? List.of()
                : LABEL.matcher(selector).results().map(label -> label.group(1)).toList();
    }

    @Test
    void dashboardAsksForMetersThatExist() throws IOException {
        List<String> expressions = dashboard();
        assertThat(expressions).hasSizeGreaterThan(10);
        expressions.forEach(DashboardsTest::assertScraped);
        Set<String> used = new TreeSet<>();
        expressions.forEach(each -> METER.matcher(each).results().forEach(meter -> used.add(meter.group(1))));
        assertThat(used).as("every meter is on the dashboard").containsExactlyElementsOf(SCRAPED.keySet());
    }

    @Test
    void alertsAskForMetersThatExist() throws IOException {
        List<String> expressions =
                alerts().stream().map(rule -> String.valueOf(rule.get("expr"))).toList();
        assertThat(expressions).hasSizeGreaterThan(4);
        expressions.forEach(DashboardsTest::assertScraped);
    }

    /**
     * The runbook of an alert is a section with its name, on the page of the site that is made from
     * docs/run/dashboards.md.
     */
    @Test
    void eachAlertLinksToItsRunbook() throws IOException {
        String pom = Files.readString(Path.of("..", "pom.xml"));
        String site = first(pom, "<url>([^<]+)</url>") + "/"
                + first(pom, "<artifactId>boltwork-parent</artifactId>\\s*<version>([^<]+)<");
        List<String> headings = Files.readAllLines(DOCS.resolve("dashboards.md")).stream()
                .filter(line -> line.startsWith("### "))
                .map(line -> line.substring(4))
                .toList();
        for (Map<String, Object> rule : alerts()) {
            String alert = String.valueOf(rule.get("alert"));
            assertThat(headings).contains(alert);
            assertThat(rule.get("annotations"))
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .as(alert)
                    .containsEntry("runbook_url", site + "/run/dashboards.html#" + alert.toLowerCase(Locale.ROOT));
        }
    }

    private static String first(String text, String pattern) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertThat(matcher.find()).as(pattern).isTrue();
        return matcher.group(1);
    }

    private static void assertScraped(String expression) {
        Set<String> all = new TreeSet<>(TARGET);
        List<MatchResult> meters = METER.matcher(expression).results().toList();
        assertThat(meters).as(expression).isNotEmpty();
        for (MatchResult meter : meters) {
            assertThat(SCRAPED).as(expression).containsKey(meter.group(1));
            Set<String> known = new TreeSet<>(TARGET);
            known.addAll(SCRAPED.get(meter.group(1)));
            assertThat(known).as(expression).containsAll(labels(meter.group(2)));
            all.addAll(known);
        }
        GROUPING.matcher(expression)
                .results()
                .flatMap(by -> Stream.of(by.group(1).split(",")))
                .forEach(label -> assertThat(all).as(expression).contains(label.strip()));
    }

    @Test
    void pageNamesTheMetersAndTheAlerts() throws IOException {
        String page = Files.readString(DOCS.resolve("dashboards.md"));
        Set<String> named = new TreeSet<>();
        METER.matcher(page).results().forEach(meter -> named.add(meter.group(1)));
        assertThat(named).containsExactlyElementsOf(SCRAPED.keySet());
        assertThat(alerts())
                .allSatisfy(
                        rule -> assertThat(page).contains("### " + rule.get("alert") + "\n\n" + severity(rule) + ": "));
    }

    private static String severity(Map<String, Object> rule) {
        String severity = String.valueOf(((Map<?, ?>) rule.get("labels")).get("severity"));
        return severity.substring(0, 1).toUpperCase(Locale.ROOT) + severity.substring(1);
    }

    @Test
    void alertsPassTheirTests() throws Exception {
        promtool(DASHBOARDS, "check", "rules", "boltwork-alerts.yml");
        promtool(DASHBOARDS, "test", "rules", "boltwork-alerts-test.yml");
    }

    @Test
    void prometheusAcceptsTheDashboard(@TempDir Path directory) throws Exception {
        List<Map<String, String>> rules = new ArrayList<>();
        for (String expression : dashboard()) {
            String plain = expression.replace("$__range_s", "300").replaceAll("\\$__(rate_interval|range)", "5m");
            rules.add(Map.of("record", "expression:" + rules.size(), "expr", plain));
        }
        String file = new Yaml().dump(Map.of("groups", List.of(Map.of("name", "dashboard", "rules", rules))));
        Files.writeString(directory.resolve("rules.yml"), file);
        promtool(directory, "check", "rules", "rules.yml");
    }

    private static void promtool(Path directory, String... arguments) throws Exception {
        boolean isInstalled = Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(place -> Files.isExecutable(Path.of(place, "promtool")));
        assumeTrue(isInstalled, "promtool is not installed; on Debian, it is in the package prometheus");
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Returns the expressions of the panels. */
    private static List<String> dashboard() throws IOException {
        JsonNode dashboard = new JsonMapper().readTree(Files.readString(DASHBOARDS.resolve("boltwork-grafana.json")));
        List<String> found = new ArrayList<>();
        for (JsonNode panel : dashboard.get("panels")) {
            for (JsonNode target : panel.get("targets")) {
                found.add(target.get("expr").asString());
            }
        }
        for (JsonNode variable : dashboard.get("templating").get("list")) {
            if (variable.has("definition")) { // label_values(meter, label)
                String definition = variable.get("definition").asString();
                int comma = definition.lastIndexOf(',');
                String label = definition.substring(comma + 1, definition.length() - 1);
                found.add("count by (" + label.strip() + ") ("
                        + definition.substring(definition.indexOf('(') + 1, comma) + ")");
            }
        }
        return found;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> alerts() throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(Files.readString(DASHBOARDS.resolve("boltwork-alerts.yml")));
        return file.get("groups").get(0).get("rules");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class App {}
}
