// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.autoconfigure.PropertyFailureAnalyzer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

/** A property that nothing reads stops the start, and the error names the nearest one. */
class UnknownPropertiesTest {

    /** A bean with the groups that these tests configure. */
    public static class Shop {
        @DistributedLock("stock:#{#p0}")
        public void buy(String item) {}

        @DistributedLock(name = "x", group = "shop.stock")
        public void count() {}

        @DistributedLock
        public void close() {}
    }

    private static ApplicationContextRunner shop() {
        return memory().withBean(Shop.class);
    }

    private static void assertRefused(PropertySource<?> source, String property, String nearest) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(source);
        assertThatExceptionOfType(WrongPropertyException.class)
                .isThrownBy(() -> new UnknownProperties(environment).check())
                .withMessage(property + ": There is no such property. The nearest one is " + nearest + ".");
    }

    @Test
    void stopsTheStart() {
        assertWrong(
                shop(), "boltwork.redis.host=a", "There is no such property. The nearest one is boltwork.redis.uri.");
    }

    @ParameterizedTest
    @CsvSource({
        "boltwork.redis.host, boltwork.redis.uri",
        "boltwork.redis.url, boltwork.redis.uri",
        "boltwork.redis.port, boltwork.redis.uri",
        "boltwork.redis.password, boltwork.redis.uri",
        "boltwork.redis.database, boltwork.redis.uri",
        "boltwork.redis.sentinel.nodes, boltwork.redis.sentinel-username",
        "boltwork.redis, boltwork.redis.uri",
        "boltwork.rdis.uri, boltwork.redis.uri",
        "boltwork.redis.time-out2, boltwork.redis.timeout",
        "boltwork.redis.uri.first, boltwork.redis.uri",
        "boltwork.lock.server.adress, boltwork.lock.server.address",
        "boltwork.lock.server.host, boltwork.lock.server.address",
        "boltwork.lock.wait-fro, boltwork.lock.wait-for",
        "boltwork.lock.waitFro, boltwork.lock.wait-for",
        "boltwork.lock.wait-time, boltwork.lock.wait-for",
        "boltwork.wait-for, boltwork.lock.wait-for",
        "boltwork.lock.names.stock.wait-fro, boltwork.lock.names.stock.wait-for",
        "boltwork.client.orders.slice, boltwork.clients.orders.slice",
        "boltwork.clients.orders.redis.url, boltwork.clients.orders.redis.uri",
        "boltwork.clients.orders.host, boltwork.clients.orders.redis.uri",
        "boltwork.clients.orders.lock.wait-fro, boltwork.clients.orders.lock.wait-for",
        "boltwork.clients.orders.lock.order, boltwork.clients.orders.lock.mode",
        "boltwork.lock.names.shop.stock.enabled, boltwork.lock.names[shop.stock].enabled",
        "boltwork.lock.names.shop.stock.enbled, boltwork.lock.names[shop.stock].enabled",
        "boltwork.lock.names.Shop.close.enabled, boltwork.lock.names[Shop.close].enabled",
        "boltwork.lock.names[shop.stock].enbled, boltwork.lock.names[shop.stock].enabled",
        "boltwork.lock.names[shop][stock].enabled, boltwork.lock.names[shop.stock].enabled",
        "boltwork.lock.names.stock, boltwork.lock.names.stock.enabled",
        "boltwork.lock.names.wait-for, boltwork.lock.names.GROUP.wait-for",
        "boltwork.names.stock.enabled, boltwork.lock.names.stock.enabled",
        "boltwork.locks.names.stock.enabled, boltwork.lock.names.stock.enabled",
        "boltwork.metric.max-groups, boltwork.metrics.max-groups",
        "boltwork.host, boltwork.redis.uri",
        "boltwork.backend.redis, boltwork.backend",
        "boltwork.application[0], boltwork.application"
    })
    void isRefusedAndTheNearestIsNamed(String property, String nearest) {
        assertRefused(new MapPropertySource("test", Map.of(property, "s3cr3t")), property, nearest);
    }

    @Test
    void allPropertiesOfTheSectionAreListed() {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource("mine", Map.of("boltwork.lock.names.shop.stock.enabled", "false")));
        memory().withInitializer(context -> context.setEnvironment(environment))
                .run(context -> assertThat(
                                new PropertyFailureAnalyzer(environment).analyze(context.getStartupFailure()))
                        .satisfies(analysis -> {
                            assertThat(analysis.getDescription())
                                    .contains("boltwork.lock.names.shop.stock.enabled", "Origin: ", "mine");
                            assertThat(analysis.getAction())
                                    .contains("The properties of boltwork.lock.names[shop.stock] are enabled, optional,"
                                            + " client, lease");
                        }));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "boltwork.outagePatience=30s",
                "boltwork.OUTAGE_PATIENCE=30s",
                "boltwork.lock.waitFor=30s",
                "boltwork.lock.wait_for=30s",
                "boltwork.long-hold=",
                "boltwork.long-hold=${absent:}",
                "boltwork.redis.uri[0]=redis://a",
                "boltwork.redis.bridge[1]=x,boltwork.redis.bridge[0]=y",
                "boltwork.redis.uri=",
                "boltwork.redis=",
                "boltwork.lock.names=",
                "boltwork.lock.names.stock=",
                "boltwork.lock.names.stock.waitFor=3s",
                "boltwork.lock.names[stock].wait-for=3s",
                "boltwork.lock.names[shop.stock].enabled=false",
                "boltwork.lock.names[Shop.close].enabled=false",
                "boltworks.redis.host=h",
                "my.boltwork.redis.host=h",
                "BOLTWORK_REDIS_HOST=h"
            })
    void otherFormsOfANameAreKnown(String properties) {
        Map<String, Object> values = Arrays.stream(properties.split(","))
                .map(each -> each.split("=", 2))
                .collect(Collectors.toMap(each -> each[0], each -> each[1]));
        check(new MapPropertySource("test", values));
    }

    private static void check(PropertySource<?> source) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(source);
        new UnknownProperties(environment).check();
        Binder.get(environment)
                .bindOrCreate(
                        "boltwork",
                        Bindable.of(BoltworkProperties.class),
                        new SecretValues().apply(BindHandler.DEFAULT));
    }

    @Test
    void namesInYamlAreKnown() throws Exception {
        String yaml = """
                boltwork:
                  redis:
                  # uri: redis://localhost
                  lock:
                    waitFor: 3s
                    names:
                      stock: {wait-for: 1s}
                      "[shop.stock]":
                        enabled: false
                """;
        var source = new YamlPropertySourceLoader()
                .load("yaml", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                .get(0);
        shop().withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(source))
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static PropertySource<?> variable(String name, String value) {
        return new SystemEnvironmentPropertySource("test-systemEnvironment", Map.of(name, value));
    }

    @ParameterizedTest
    @CsvSource({
        "BOLTWORK_REDIS_HOST, boltwork.redis.uri",
        "BOLTWORK_REDIS_URL, boltwork.redis.uri",
        "BOLTWORK_RDIS_URI, boltwork.redis.uri",
        "boltwork_redis_host, boltwork.redis.uri",
        "BOLTWORK_REDIS_PORT, boltwork.redis.uri",
        "BOLTWORK_HOST, boltwork.redis.uri",
        "BOLTWORK_LOCK_SERVER_ADRESS, boltwork.lock.server.address",
        "BOLTWORK_LOCK_WAIT_FRO, boltwork.lock.wait-for",
        "BOLTWORK_LOCK_NAMES_STOCK_WAIT_FRO, boltwork.lock.names.stock.wait-for",
        "BOLTWORK_LOCK_NAMES_SHOP_STOCK_ENABLED, boltwork.lock.names[shop.stock].enabled",
        "BOLTWORK_ENABLD, boltwork.enabled",
        "boltwork.redis.host, boltwork.redis.uri"
    })
    void environmentVariableIsRefused(String variable, String nearest) {
        assertRefused(variable(variable, "6379"), variable, nearest);
    }

    /** Variables that Spring Boot reads, and variables of other programs. */
    @ParameterizedTest
    @CsvSource({
        "BOLTWORK_REDIS_URI, redis://a",
        "BOLTWORK_REDIS_URI_0_, redis://a",
        "BOLTWORK_REDIS_URI_0, redis://a",
        "BOLTWORK_LOCK_WAIT_FOR, 3s",
        "BOLTWORK_LOCK_WAITFOR, 3s",
        "BOLTWORK_LOCK_NAMES_STOCK_WAITFOR, 3s",
        "BOLTWORK_LOCK_NAMES_STOCK_WAIT_FOR, 3s",
        "BOLTWORK_LOCK_NAMES_STOCK_ENABLED, false",
        "boltwork.lock.wait-for, 3s",
        "BOLTWORK_URI, redis://a",
        "BOLTWORK_PASSWORD, secret",
        "BOLTWORK_LOCK, report",
        "BOLTWORK_TOKEN, 1",
        "BOLTWORK_DEADLINE, 1",
        "BOLTWORK_HOME, /opt",
        "BOLTWORK_MAVEN_OPTIONS, -o",
        "BOLTWORK_PORT, tcp://10.0.0.1:6379",
        "BOLTWORK_SERVICE_HOST, 10.0.0.1",
        "BOLTWORK_REDIS_SERVICE_HOST, 10.0.0.1",
        "BOLTWORK_REDIS_SERVICE_PORT_REDIS, 6379",
        "BOLTWORK_REDIS_PORT, tcp://10.0.0.1:6379",
        "BOLTWORK_REDIS_PORT_6379_TCP_ADDR, 10.0.0.1"
    })
    void environmentVariablesOfOthersAreLeftAlone(String variable, String value) {
        check(variable(variable, value));
    }

    @Test
    void theSettingsOfBoltworksOwnTestsAreLeftAlone() throws Exception {
        String build = Files.readString(Path.of("..", "pom.xml"));
        String section = build.substring(
                build.indexOf("<systemPropertyVariables>"), build.indexOf("</systemPropertyVariables>"));
        Matcher names = Pattern.compile("<(boltwork\\.\\w+)>").matcher(section);
        List<String> all = Stream.concat(
                        names.results().map(each -> each.group(1)),
                        Stream.of("boltwork.redis", "boltwork.seed", "boltwork.version"))
                .map(name -> name + "=1")
                .toList();
        assertThat(all).hasSizeGreaterThan(5).contains("boltwork.slack=1");
        shop().withSystemProperties(all.toArray(String[]::new))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource({
        "boltwork.redis.host, boltwork.redis.uri",
        "boltwork.enabeld, boltwork.enabled",
        "boltwork.host, boltwork.redis.uri",
        "boltwork.lock.server.adress, boltwork.lock.server.address"
    })
    void systemPropertyIsRefused(String property, String nearest) {
        assertRefused(new MapPropertySource("systemProperties", Map.of(property, "1")), property, nearest);
    }

    /** A program that the command starts may be an application with Spring. */
    @Test
    void startsUnderTheCommand() {
        PropertySource<?> environment = new SystemEnvironmentPropertySource(
                "test-systemEnvironment",
                Map.of("BOLTWORK_LOCK", "report", "BOLTWORK_TOKEN", "7", "BOLTWORK_DEADLINE", "1785000000"));
        shop().withInitializer(
                        context -> context.getEnvironment().getPropertySources().addFirst(environment))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(BoltworkProperties.class).lock().enabled())
                            .isTrue();
                });
    }

    @ConfigurationProperties("boltwork.acme")
    record Acme(String host) {}

    @EnableConfigurationProperties(Acme.class)
    static class WithAcme {}

    @Test
    void propertiesOfAnotherBeanAreLeftAlone() {
        memory().withUserConfiguration(WithAcme.class)
                .withPropertyValues("boltwork.acme.host=a")
                .run(context -> assertThat(context).hasNotFailed());
        assertWrong(memory(), "boltwork.acme.host=a", "no such property");
    }

    /** Spring Boot leaves such a placeholder as it is. */
    @Test
    void placeholdersOfOtherPropertiesAreLeftAlone() {
        memory().withPropertyValues("spring.data.redis.password=${absent}")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void namesOfTheOlderStarterAreChecked() {
        assertWrong(redis(), "redisson.lock.server.adress=h:1", "The nearest one is redisson.lock.server.address.");
        memory().withPropertyValues("redisson.lock.server.adress=h:1", "redisson.codec=x")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** The metadata has each property of the record, and no other. */
    @Test
    void knownNamesAreThoseOfTheMetadata() throws Exception {
        String metadata = Files.readString(Path.of("target/classes/META-INF/spring-configuration-metadata.json"));
        List<String> described = Pattern.compile("\"name\": \"(boltwork\\.[a-z.-]+)\",\\s+\"type\"")
                .matcher(metadata)
                .results()
                .map(each -> each.group(1))
                .filter(
                        name -> !name.matches(
                                "boltwork\\.(redis|jdbc|zookeeper|etcd|lock|lock\\.server|lock\\.names|leader|metrics|clients)"))
                .toList();
        assertThat(described).hasSizeGreaterThan(40);
        shop().run(context -> {
            assertThat(context).hasNotFailed();
            PropertyNames known = PropertyNames.of("boltwork", BoltworkProperties.class);
            assertThat(known.all()).containsAll(described);
            assertThat(known.all().stream().filter(name -> !name.contains("*")))
                    .containsExactlyInAnyOrderElementsOf(described);
        });
    }
}
