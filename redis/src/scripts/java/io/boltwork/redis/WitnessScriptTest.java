// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Reply.Failed;
import io.boltwork.spi.Reply.Witnessed;
import io.boltwork.spi.Witness;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WitnessScriptTest extends ScriptTest {
    private static final String UPTIME = "boltwork:uptime";

    @AfterEach
    void forgetSettings() {
        redis.command("CONFIG", "SET", "appendonly", "no");
        redis.command("CONFIG", "SET", "appendfsync", "everysec");
    }

    private Witnessed witness(Client client, String run, long watched) {
        return client.ask(new Witness(run, watched), Witnessed.class);
    }

    private String run() {
        return a.inspect(LOCK).server().run();
    }

    @Test
    void theLongestTimeOfTheRunCounts() {
        assertThat(witness(a, run(), 0).watchedMillis()).isZero();
        assertThat(fields(UPTIME)).as("nothing was noted").isEmpty();
        assertThat(witness(a, run(), 2_000).watchedMillis()).isEqualTo(2_000);
        assertThat(witness(b, run(), 1_999).watchedMillis()).isEqualTo(2_000);
        assertThat(witness(b, run(), 30_000).watchedMillis()).isEqualTo(30_000);
        assertThat(witness(a, "", 0).watchedMillis()).isEqualTo(30_000);
        assertThat(fields(UPTIME)).isEqualTo(Map.of("run", run(), "watched", "30000"));
        assertThat((Long) redis.command("PTTL", UPTIME))
                .isBetween(Duration.ofDays(6).toMillis(), Duration.ofDays(7).toMillis());
    }

    @Test
    void nothingIsKeptOfAnotherRun() {
        assertThat(witness(a, "another", 60_000).watchedMillis()).isZero();
        assertThat(fields(UPTIME)).isEmpty();
        redis.command("HSET", UPTIME, "run", "before", "watched", "99000");
        assertThat(witness(a, run(), 0).watchedMillis()).isZero();
        assertThat(witness(a, run(), 1_000).watchedMillis()).isEqualTo(1_000);
        assertThat(fields(UPTIME)).isEqualTo(Map.of("run", run(), "watched", "1000"));
    }

    @Test
    void theServerSaysHowLongItHasBeenUp() {
        long start = System.nanoTime();
        long before = Long.parseLong(
                redis.command("INFO", "server").toString().replaceFirst("(?s).*uptime_in_seconds:(\\d+).*", "$1"));
        long uptime = witness(a, run(), 0).uptimeMillis();
        long passed = (System.nanoTime() - start) / 1_000_000;
        assertThat(uptime).isBetween(Math.max(0, before - 1) * 1_000, before * 1_000 + passed);
        assertThat(uptime % 1_000).isZero();
    }

    @Test
    void aServerIsDurableIfItsDiskHasEveryWrite() {
        assertThat(witness(a, run(), 0).durable()).isFalse();
        redis.command("CONFIG", "SET", "appendfsync", "always");
        assertThat(witness(a, run(), 0).durable()).as("without a file").isFalse();
        redis.command("CONFIG", "SET", "appendonly", "yes");
        assertThat(witness(a, run(), 0).durable()).isTrue();
        redis.command("CONFIG", "SET", "appendfsync", "everysec");
        assertThat(witness(a, run(), 0).durable()).isFalse();
    }

    @Test
    void aServerWhoseSettingsMayNotBeReadIsNotDurable() {
        redis.command("CONFIG", "SET", "appendfsync", "always");
        redis.command("CONFIG", "SET", "appendonly", "yes");
        redis.command("ACL", "SETUSER", "voter", "reset", "on", ">p", "~*", "&*", "+@all", "-config");
        try (Client voter = Client.open("c", "redis://voter:p@127.0.0.1:" + redis.port())) {
            assertThat(witness(voter, run(), 5_000))
                    .extracting(Witnessed::watchedMillis, Witnessed::durable)
                    .containsExactly(5_000L, false);
        } finally {
            redis.command("ACL", "DELUSER", "voter");
        }
    }

    @Test
    void itIsNotedThoughMemoryIsFull() {
        redis.command("CONFIG", "SET", "maxmemory", "1");
        try {
            assertThat(witness(a, run(), 2_000).watchedMillis()).isEqualTo(2_000);
        } finally {
            redis.command("CONFIG", "SET", "maxmemory", "0");
        }
    }

    @Test
    void aKeyOfAnotherTypeIsNamed() {
        redis.command("SET", UPTIME, "something else");
        Failed failed = a.ask(new Witness("", 0), Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause()).hasMessageContaining(UPTIME);
    }
}
