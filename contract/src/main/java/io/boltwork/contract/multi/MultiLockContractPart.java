// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.multi;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.FencedLock;
import io.boltwork.LockOptions;
import io.boltwork.MultiLock;
import io.boltwork.contract.LockSite;
import io.boltwork.contract.part.ContractPart;
import io.boltwork.testkit.wait.Await;

/** The members of the multi-lock under test, and checks of their state. */
abstract class MultiLockContractPart extends ContractPart {

    static final LockOptions SHORT = LockOptions.defaults().withRenewedLease(RENEWED);
    static final LockOptions ENDS = LockOptions.defaults().withFixedLease(FIXED);

    /** The names of the members in the order in which they are acquired. */
    final String first = name + ":1";

    final String second = name + ":2";
    final String third = name + ":3";

    MultiLockContractPart(LockSite site) {
        super(site);
    }

    /** Returns a lock of all members, given in the opposite order. */
    final MultiLock all(Party party) {
        return all(party, LockOptions.defaults());
    }

    /** Returns a lock of all members with some options, given in the opposite order. */
    final MultiLock all(Party party, LockOptions options) {
        return party.client()
                .multiLock(party.lock(third, options), party.lock(second, options), party.lock(first, options));
    }

    /** Returns whether another client could acquire each member now. */
    final void assertFree(String... members) {
        for (String member : members) {
            FencedLock lock = newLockNamed(member);
            Await.until(member + " is free", lock::tryLock);
            lock.unlock();
        }
    }

    final void assertTaken(String... members) {
        for (String member : members) {
            assertThat(newLockNamed(member).tryLock()).as(member).isFalse();
        }
    }

    final void awaitQueued(String member) {
        Await.until("a request for " + member, () -> inspect(member).queue().size() == 1);
    }
}
