// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.boltwork.LockClient;
import io.boltwork.redis.ExpiringCredentials;
import io.boltwork.spring.TestApplication;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import io.boltwork.spring.redis.RedisLocation;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import io.lettuce.core.RedisCredentialsProvider;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import reactor.core.publisher.Mono;

/** No text of the starter contains a password. */
@ExtendWith(OutputCaptureExtension.class)
class SecretsTest {

    private static final String SECRET = "s3cr3t";

    private static final boolean WHOLE = Boolean.getBoolean("boltwork.whole");

    /** Returns each property that may contain a password. */
    private static final List<String> PROPERTIES = List.of(
            "boltwork.redis.uri",
            "boltwork.lock.server.address",
            "redisson.lock.server.address",
            "spring.data.redis.url");

    private static final List<String> MALFORMED = List.of(
            "u:s3cr3t",
            "u:p@s3cr3t@h:port",
            "u:s3cr3t@h:port",
            "redis:u:s3cr3t@h:port",
            "redis:/u:s3cr3t@h",
            "redis//u:s3cr3t@h",
            "http://u:s3cr3t@h",
            "s3cr3t://h",
            "redis-socket://u:s3cr3t@h",
            "redis-sentinel://u:s3cr3t@h",
            "redis-sentinel://u:s3cr3t@h/0#",
            "redis-sentinel://u:s3cr3t@h/0#%zz",
            "redis-sentinel://u:p#s3cr3t@h:port/0#m",
            "redis://u:s3cr3t",
            "redis://u:s3cr3t@",
            "redis://u:s3cr3t@h:port",
            "redis://u:s3cr3t@h:99999",
            "redis://u:s3cr3t@h:0",
            "redis://u:s3cr3t^@h:port",
            "redis://u:s3cr3t%zz@h",
            "redis://u:s3cr3t#1@h:port",
            "redis://u:p/s3cr3t@h",
            "redis://u:p?s3cr3t@h",
            "redis://u:p@s3cr3t@h:port",
            "redis://u:p s3cr3t@h:port",
            "redis://u:s3cr3t@h/x",
            "rediss://u:s3cr3t@h:port?verifyPeer=s3cr3t");

    /** Each malformed address once, with the properties in turn; with {@code -Pwhole}, each with each property. */
    static Stream<Arguments> malformed() {
        return IntStream.range(0, MALFORMED.size())
                .boxed()
                .flatMap(i -> (WHOLE ? PROPERTIES : List.of(PROPERTIES.get(i % PROPERTIES.size())))
                        .stream().map(property -> Arguments.of(property, MALFORMED.get(i))));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void malformedAddressErrorQuotesNoPassword(String property, String uri, CapturedOutput output) {
        application(property).withPropertyValues(property + "=" + uri).run(context -> {
            Throwable failure = context.getStartupFailure();
            assertThat(failure).isNotNull();
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).contains(property).doesNotContain(SECRET);
        });
        assertThat(output).doesNotContain(SECRET);
    }

    /** Settings that may quote a password in other ways than a malformed address; of several, the last one is wrong. */
    static List<String> otherMistakes() {
        return List.of(
                "boltwork.redis=redis://u:s3cr3t@h",
                "boltwork.redis.host=s3cr3t",
                "boltwork.redis.uri.first=redis://u:s3cr3t@h",
                "boltwork.redis.uri=redis://u:s3cr3t@${absent}",
                "boltwork.redis.uri=redis://u:a${s3cr3t}b@h",
                "boltwork.redis.sentinel-username=s3cr3t${absent}",
                "boltwork.redis.sentinel-password=s3cr3t${absent}",
                "boltwork.lock.server=s3cr3t",
                "boltwork.lock.server.adress=u:s3cr3t@h",
                "boltwork.lock.server.address=u:s3cr3t@${absent}",
                "boltwork.lock.server.username=s3cr3t${absent}",
                "boltwork.lock.server.password=s3cr3t${absent}",
                "boltwork.lock.server.password=s3cr3t",
                "boltwork.lock.server.password=s3cr3t boltwork.lock.server.address=a:1,b:2",
                "boltwork.lock.server.type=sentinel boltwork.lock.server.address=u:s3cr3t@h",
                "boltwork.lock.server.type=cluster boltwork.lock.server.address=u:s3cr3t@h:port",
                "boltwork.lock.server.type=quorum boltwork.lock.server.address=u:s3cr3t@a:1,b:2,a:1",
                "redisson.lock.server=s3cr3t",
                "redisson.lock.server.adress=s3cr3t",
                "redisson.lock.server.address=u:s3cr3t@${absent}",
                "redisson.lock.server.password=s3cr3t${absent}",
                "boltwork.backend=zookeeper boltwork.zookeeper.password=s3cr3t",
                "boltwork.backend=zookeeper boltwork.zookeeper.username=s3cr3t",
                "boltwork.backend=zookeeper boltwork.zookeeper.connect-string=u:s3cr3t@h:port",
                "boltwork.backend=zookeeper boltwork.zookeeper.connect-string=u:s3cr3t@${absent}",
                "boltwork.backend=etcd boltwork.etcd.password=s3cr3t",
                "boltwork.backend=etcd boltwork.etcd.username=s3cr3t",
                "boltwork.backend=etcd boltwork.etcd.endpoints=http://u:s3cr3t@h:2379",
                "boltwork.backend=etcd boltwork.etcd.endpoints=http://u:s3cr3t@${absent}",
                "boltwork.backend=etcd boltwork.etcd.endpoints=http://127.0.0.1:1 boltwork.etcd.connect-timeout=100ms"
                        + " boltwork.etcd.username=u boltwork.etcd.password=s3cr3t",
                "boltwork.redis.lazy-connect=false boltwork.redis.uri=redis://u:s3cr3t@127.0.0.1:1",
                "boltwork.redis.lazy-connect=false boltwork.lock.server.password=s3cr3t"
                        + " boltwork.lock.server.address=127.0.0.1:1",
                "spring.data.redis=s3cr3t boltwork.redis.lazy-connect=false spring.data.redis.port=1",
                "boltwork.redis.lazy-connect=false spring.data.redis.port=1 spring.data.redis.password=s3cr3t",
                "boltwork.redis.lazy-connect=false spring.data.redis.port=1 spring.data.redis.username=s3cr3t",
                "spring.data.redis.password=s3cr3t${absent}",
                "spring.data.redis.sentinel.password=s3cr3t${absent}",
                "spring.data.redis.url=redis://u:s3cr3t@${absent}");
    }

    static Stream<String> wrong() {
        return Stream.concat(malformed().map(each -> each.get()[0] + "=" + each.get()[1]), otherMistakes().stream());
    }

    /** Spring Boot's own analysis of a failure would look up the value once more. */
    @ParameterizedTest
    @MethodSource("wrong")
    void wholeOutputAtDebugLevelContainsNoPassword(String settings, CapturedOutput output) {
        for (boolean variables : WHOLE ? new boolean[] {false, true} : new boolean[1]) {
            SpringApplication application = new SpringApplication(
                    SslAutoConfiguration.class,
                    BoltworkAutoConfiguration.class,
                    DistributedLockAutoConfiguration.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            application.setBannerMode(Banner.Mode.OFF);
            application.setEnvironment(environment(settings, variables));
            assertThatException()
                    .isThrownBy(() -> application.run("--logging.level.root=DEBUG"))
                    .satisfies(failure ->
                            assertThat(Throwables.getStackTrace(failure)).doesNotContain(SECRET));
            assertThat(output)
                    .contains("APPLICATION FAILED TO START", " DEBUG ")
                    .doesNotContain(SECRET);
        }
    }

    /** An application whose password changes every second. */
    @Configuration(proxyBeanMethods = false)
    static class Changing {
        static final AtomicInteger ASKED = new AtomicInteger();

        @Bean
        RedisCredentialsProvider credentials() {
            return () -> Mono.just(ExpiringCredentials.of(
                    "locks", SECRET + ASKED.incrementAndGet() % 2, Instant.now().plusSeconds(1)));
        }
    }

    @Test
    void wholeOutputAtDebugLevelContainsNoPasswordOfAProvider(CapturedOutput output) {
        try (RedisServer redis = RedisServer.start()) {
            redis.command("ACL", "SETUSER", "locks", "on", ">" + SECRET + 0, ">" + SECRET + 1, "~*", "&*", "+@all");
            SpringApplication application =
                    new SpringApplication(Changing.class, SslAutoConfiguration.class, BoltworkAutoConfiguration.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            application.setBannerMode(Banner.Mode.OFF);
            try (ConfigurableApplicationContext context =
                    application.run("--logging.level.root=DEBUG", "--boltwork.redis.uri=" + redis.uri())) {
                LockClient locks = context.getBean(LockClient.class);
                Await.until("the connections have logged in anew", () -> {
                    TestApplication.assertUsable(locks);
                    return Changing.ASKED.get() > 5;
                });
                assertThat(String.valueOf(redis.command("CLIENT", "LIST"))).contains("user=locks");
            }
        }
        assertThat(output).contains(" DEBUG ").doesNotContain(SECRET);
    }

    @AfterAll
    static void resetLogging() {
        LoggingSystem.get(SecretsTest.class.getClassLoader())
                .setLogLevel(LoggingSystem.ROOT_LOGGER_NAME, LogLevel.INFO);
    }

    private static ConfigurableEnvironment environment(String settings, boolean variables) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String setting : settings.split(" (?=[a-z.-]+=)")) {
            String[] nameAndValue = setting.split("=", 2);
            String name = nameAndValue[0];
            values.put(
                    variables ? name.replace(".", "_").replace("-", "").toUpperCase(Locale.ROOT) : name,
                    nameAndValue[1]);
        }
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(
                        variables
                                ? new SystemEnvironmentPropertySource("test-systemEnvironment", values)
                                : new MapPropertySource("test", values));
        return environment;
    }

    /**
     * Returns an application without Spring Data Redis for Spring's properties; otherwise Spring Boot would read them.
     */
    private static ApplicationContextRunner application(String property) {
        return property.startsWith("spring")
                ? new ApplicationContextRunner()
                        .withConfiguration(
                                AutoConfigurations.of(SslAutoConfiguration.class, BoltworkAutoConfiguration.class))
                : TestApplication.redis();
    }

    @Test
    void propertiesArePrintedWithoutPasswords() {
        Binder binder = new Binder(new MapConfigurationPropertySource(Map.of(
                "boltwork.redis.uri", "redis://u:s3cr3t@h",
                "boltwork.redis.sentinel-password", SECRET,
                "boltwork.lock.server.address", "u:s3cr3t@h",
                "boltwork.lock.server.password", SECRET,
                "spring.data.redis.url", "redis://u:s3cr3t@h",
                "spring.data.redis.password", SECRET,
                "spring.data.redis.sentinel.master", "m",
                "spring.data.redis.sentinel.nodes", "a:1",
                "spring.data.redis.sentinel.password", SECRET)));
        assertThat(binder.bindOrCreate("boltwork", BoltworkProperties.class))
                .asString()
                .doesNotContain(SECRET);
        SpringRedisProperties redis = binder.bindOrCreate("spring.data.redis", SpringRedisProperties.class);
        assertThat(redis).asString().doesNotContain(SECRET);
        assertThat(redis.sentinel()).asString().doesNotContain(SECRET);
    }

    private static BoltworkProperties.Redis redis(String keyPrefix) {
        return new Binder(new MapConfigurationPropertySource(Map.of("boltwork.redis.key-prefix", keyPrefix)))
                .bindOrCreate("boltwork.redis", BoltworkProperties.Redis.class);
    }

    @Test
    void targetIsPrintedWithoutPasswords() {
        RedisLocation target = new RedisLocation.Builder("spring.data.redis")
                .credentials("u", SECRET)
                .sentinel("m", "su", SECRET)
                .node("h", 1)
                .build();
        assertThat(target).asString().doesNotContain(SECRET);
        assertThat(catchThrowable(() -> target.connect(redis("bad prefix{"), options -> options)))
                .isNotNull()
                .hasMessageNotContaining(SECRET);
    }
}
