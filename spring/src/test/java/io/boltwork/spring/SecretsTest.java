// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** No text of the starter contains a password. */
@ExtendWith(OutputCaptureExtension.class)
class SecretsTest {

    private static final String SECRET = "s3cr3t";

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

    static Stream<Arguments> malformed() {
        return PROPERTIES.stream().flatMap(property -> MALFORMED.stream().map(uri -> Arguments.of(property, uri)));
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

    /** Returns an application without Spring Data Redis for Spring's properties; otherwise Spring Boot would read them. */
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
        PropertiesRedis.Redis redis = binder.bindOrCreate("spring.data.redis", PropertiesRedis.Redis.class);
        assertThat(redis).asString().doesNotContain(SECRET);
        assertThat(redis.sentinel()).asString().doesNotContain(SECRET);
    }

    private static BoltworkProperties.Redis redis(String keyPrefix) {
        return new Binder(new MapConfigurationPropertySource(Map.of("boltwork.redis.key-prefix", keyPrefix)))
                .bindOrCreate("boltwork.redis", BoltworkProperties.Redis.class);
    }

    @Test
    void targetIsPrintedWithoutPasswords() {
        RedisTarget target = new RedisTarget.Builder("spring.data.redis")
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
