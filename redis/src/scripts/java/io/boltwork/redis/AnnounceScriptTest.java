package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Announce;
import io.boltwork.spi.ClientRecord;
import io.boltwork.spi.Reply.Failed;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnnounceScriptTest extends ScriptTest {
    private static final String RECORD = "boltwork:client:a";

    private static ClientRecord clientRecord(String application) {
        return new ClientRecord("a", application, "host-7", 4_711, 1_700_000_000_123L, 1);
    }

    @Test
    void anAnnouncedClientIsKnownUntilItsRecordExpires() {
        long before = a.inspect(LOCK).server().millis();
        assertThat(a.announce(clientRecord("shop"), 60_000).server().millis()).isGreaterThanOrEqualTo(before);
        assertThat(fields(RECORD))
                .isEqualTo(Map.of(
                        "application",
                        "shop",
                        "host",
                        "host-7",
                        "pid",
                        "4711",
                        "since",
                        "1700000000123",
                        "wire",
                        "1",
                        "nonce",
                        "nonce"));
        assertThat((Long) redis.command("PTTL", RECORD)).isBetween(1L, 60_000L);
        assertThat(b.identify("b", "a", "a")).containsExactly(clientRecord("shop"), clientRecord("shop"));
    }

    @Test
    void anAnnouncementReturnsTheNonceOfTheRecordBefore() {
        assertThat(a.announce(clientRecord("shop"), 60_000, "one").before()).isEmpty();
        assertThat(a.announce(clientRecord("shop"), 60_000, "two").before()).isEqualTo("one");
        assertThat(a.announce(clientRecord("shop"), 0, "").before()).isEqualTo("two");
        assertThat(a.announce(clientRecord("shop"), 60_000, "three").before()).isEmpty();
    }

    @Test
    void aClientCanBeAnnouncedAgain() {
        a.announce(clientRecord("shop"), 60_000);
        a.announce(clientRecord("sh\"op\r\n' größe {} %"), 600_000);
        assertThat(b.identify("a")).containsExactly(clientRecord("sh\"op\r\n' größe {} %"));
        assertThat((Long) redis.command("PTTL", RECORD)).isGreaterThan(60_000);
    }

    @Test
    void anAnnouncementWithoutALifeRemovesTheClient() {
        a.announce(clientRecord("shop"), 0);
        assertThat(redis.command("EXISTS", RECORD)).isEqualTo(0L);
        a.announce(clientRecord("shop"), 60_000);
        a.announce(clientRecord("shop"), 0);
        assertThat(redis.command("EXISTS", RECORD)).isEqualTo(0L);
        assertThat(b.identify("a")).isEmpty();
    }

    @Test
    void aKeyThatIsNotAClientRecordIsIgnored() {
        redis.command("SET", RECORD, "something else");
        redis.command("HSET", "boltwork:client:b", "pid", "7");
        assertThat(b.identify("a", "b")).isEmpty();
        Failed failed = a.ask(new Announce(clientRecord("shop"), 1_000, "nonce"), Failed.class);
        assertThat(failed.executed()).isFalse();
        assertThat(failed.cause()).hasMessageContaining("the client 'a'");
    }

    @Test
    void anEmptyListOfClientsReturnsNoRecords() {
        assertThat(b.identify()).isEmpty();
    }
}
