// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Command.Renew;
import io.boltwork.spi.HeldShare;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Renewed;
import io.boltwork.spi.Reply.Restored;
import io.boltwork.spi.Reply.Withdrawn;
import io.boltwork.spi.Share;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what {@code sharerenew.lua} and {@code sharerestore.lua} write and answer. */
class ShareRenewScriptTest extends ShareScriptTest {

    private Renewed renew(List<Renew.Item> items) {
        return a.ask(new Renew(items, Client.NEVER), Renewed.class);
    }

    private Restored restore(String request, long token, long blockEnd, Share share) {
        return a.ask(
                new Command.Restore(
                        LOCK, request, token, Client.LEASE, 300, Client.NEVER, new HeldShare(share, blockEnd, 0)),
                Restored.class);
    }

    @Test
    void aLeaseIsExtendedAndNeverShortened() {
        long token = take("a:1", 2).token();
        Renewed renewed = renew(List.of(new Renew.Item(LOCK, "a:1", token, 60_000, 300, of(2))));
        assertThat(renewed.items()).containsExactly(new Renewed.Item(Renewal.OK, null));
        long until = renewed.server().millis() + 60_300;
        assertThat(entry("a:1", ENDS)).isEqualTo(until);
        assertThat(entry("a:1", LEASE)).isEqualTo(60_000);
        assertThat(renew("a:1", token, 10, of(2)).outcome()).isEqualTo(Renewal.OK);
        assertThat(renew("a:1", token, 0, of(2)).outcome()).as("a look").isEqualTo(Renewal.OK);
        assertThat(entry("a:1", ENDS)).isEqualTo(until);
        assertThat(entry("a:1", LEASE)).isEqualTo(60_000);
    }

    @Test
    void aClaimIsConfirmed() {
        Acquired first = take("a:1", 3);
        await("b:1", 2);
        release("a:1", first);
        renew("b:1", b.nextGrant().token(), Client.LEASE, of(2));
        assertThat(entry("b:1")[CLAIM]).isEqualTo("-");
    }

    @Test
    void aLeaseThatEndedMayBeRenewedWhileItsEntryIsThere() {
        long token = take("a:1", 2).token();
        end("a:1");
        assertThat(renew("a:1", token, Client.LEASE, of(2)).outcome()).isEqualTo(Renewal.OK);
        assertThat(entry("a:1", ENDS)).isGreaterThan(1);
    }

    @Test
    void theTokenMustMatch() {
        long token = take("a:1", 2).token();
        assertThat(renew("a:1", token - 1, Client.LEASE, of(2)).outcome()).isEqualTo(Renewal.LOST);
        assertThat(renew("a:1", token + 1, Client.LEASE, of(2)).outcome()).isEqualTo(Renewal.LOST);
    }

    @Test
    void aSmallerWeightFreesTheRest() {
        long token = take("a:1", 3).token();
        await("b:1", 1);
        await("b:2", 2);
        Renewed.Item renewed = renew("a:1", token, Client.LEASE, of(2));
        assertThat(renewed.claimMillis()).isEqualTo(LockBackend.CLAIM_MILLIS);
        assertThat(entry("a:1", WEIGHT)).isEqualTo(2);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(queue()).containsExactly("b:2");

        renewed = renew("a:1", token, Client.LEASE, of(3));
        assertThat(renewed).isEqualTo(new Renewed.Item(Renewal.OK, null, 0));
        assertThat(entry("a:1", WEIGHT)).as("it never grows").isEqualTo(2);
    }

    @Test
    void aWriterBecomesAReader() {
        long token = take("a:1", Share.WRITE).token();
        await("b:1", Share.READ);
        await("b:2", Share.READ);
        await("b:3", Share.WRITE);
        renew("a:1", token, Client.LEASE, Share.READ);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
        assertThat(fields(READ_WRITE)).containsEntry("used", "3");
    }

    @Test
    void aLargerCapacityThatAClientKnowsIsServed() {
        long token = take("a:1", 3).token();
        await("b:1", 2);
        renew("a:1", token, Client.LEASE, new Share(KIND, 3, 5, 1_000));
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        assertThat(fields()).containsEntry("capacity", "5").containsEntry("set", "1000");
    }

    @Test
    void aForgottenHoldIsNotWritten() {
        long token = take("a:1", 2).token();
        redis.command("FLUSHALL");
        assertThat(renew("a:1", token, Client.LEASE, of(2)).outcome()).isEqualTo(Renewal.FORGOTTEN);
        assertThat(fields()).isEmpty();
        take("b:1", 2);
        Map<String, String> before = fields();
        assertThat(renew("a:1", token, Client.LEASE, of(2)).outcome()).isEqualTo(Renewal.FORGOTTEN);
        assertThat(renew("a:1", token, Client.LEASE, of(3)).outcome())
                .as("it takes all")
                .isEqualTo(Renewal.LOST);
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void aLostRequestLeavesTheQueue() {
        long token = take("a:1", 3).token();
        await("b:1", 1);
        assertThat(renew("b:1", token, Client.LEASE, of(1)).outcome()).isEqualTo(Renewal.LOST);
        assertThat(queue()).isEmpty();
    }

    @Test
    void aStaleRenewalChangesNothing() {
        long token = take("a:1", 3).token();
        Map<String, String> before = fields();
        Renew stale = new Renew(
                List.of(
                        new Renew.Item(LOCK, "a:1", token, 90_000, 0, of(1)),
                        new Renew.Item("other", "a:2", token, 90_000, 0, of(1))),
                1);
        assertThat(a.ask(stale, Renewed.class).items())
                .containsExactly(new Renewed.Item(Renewal.STALE, null), new Renewed.Item(Renewal.STALE, null));
        assertThat(fields()).isEqualTo(before);
    }

    @Test
    void aKeyOfAnotherTypeBreaksOnlyItsOwnItem() {
        long token = take("a:1", 1).token();
        long second = take("a:2", 1).token();
        redis.command("SET", "boltwork:semaphore:{other}", "x");
        redis.command("HSET", "boltwork:semaphore:{strange}", "n", "many", "ha:3", "?", "head", "!", "soon", "-");
        assertThat(renew(List.of(
                                new Renew.Item("other", "a:4", token, 90_000, 0, of(1)),
                                new Renew.Item(LOCK, "a:1", token, 90_000, 0, of(1)),
                                new Renew.Item("strange", "a:3", token, 90_000, 0, of(1)),
                                new Renew.Item(LOCK, "a:2", second, 90_000, 0, of(1))))
                        .items())
                .extracting(Renewed.Item::outcome)
                .containsExactly(Renewal.BROKEN, Renewal.OK, Renewal.FORGOTTEN, Renewal.OK);
    }

    @Test
    void eachItemHasItsOwnKindLeaseAndOutcome() {
        String longId = "a client whose id is longer than what MessagePack calls a short string:1";
        long reader = take("a:1", Share.READ).token();
        long holder = take("a:2", 3).token();
        long other = take(longId, Share.READ).token();
        await("b:1", 1);
        Renewed renewed = renew(List.of(
                new Renew.Item(LOCK, "a:1", reader, 50_000, 0, Share.READ),
                new Renew.Item("unknown", "a:3", reader, 50_000, 0, Share.WRITE),
                new Renew.Item(LOCK, "a:2", holder, 60_000, 7, of(2)),
                new Renew.Item(LOCK, "a:2", holder + 1, 70_000, 0, of(2)),
                new Renew.Item(LOCK, longId, other, 80_000, 0, Share.READ)));
        assertThat(renewed.items())
                .containsExactly(
                        new Renewed.Item(Renewal.OK, null),
                        new Renewed.Item(Renewal.FORGOTTEN, null),
                        new Renewed.Item(Renewal.OK, null),
                        new Renewed.Item(Renewal.LOST, null),
                        new Renewed.Item(Renewal.OK, null));
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
        long now = renewed.server().millis();
        assertThat(entry("a:2", ENDS)).isEqualTo(now + 60_007);
        assertThat(fields(READ_WRITE).get("ha:1").split(" ")[ENDS]).isEqualTo("" + (now + 50_000));
        assertThat(fields(READ_WRITE).get("h" + longId).split(" ")[ENDS]).isEqualTo("" + (now + 80_000));
    }

    @Test
    void aFullBatchOfLeasesOfOneLockIsOneCommand() {
        List<Renew.Item> items = new ArrayList<>();
        Share one = new Share(KIND, 1, 200, 0);
        for (int i = 0; i < 128; i++) {
            items.add(new Renew.Item(LOCK, "a:" + i, take("a:" + i, one).token(), 90_000, 0, one));
        }
        CommandStats.reset(redis);
        Renewed renewed = renew(items);
        assertThat(CommandStats.of(redis).requests()).isEqualTo(1);
        assertThat(renewed.items()).hasSize(128).allMatch(item -> item.outcome() == Renewal.OK);
        long until = renewed.server().millis() + 90_000;
        assertThat(lock().holders()).hasSize(128).allMatch(holder -> holder.untilMillis() == until);
    }

    // ================================================================ restoring

    @Test
    void aForgottenHoldComesBackWithItsToken() {
        Acquired granted = take("a:1", 2);
        redis.command("FLUSHALL");
        Restored restored = restore("a:1", granted.token(), granted.share().blockEnd(), of(2));
        assertThat(restored.outcome()).isEqualTo(Renewal.OK);
        long until = restored.server().millis() + Client.LEASE + 300;
        String block = granted.token() + " " + granted.share().blockEnd();
        assertThat(fields())
                .containsEntry("ha:1", "1 2 " + block + " " + until + " " + Client.LEASE + " -")
                .containsEntry("fence", "" + granted.share().blockEnd())
                .containsEntry("capacity", "3")
                .doesNotContainKey("all");
    }

    @Test
    void aRestoredHolderOfAllRaisesBothFences() {
        restore("a:1", 5_000, 5_999, of(3));
        assertThat(fields()).containsEntry("fence", "5999").containsEntry("all", "5999");
    }

    @Test
    void aRestoredHoldMustFit() {
        Acquired granted = take("a:1", 2);
        redis.command("FLUSHALL");
        take("b:1", 2);
        assertThat(restore("a:1", granted).outcome()).isEqualTo(Renewal.LOST);
        assertThat(holders()).containsExactly("b:1");
        end("b:1");
        assertThat(restore("a:1", granted).outcome()).as("a lease has ended").isEqualTo(Renewal.OK);
        assertThat(holders()).containsExactly("a:1");
    }

    @Test
    void aReaderComesBackAfterReadersButNotAfterAWriter() {
        long token = take("a:1", Share.READ).token();
        redis.command("FLUSHALL");
        take("b:1", Share.READ);
        assertThat(restore("a:1", token, token, Share.READ).outcome()).isEqualTo(Renewal.OK);
        redis.command("FLUSHALL");
        take("b:2", Share.WRITE);
        a.ask(new Command.Withdraw(LOCK, "b:2", 0, new HeldShare(Share.WRITE, 0, 0)), Withdrawn.class);
        assertThat(restore("a:1", token, token, Share.READ).outcome()).isEqualTo(Renewal.LOST);
        redis.command("FLUSHALL");
        take("b:3", Share.READ);
        a.ask(new Command.Withdraw(LOCK, "b:3", 0, new HeldShare(Share.READ, 0, 0)), Withdrawn.class);
        assertThat(restore("a:1", token, token, Share.WRITE).outcome())
                .as("a writer after a reader")
                .isEqualTo(Renewal.LOST);
    }

    @Test
    void aLateRestoreOfAHoldExtendsItsLease() {
        Acquired granted = take("a:1", 3);
        await("b:1", 1);
        Restored restored = restore("a:1", granted.token(), granted.share().blockEnd(), of(2));
        assertThat(restored.outcome()).isEqualTo(Renewal.OK);
        assertThat(entry("a:1", ENDS)).isEqualTo(restored.server().millis() + Client.LEASE + 300);
        assertThat(entry("a:1", WEIGHT)).as("the server knew a larger weight").isEqualTo(2);
        assertThat(b.nextGrant().request()).isEqualTo("b:1");
    }

    @Test
    void aRestoredRequestLeavesTheQueue() {
        take("a:1", 2);
        long token = take("a:2", 1).token() + 10_000;
        await("b:1", 2);
        withdraw("a:2");
        assertThat(restore("b:1", token, token, of(1)).outcome()).isEqualTo(Renewal.OK);
        assertThat(queue()).isEmpty();
    }

    @Test
    void aStaleRestoreChangesNothing() {
        a.ask(new Command.Restore(LOCK, "a:1", 5, Client.LEASE, 0, 1, new HeldShare(of(1), 9, 0)), Restored.class);
        assertThat(fields()).isEmpty();
    }
}
