// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.server.Certificates;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.SentinelGroup;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** The output of Spring Boot after a failed start names the wrong property, and no Java. */
class WrongStartTest {
    private static final String EAGER = "boltwork.redis.lazy-connect=false";
    private static final String SHORT = "boltwork.lock.server";

    private static RedisServer plain;
    private static RedisServer secured;
    private static RedisServer node;

    @BeforeAll
    static void start() {
        plain = RedisServer.start();
        secured = RedisServer.start("--requirepass", "s3cret");
        node = RedisServer.start("--cluster-enabled", "yes");
    }

    @AfterAll
    static void stop() {
        plain.close();
        secured.close();
        node.close();
    }

    private static String at(RedisServer server) {
        return "127.0.0.1:" + server.port();
    }

    /** Returns what Spring Boot would print: the description and the action. */
    private static String printed(ApplicationContextRunner application, String... properties) {
        AtomicReference<ConfigurableApplicationContext> started = new AtomicReference<>();
        AtomicReference<String> printed = new AtomicReference<>();
        application.withPropertyValues(properties).withInitializer(started::set).run(context -> {
            assertThat(context).as(Arrays.toString(properties)).hasFailed();
            printed.set(analyzers(started.get()).stream()
                    .map(analyzer -> analyzer.analyze(context.getStartupFailure()))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .map(WrongStartTest::text)
                    .orElseThrow());
        });
        assertThat(printed.get())
                .as("Java, and parts of other forms")
                .doesNotContain("RedisBackend", "RedisOptions", "the URI", "s3cret");
        return printed.get();
    }

    private static String text(FailureAnalysis analysis) {
        return analysis.getDescription() + " | " + analysis.getAction();
    }

    /** Returns the analyzers in Spring Boot's order, except those for libraries that are missing here. */
    private static List<FailureAnalyzer> analyzers(ConfigurableApplicationContext context) {
        return SpringFactoriesLoader.forDefaultResourceLocation(WrongStartTest.class.getClassLoader())
                .load(
                        FailureAnalyzer.class,
                        ArgumentResolver.of(Environment.class, context.getEnvironment()),
                        FailureHandler.handleMessage((message, failure) -> {}));
    }

    @ParameterizedTest
    @CsvSource({
        "boltwork.redis.uri=redis://%s, in boltwork.redis.uri (redis://user:password@host)",
        "boltwork.lock.server.address=%s, in boltwork.lock.server.username and .password",
        "redisson.lock.server.address=%s, in redisson.lock.server.username and .password",
        "spring.data.redis.url=redis://%s, in spring.data.redis.username and .password"
    })
    void missingPassword(String setting, String properties) {
        assertThat(printed(redis(), String.format(setting, at(secured))))
                .contains(
                        "the server requires a password",
                        "Specify a user and password that Redis accepts " + properties);
    }

    @Test
    void wrongPassword() {
        assertThat(printed(redis(), "boltwork.redis.uri=redis://:n0@" + at(secured)))
                .contains("the server refused the user or password", "in boltwork.redis.uri")
                .doesNotContain("n0");
        assertThat(printed(redis(), SHORT + ".address=" + at(secured), SHORT + ".password=n0"))
                .contains("the server refused the user or password", SHORT + ".username and .password");
    }

    @ParameterizedTest
    @CsvSource({
        "boltwork.lock.server.type=cluster boltwork.lock.server.address=%s, Correct boltwork.lock.server.type",
        "boltwork.redis.uri=redis-cluster://%s, Correct the scheme of boltwork.redis.uri",
        "spring.data.redis.cluster.nodes=%s, Correct the choice of spring.data.redis.host",
        "boltwork.lock.server.type=sentinel boltwork.lock.server.address=m;%s, Correct boltwork.lock.server.type",
        "boltwork.redis.uri=redis-sentinel://%s#m, Correct the scheme of boltwork.redis.uri"
    })
    void anotherKindOfServer(String settings, String properties) {
        assertThat(printed(
                        redis(),
                        settings.replace("%s", at(plain)).replace(';', ',').split(" ")))
                .contains("it is not a ", properties);
    }

    @Test
    void nodeOfAClusterAsStandalone() {
        assertThat(printed(redis(), SHORT + ".address=" + at(node)))
                .contains("it is a node of a Redis Cluster.", "Correct " + SHORT + ".type");
        assertThat(printed(redis(), "spring.data.redis.port=" + node.port()))
                .contains("it is a node of a Redis Cluster.", "spring.data.redis.host, .sentinel.*, .cluster.*");
    }

    @Test
    void databaseOutOfRange() {
        assertThat(printed(redis(), SHORT + ".address=" + at(plain), SHORT + ".database=99"))
                .contains("there is no such database", SHORT + ".database.");
        assertThat(printed(redis(), "boltwork.redis.uri=redis://" + at(plain) + "/99"))
                .contains("there is no such database", "boltwork.redis.uri (redis://host/0)");
        assertThat(printed(redis(), "spring.data.redis.port=" + plain.port(), "spring.data.redis.database=99"))
                .contains("there is no such database", "spring.data.redis.database.");
    }

    @ParameterizedTest
    @CsvSource({
        "boltwork.redis.uri=redis://127.0.0.1:1, boltwork.redis.uri.",
        "boltwork.lock.server.address=127.0.0.1:1, boltwork.lock.server.address.",
        "spring.data.redis.port=1, 'spring.data.redis.host and .port, or .url.'"
    })
    void unreachable(String setting, String property) {
        assertThat(printed(redis(), EAGER, setting))
                .contains("Connection refused", "Start Redis, or correct " + property, "boltwork.backend=memory");
    }

    @Test
    void tooFewServersOfAQuorum() {
        assertThat(printed(redis(), SHORT + ".type=quorum", SHORT + ".address=127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"))
                .contains("a majority is 2 of 3", SHORT + ".address of a quorum");
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void sentinelsThatKnowNoSuchMaster() {
        try (SentinelGroup group = SentinelGroup.start()) {
            String sentinel = at(group.sentinels().get(0));
            assertThat(printed(redis(), SHORT + ".type=sentinel", SHORT + ".address=other," + sentinel))
                    .contains("know no master with the name 'other'", SHORT + ".master.");
            assertThat(printed(redis(), "boltwork.redis.uri=redis-sentinel://" + sentinel + "/0#other"))
                    .contains("know no master", "boltwork.redis.uri (after the #)");
            assertThat(printed(redis(), SHORT + ".address=" + sentinel)).contains("it is a sentinel.", SHORT + ".type");
        }
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void tlsAndNoTls() {
        assertThat(printed(
                        redis(),
                        EAGER,
                        "boltwork.redis.connect-timeout=2s",
                        "boltwork.redis.uri=rediss://" + at(plain)))
                .contains("does it speak TLS there?", "the scheme of boltwork.redis.uri (redis:// or rediss://)");
        if (RedisServer.knowsTls()) {
            try (Certificates certificates = Certificates.make();
                    RedisServer tls = RedisServer.startTls(certificates, true)) {
                String address = "127.0.0.1:" + tls.tlsPort();
                assertThat(printed(redis(), EAGER, SHORT + ".address=" + address))
                        .contains(SHORT + ".address (it begins with rediss:// for TLS)");
                assertThat(printed(redis(), SHORT + ".address=rediss://" + address))
                        .contains("its certificate is not trusted", "boltwork.redis.trusted-certificates");
                assertThat(printed(
                                redis(),
                                SHORT + ".address=rediss://" + address,
                                "boltwork.redis.trusted-certificates=" + certificates.authority()))
                        .contains("it requires a client certificate", "boltwork.redis.client-certificate");
            }
        }
    }

    @Test
    void propertiesOfTlsWithoutTls() {
        String uri = "boltwork.redis.uri=redis://" + at(plain);
        for (String property : List.of("trusted-certificates", "ssl-bundle")) {
            assertThat(printed(redis(), uri, "boltwork.redis." + property + "=pom.xml"))
                    .contains("boltwork.redis." + property, property.startsWith("ssl") ? "" : "only with TLS");
        }
        assertThat(printed(
                        redis(), uri, "boltwork.redis.client-certificate=pom.xml", "boltwork.redis.client-key=pom.xml"))
                .contains("boltwork.redis.client-certificate: It has an effect only with TLS");
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc", "zookeeper", "etcd", "redis"})
    void missingModule(String backend) {
        assertThat(printed(
                        redis().withClassLoader(new FilteredClassLoader("io.boltwork." + backend)),
                        "boltwork.backend=" + backend))
                .contains("boltwork.backend: '" + backend + "' needs the module boltwork-" + backend)
                .contains("Add the dependency io.boltwork:boltwork-" + backend);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{orders}:*", "a}", "a%b", "orders:*,{x"})
    void bridgePatternThatMatchesNoSharedName(String pattern) {
        assertThat(printed(redis(), "boltwork.redis.uri=redis://" + at(plain), "boltwork.redis.bridge=" + pattern))
                .contains("boltwork.redis.bridge", "must not contain {, } or %");
    }

    @Test
    void placeholderWithoutAValue() {
        assertThat(printed(redis(), "boltwork.redis.uri=redis://u:s3cret@${REDIS_HOST}"))
                .contains("boltwork.redis.uri: A placeholder in it has no value.", "Origin: ");
    }
}
