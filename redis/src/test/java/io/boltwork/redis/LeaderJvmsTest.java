// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.LeavesNothingBehind;
import io.boltwork.testkit.fault.Fault;
import io.boltwork.testkit.fault.FaultyLink;
import io.boltwork.testkit.server.ChildJvm;
import io.boltwork.testkit.server.RedisServer;
import io.boltwork.testkit.wait.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Leaders in several JVMs are killed, frozen and cut off, and judged by what a resource that checks tokens accepts. */
@Tag("load")
class LeaderJvmsTest {
    private static final List<String> JVM_ARGS = List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    private static final Duration START = Duration.ofSeconds(60);

    private static RedisServer server;

    @RegisterExtension
    final LeavesNothingBehind nothing = new LeavesNothingBehind(() -> server);

    private final Map<String, ChildJvm> jvms = new LinkedHashMap<>();
    private final Map<String, FaultyLink> links = new LinkedHashMap<>();
    private RedisServer resource;

    @BeforeAll
    static void startServer() {
        server = RedisServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** An election or its end, as the resource was told. */
    private record Event(String name, boolean elected, long token) {
        static Event of(String text) {
            String[] words = text.split(" ");
            return new Event(words[0], words[1].equals("elected"), Long.parseLong(words[2]));
        }
    }

    private List<String> list(String key) {
        List<String> found = new ArrayList<>();
        ((List<?>) Objects.requireNonNull(resource.command("LRANGE", key, "0", "-1")))
                .forEach(entry -> found.add(entry.toString()));
        return found;
    }

    private List<Event> events() {
        return list(LeaderJvm.EVENTS).stream().map(Event::of).toList();
    }

    /** Waits until another leader than the last one writes, and returns its election. */
    private Event nextLeader(Event last) {
        Await.until("a leader after " + last + " writes", () -> {
            List<String> accepted = list(LeaderJvm.ACCEPTED);
            return !accepted.isEmpty() && Long.parseLong(accepted.get(accepted.size() - 1)) > last.token;
        });
        List<Event> elected = events().stream().filter(Event::elected).toList();
        return elected.get(elected.size() - 1);
    }

    private void awaitRevoked(Event leader) {
        Await.until(leader + " is revoked", () -> events().contains(new Event(leader.name, false, leader.token)));
    }

    private static void assertRevokedBefore(List<Event> events, Event leader, Event next) {
        assertThat(events).containsSubsequence(new Event(leader.name, false, leader.token), next);
    }

    @Test
    @EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
    void oneLeaderAtATimeThoughLeadersAreKilledFrozenAndCutOff() throws InterruptedException {
        resource = nothing.closing(RedisServer.start());
        for (String name : List.of("ada", "bob", "cyd", "dan")) {
            FaultyLink link = nothing.closing(FaultyLink.to(server));
            links.put(name, link);
            List<String> args = List.of(link.uri(), resource.uri(), name);
            jvms.put(name, nothing.closing(ChildJvm.start(LeaderJvm.class, JVM_ARGS, args)));
        }
        for (ChildJvm jvm : jvms.values()) {
            assertThat(jvm.nextLine(START)).isEqualTo("ready");
        }
        Event first = nextLeader(new Event("", false, 0));
        kill(first.name);

        Event frozen = nextLeader(first);
        jvms.get(frozen.name).freeze();
        Event afterFrozen = nextLeader(frozen);
        jvms.get(frozen.name).thaw();
        awaitRevoked(frozen);

        Fault cut = links.get(afterFrozen.name).unreachable();
        cut.inject();
        Event afterCut = nextLeader(afterFrozen);
        assertThat(afterCut.name).isNotEqualTo(afterFrozen.name);
        cut.heal();

        jvms.get(afterCut.name).send("yield");
        Event afterYield = nextLeader(afterCut);
        jvms.values().forEach(jvm -> jvm.send("stop"));
        assertThat(jvms.values())
                .allSatisfy(
                        jvm -> assertThat(jvm.awaitExit(Duration.ofSeconds(30))).isZero());

        List<Event> events = events();
        System.out.println("leaders in several JVMs: " + events);
        assertThat(events.stream().filter(Event::elected).map(Event::token))
                .isSorted()
                .doesNotHaveDuplicates();
        assertThat(list(LeaderJvm.ACCEPTED).stream().map(Long::valueOf)).isSorted();
        assertRevokedBefore(events, afterFrozen, afterCut);
        assertRevokedBefore(events, afterCut, afterYield);
        assertThat(list(LeaderJvm.REFUSED)).allMatch(token -> Long.parseLong(token) == frozen.token);
        for (Event leader : events) {
            if (leader.elected && leader.token != first.token) {
                assertThat(events).contains(new Event(leader.name, false, leader.token));
            }
        }
    }

    private void kill(String name) {
        Objects.requireNonNull(jvms.remove(name)).kill();
    }
}
