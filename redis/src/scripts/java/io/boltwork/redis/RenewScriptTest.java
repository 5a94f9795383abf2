// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RenewScriptTest extends ScriptTest {

    private Renewed.Item renew(String request, long token, long lease) {
        Renewed renewed = a.renew(LOCK, request, token, lease);
        assertThat(renewed.items()).hasSize(1);
        return renewed.items().get(0);
    }

    @Test
    void theOwnersLeaseIsExtended() {
        long token = a.acquire(LOCK, "a:1").token();
        Renewed renewed =
                a.ask(new Renew(List.of(new Renew.Item(LOCK, "a:1", token, 60_000, 300)), Client.NEVER), Renewed.class);
        assertThat(renewed.items()).containsExactly(new Renewed.Item(Renewal.OK, "a:1"));
        assertThat(field("until")).isEqualTo(renewed.server().millis() + 60_300);
    }

    @Test
    void aLeaseIsNeverShortened() {
        long token = a.acquire(LOCK, "a:1").token();
        long until = field("until");
        assertThat(renew("a:1", token, 10).outcome()).isEqualTo(Renewal.OK);
        assertThat(field("until")).isEqualTo(until);
    }

    @Test
    void anOwnerMayRenewAnExpiredLeaseThatNoOtherRequestTook() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        assertThat(renew("a:1", token, Client.LEASE).outcome()).isEqualTo(Renewal.OK);
        assertThat(field("until")).isGreaterThan(1);
    }

    @Test
    void aClaimIsConfirmed() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        a.release(LOCK, "a:1", token);
        assertThat(renew("b:1", b.nextGrant().token(), Client.LEASE).outcome()).isEqualTo(Renewal.OK);
        assertThat(fields()).containsEntry("claim", "");
    }

    @Test
    void aQueueWhoseTailWasDeletedDoesNotFailARenewal() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        redis.command("HDEL", KEY, "tail");
        assertThat(renew("b:1", token, Client.LEASE).outcome()).isEqualTo(Renewal.LOST);
    }

    @Test
    void anOwnerOrLostRequestLeavesTheQueue() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        b.acquire(LOCK, "b:2");
        assertThat(renew("b:1", token, Client.LEASE).outcome()).isEqualTo(Renewal.LOST);
        assertThat(queue()).containsExactly("b:2");
        set("owner", "b:2");
        assertThat(renew("b:2", token, Client.LEASE).outcome()).isEqualTo(Renewal.OK);
        assertThat(queue()).isEmpty();
    }

    @Test
    void theTokenMustMatchToo() {
        long token = a.acquire(LOCK, "a:1").token();
        Renewed.Item item = renew("a:1", token - 1, Client.LEASE);
        assertThat(item.outcome()).isEqualTo(Renewal.LOST);
        assertThat(item.owner()).isEqualTo("a:1");
    }

    @Test
    void aLockTakenByAnotherOwnerIsLost() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        b.acquire(LOCK, "b:1");
        assertThat(renew("a:1", token, Client.LEASE)).isEqualTo(new Renewed.Item(Renewal.LOST, "b:1"));
    }

    @Test
    void aFreeLockThatWasHeldByAnotherOwnerSinceIsLost() {
        long token = a.acquire(LOCK, "a:1").token();
        endLease();
        b.release(LOCK, "b:1", b.acquire(LOCK, "b:1").token());
        assertThat(renew("a:1", token, Client.LEASE)).isEqualTo(new Renewed.Item(Renewal.LOST, null));
    }

    @Test
    void aHoldThatTheServerLostIsForgottenWithoutAnyWrite() {
        long token = a.acquire(LOCK, "a:1").token();
        redis.command("FLUSHALL");
        assertThat(renew("a:1", token, Client.LEASE)).isEqualTo(new Renewed.Item(Renewal.FORGOTTEN, null));
        assertThat(fields()).isEmpty();

        b.acquire(LOCK, "b:1");
        endLease();
        Map<String, String> before = fields();
        assertThat(renew("a:1", field("fence") + 1, Client.LEASE))
                .isEqualTo(new Renewed.Item(Renewal.FORGOTTEN, "b:1"));
        assertThat(fields()).isEqualTo(before);
        assertThat(renew("a:1", field("fence"), Client.LEASE).outcome()).isEqualTo(Renewal.LOST);
    }

    @Test
    void aStaleRenewalChangesNothing() {
        long token = a.acquire(LOCK, "a:1").token();
        Map<String, String> before = fields();
        Renew stale = new Renew(
                List.of(
                        new Renew.Item(LOCK, "a:1", token, 90_000, 0),
                        new Renew.Item("other", "a:2", token, 90_000, 0)),
                1);
        assertThat(a.ask(stale, Renewed.class).items())
                .containsExactly(new Renewed.Item(Renewal.STALE, "a:1"), new Renewed.Item(Renewal.STALE, null));
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void aKeyOfAnotherTypeBreaksOnlyItsOwnItem() {
        long token = a.acquire(LOCK, "a:1").token();
        redis.command("SET", "boltwork:{other}", "x");
        redis.command("HSET", "boltwork:{strange}", "owner", "a:3", "until", "soon", "fence", "?", "head", "!");
        Renew batch = new Renew(
                List.of(
                        new Renew.Item("other", "a:2", token, 90_000, 0),
                        new Renew.Item(LOCK, "a:1", token, 90_000, 0),
                        new Renew.Item("strange", "a:3", token, 90_000, 0)),
                Client.NEVER);
        assertThat(a.ask(batch, Renewed.class).items())
                .extracting(Renewed.Item::outcome)
                .containsExactly(Renewal.BROKEN, Renewal.OK, Renewal.FORGOTTEN);
    }

    @Test
    void eachItemHasItsOwnLeaseAndOutcome() {
        String longId = "a client whose id is longer than what MessagePack calls a short string:1";
        long own = a.acquire(LOCK, "a:1").token();
        long lent = a.acquire("long", longId).token();
        long token = b.acquire("another's", "b:1").token();
        Renewed renewed = a.ask(
                new Renew(
                        List.of(
                                new Renew.Item("another's", "a:2", token, 90_000, 0),
                                new Renew.Item(LOCK, "a:1", own, 60_000, 300),
                                new Renew.Item("unknown", "a:3", token, 90_000, 0),
                                new Renew.Item("long", longId, lent, 70_000, 0),
                                new Renew.Item("free", "a:4", token, 90_000, 0)),
                        Client.NEVER),
                Renewed.class);
        assertThat(renewed.items())
                .containsExactly(
                        new Renewed.Item(Renewal.LOST, "b:1"),
                        new Renewed.Item(Renewal.OK, "a:1"),
                        new Renewed.Item(Renewal.FORGOTTEN, null),
                        new Renewed.Item(Renewal.OK, longId),
                        new Renewed.Item(Renewal.FORGOTTEN, null));
        assertThat(field("until")).isEqualTo(renewed.server().millis() + 60_300);
        assertThat(a.inspect("long").untilMillis()).isEqualTo(renewed.server().millis() + 70_000);
    }

    @Test
    void aFullBatchOfRenewalsIsOneCommand() {
        List<Renew.Item> items = new ArrayList<>();
        for (int i = 0; i < 128; i++) {
            String lock = "batch{" + i;
            items.add(new Renew.Item(lock, "a:" + i, a.acquire(lock, "a:" + i).token(), 90_000, 0));
        }
        Renewed renewed = a.ask(new Renew(items, Client.NEVER), Renewed.class);
        assertThat(renewed.items()).hasSize(128);
        for (int i = 0; i < 128; i++) {
            assertThat(renewed.items().get(i)).isEqualTo(new Renewed.Item(Renewal.OK, "a:" + i));
        }
        assertThat(a.inspect("batch{127").untilMillis())
                .isEqualTo(renewed.server().millis() + 90_000);
    }
}
