// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import static io.boltwork.spring.TestApplication.assertUsable;
import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.server.SentinelGroup;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The short form {@code boltwork.lock.server.*}, and its names in the older starter. */
class ServerPropertiesTest {
    private static RedisServer server;

    @BeforeAll
    static void start() {
        server = RedisServer.start("--user", "shop", "on", ">s3cret", "~*", "&*", "+@all");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"boltwork.lock.server", "redisson.lock.server"})
    void addressUsernamePasswordDatabase(String form) {
        redis().withPropertyValues(
                        form + ".address=127.0.0.1:" + server.port(),
                        form + ".username=shop",
                        form + ".password=s3cret",
                        form + ".database=3")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    LockClient locks = context.getBean(LockClient.class);
                    locks.lock("in the third").lock();
                    assertThat(clients()).contains("db=3", "user=shop");
                    assertThat((String) server.command("INFO", "keyspace")).contains("db3:keys=");
                    locks.lock("in the third").unlock();
                });
        assertWrong(at(form), form + ".database=-1", "0 or more");
        assertWrong(at(form), form + ".database=first", "first");
        assertWrong(redis(), form + ".address=127.0.0.1:66000", "port");
        redis().withPropertyValues(
                        form + ".address=127.0.0.1:" + server.port(), form + ".username=shop", form + ".password=wr0ng")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .satisfies(root -> assertThat(root.toString()).doesNotContain("wr0ng")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"boltwork.lock.server", "redisson.lock.server"})
    void typeAndMaster(String form) {
        try (SentinelGroup group = SentinelGroup.start()) {
            String sentinels = group.sentinels().stream()
                    .map(each -> each.host() + ":" + each.port())
                    .collect(Collectors.joining(","));
            redis().withPropertyValues(
                            form + ".type=sentinel",
                            form + ".master=" + SentinelGroup.NAME,
                            form + ".address=" + sentinels)
                    .run(context -> assertUsable(context.getBean(LockClient.class)));
        }
        assertWrong(at(form), form + ".type=lonely", "lonely");
        assertWrong(
                redis().withPropertyValues(form + ".type=sentinel"), form + ".address=s1:26379", ".master=mymaster");
        assertWrong(redis(), form + ".address=a:1,b:2", ".type to sentinel, masterslave, cluster or quorum");
    }

    @Test
    void aQuorumHasALongestLease() {
        ApplicationContextRunner quorum = redis().withPropertyValues("boltwork.lock.server.type=quorum");
        ApplicationContextRunner three = quorum.withPropertyValues("boltwork.lock.server.address=a:1,b:2,c:3");
        assertWrong(three, "boltwork.lock.server.longest-lease=500ms", "longest");
        assertWrong(three, "boltwork.lock.server.longest-lease=soon", "soon");
        assertWrong(three, "boltwork.lock.server.trust-uptime=perhaps", "perhaps");
        assertWrong(quorum, "boltwork.lock.server.address=a:1,b:2", "must be 3 to 15 servers, but are 2");
        assertWrong(quorum, "boltwork.lock.server.address=a:1,b:2,a:1", "one is given twice");
    }

    @Test
    void propertiesWithoutAnAddressAreRefused() {
        ApplicationContextRunner application = redis().withPropertyValues("spring.data.redis.port=" + server.port());
        application
                .withPropertyValues("boltwork.lock.server.type=standalone")
                .run(context -> assertUsable(context.getBean(LockClient.class)));
        for (String form : List.of("boltwork.lock.server", "redisson.lock.server")) {
            for (String setting : List.of("type=sentinel", "password=s3cret", "database=3", "master=m")) {
                application
                        .withPropertyValues(form + "." + setting)
                        .run(context -> assertThat(context)
                                .getFailure()
                                .rootCause()
                                .hasMessageStartingWith(form + ".address: It is missing"));
            }
        }
    }

    @Test
    void propertiesThatTheApplicationsConnectionDoesNotUseAreRefused() {
        assertWrong(redis(), "boltwork.redis.ssl-bundle=b", "It has an effect only with boltwork.redis.uri");
        assertWrong(redis(), "boltwork.redis.sentinel-username=u", "It has an effect only with");
        assertWrong(redis(), "boltwork.redis.sentinel-password=p", "It has an effect only with");
    }

    private static ApplicationContextRunner at(String form) {
        return redis().withPropertyValues(form + ".address=127.0.0.1:" + server.port());
    }

    private static String clients() {
        return List.of(String.valueOf(server.command("CLIENT", "LIST")).split("\n")).stream()
                .filter(line -> line.contains("user=shop"))
                .collect(Collectors.joining("\n"));
    }
}
