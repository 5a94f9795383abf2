// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.LockBackend;
import io.boltwork.spi.LockWanted;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks whose clients may retain them: their requests have negative numbers. */
class RetentionScriptTest extends ScriptTest {

    @BeforeEach
    void forget() {
        a.wantings.clear();
        b.wantings.clear();
    }

    @AfterEach
    void leavesNoRecallUnread() {
        redis.command("PING");
        assertThat(a.wantings).as("recalls that a test did not expect").isEmpty();
        assertThat(b.wantings).as("recalls that a test did not expect").isEmpty();
    }

    private void isRecalled(Client client, String request, long token) {
        LockWanted wanted = Client.next(client.wantings);
        assertThat(wanted.lock()).isEqualTo(LOCK);
        assertThat(wanted.request()).isEqualTo(request);
        assertThat(wanted.token()).isEqualTo(token);
    }

    private Renewal renew(Client client, String request, long token) {
        return client.renew(LOCK, request, token, Client.LEASE).items().get(0).outcome();
    }

    @Test
    void eachAskingOfTheFirstRequestRecallsTheLock() {
        long token = a.acquire(LOCK, "a:-1").token();
        assertThat(b.acquire(LOCK, "b:1").verdict()).isEqualTo(Verdict.QUEUED);
        isRecalled(a, "a:-1", token);
        b.acquire(LOCK, "b:1");
        isRecalled(a, "a:-1", token);
        b.acquire(LOCK, "b:2");
    }

    @Test
    void othersAreNotRecalled() {
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:-1");
        b.tryAcquire(LOCK, "b:-2");
        a.acquire(LOCK, "a:-2");
    }

    @Test
    void aRequestOfTheOwnersClientRecallsNothing() {
        a.acquire(LOCK, "a:-1");
        assertThat(a.acquire(LOCK, "a:2").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(a.tryAcquire(LOCK, "a:3").verdict()).isEqualTo(Verdict.REFUSED);
    }

    @Test
    void aRequestBehindALateOneOfTheOwnersClientRecallsTheLock() {
        long token = a.acquire(LOCK, "a:-2").token();
        a.acquire(LOCK, "a:1");
        b.acquire(LOCK, "b:1");
        isRecalled(a, "a:-2", token);
    }

    /** One call examines a bounded number of places. */
    @Test
    void aSearchForTheFirstRequestGoesOnWithTheNextAsking() {
        long token = a.acquire(LOCK, "a:-1").token();
        redis.command("HSET", KEY, "head", "1", "tail", "" + (LockBackend.PLACES_PER_STEP + 10));
        assertThat(b.acquire(LOCK, "b:1").verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(field("head")).as("holes").isEqualTo(1 + LockBackend.PLACES_PER_STEP);
        assertThat(b.acquire(LOCK, "b:1").verdict()).isEqualTo(Verdict.QUEUED);
        isRecalled(a, "a:-1", token);
    }

    /** Each message of a grant is on another channel than the recall. */
    @Test
    void aGrantIsFollowedByARecallIfOthersWait() {
        long first = b.acquire(LOCK, "b:1").token();
        a.acquire(LOCK, "a:-1");
        b.acquire(LOCK, "b:2");
        b.release(LOCK, "b:1", first);
        long token = a.nextGrant().token();
        isRecalled(a, "a:-1", token);
        a.withdraw(LOCK, "a:-1", token);
        assertThat(b.nextGrant().request()).isEqualTo("b:2");
    }

    @Test
    void aGrantToTheLastRequestIsNot() {
        long first = b.acquire(LOCK, "b:1").token();
        a.acquire(LOCK, "a:-1");
        b.release(LOCK, "b:1", first);
        a.nextGrant();
    }

    @Test
    void anOwnerThatFindsTheLockFreeIsRecalledIfOthersWait() {
        b.acquire(LOCK, "b:1");
        a.acquire(LOCK, "a:-1");
        b.acquire(LOCK, "b:2");
        endLease();
        long token = a.acquire(LOCK, "a:-1").token();
        isRecalled(a, "a:-1", token);
        assertThat(a.acquire(LOCK, "a:-1").verdict()).as("a repetition").isEqualTo(Verdict.GRANTED);
        isRecalled(a, "a:-1", token);
    }

    @Test
    void aForcedReleaseThatGrantsTheLockRecallsIt() {
        b.acquire(LOCK, "b:1");
        a.acquire(LOCK, "a:-1");
        b.acquire(LOCK, "b:2");
        b.force(LOCK, 0);
        b.takings.clear();
        isRecalled(a, "a:-1", a.nextGrant().token());
    }

    @Test
    void aRenewalTellsThatOthersWait() {
        long token = a.acquire(LOCK, "a:-1").token();
        assertThat(renew(a, "a:-1", token)).isEqualTo(Renewal.OK);
        b.acquire(LOCK, "b:1");
        isRecalled(a, "a:-1", token);
        set("until", 1 + System.currentTimeMillis() + 1_000);
        assertThat(renew(a, "a:-1", token)).isEqualTo(Renewal.WANTED);
        assertThat(field("until")).isGreaterThan(System.currentTimeMillis() + Client.LEASE / 2);
    }

    @Test
    void aRenewalOfALockThatIsNotRetainedDoesNot() {
        long token = a.acquire(LOCK, "a:1").token();
        b.acquire(LOCK, "b:1");
        assertThat(renew(a, "a:1", token)).isEqualTo(Renewal.OK);
    }

    @Test
    void aRestoreTellsThatOthersWait() {
        long first = b.acquire(LOCK, "b:1").token();
        b.acquire(LOCK, "b:2");
        endLease();
        assertThat(a.restore(LOCK, "a:-1", first + BLOCK).outcome()).isEqualTo(Renewal.WANTED);
        assertThat(fields()).containsEntry("owner", "a:-1");
    }

    @Test
    void aRestoreOfALockThatNoOtherWaitsForDoesNot() {
        assertThat(a.restore(LOCK, "a:-1", 4_711).outcome()).isEqualTo(Renewal.OK);
    }

    @Test
    void aTryWaitsForARetainedLock() {
        long token = a.acquire(LOCK, "a:-1").token();
        Acquired answer = b.tryAcquire(LOCK, "b:1");
        assertThat(answer.verdict()).isEqualTo(Verdict.QUEUED);
        assertThat(answer.position()).isEqualTo(1);
        isRecalled(a, "a:-1", token);
        assertThat(b.tryAcquire(LOCK, "b:1").verdict()).as("a repetition").isEqualTo(Verdict.QUEUED);
        isRecalled(a, "a:-1", token);
        assertThat(b.tryAcquire(LOCK, "b:2").verdict()).as("another waits").isEqualTo(Verdict.REFUSED);
        assertThat(queue()).containsExactly("b:1");
    }

    /** A user may have no right to publish on the channels of others. Renewals tell them all the same. */
    @Test
    void aRecallThatMayNotBeSentIsNoFailure() {
        long token = a.acquire(LOCK, "a:-1").token();
        redis.command("ACL", "SETUSER", "mute", "reset", "on", ">p", "~*", "+@all", "resetchannels", "&*:m", "&*:m:*");
        Client mute = Client.open("m", redis.uri().replace("redis://", "redis://mute:p@"));
        try {
            assertThat(mute.tryAcquire(LOCK, "m:1").verdict()).isEqualTo(Verdict.QUEUED);
        } finally {
            mute.close();
        }
        assertThat(renew(a, "a:-1", token)).isEqualTo(Renewal.WANTED);
    }
}
