// SPDX-License-Identifier: Apache-2.0
package io.boltwork.contract.multi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.FencedLock;
import io.boltwork.FencedReadWriteLock;
import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.MultiLock;
import io.boltwork.contract.LockSite;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The threads that own multi-locks: all members or none, nesting, and wrong use. */
abstract class MultiLockContractOwners extends MultiLockContractPart {

    MultiLockContractOwners(LockSite site) {
        super(site);
    }

    @Test
    void allMembersAreHeldUntilTheUnlock() {
        MultiLock all = all(party());
        all.lock();
        assertThat(all.isHeldByCurrentThread()).isTrue();
        assertThat(all.isLocked()).isTrue();
        assertThat(all.members()).allMatch(FencedLock::isHeldByCurrentThread);
        assertTaken(first, second, third);
        all.unlock();
        assertThat(all.isHeldByCurrentThread()).isFalse();
        assertThat(all.isLocked()).isFalse();
        assertThat(all.members()).noneMatch(FencedLock::isHeldByCurrentThread);
        assertFree(first, second, third);
    }

    @Test
    void aTryTakesNoneIfOneIsTaken() {
        MultiLock all = all(party());
        for (String taken : new String[] {first, second, third}) {
            FencedLock other = newLockNamed(taken);
            other.lock();
            assertThat(all.tryLock()).isFalse();
            assertThat(all.tryAcquire()).isEmpty();
            assertThat(all.members()).noneMatch(FencedLock::isHeldByCurrentThread);
            other.unlock();
            assertFree(first, second, third);
        }
        assertThat(all.tryLock()).isTrue();
        all.unlock();
    }

    @Test
    void freeMembersTakeOneRequestEach() {
        Party party = party();
        MultiLock all = all(party);
        all.lock();
        assertThat(party.backend().requests()).isEqualTo(3);
        all.unlock();
        assertThat(party.backend().requests()).isEqualTo(6);
    }

    @Test
    void itIsReentrantWithoutRequests() {
        Party party = party();
        MultiLock all = all(party);
        all.lock();
        long sent = party.backend().requests();
        all.lock();
        assertThat(all.tryLock()).isTrue();
        try (Lease lease = all.acquire()) {
            assertThat(all.holdCount()).isEqualTo(4);
            assertThat(lease.isValid()).isTrue();
        }
        all.unlock();
        all.unlock();
        assertThat(all.holdCount()).isEqualTo(1);
        assertThat(party.backend().requests()).isEqualTo(sent);
        all.unlock();
        assertThat(all.holdCount()).isZero();
        assertFree(first, second, third);
    }

    @Test
    void aMemberIsReentrantInsideAndOutside() {
        Party party = party();
        MultiLock all = all(party);
        FencedLock member = party.lock(first);
        member.lock();
        all.lock();
        assertThat(member.holdCount()).isEqualTo(2);
        assertThat(all.holdCount()).isEqualTo(1);
        member.unlock();
        assertTaken(first);
        all.unlock();
        assertFree(first, second, third);
    }

    @Test
    void readAndWriteLocksMayBeMembers() {
        Party party = party();
        LockClient locks = party.client();
        FencedReadWriteLock cache = locks.readWriteLock(name + ":cache");
        FencedReadWriteLock index = locks.readWriteLock(name + ":index");
        MultiLock all = locks.multiLock(index.writeLock(), cache.readLock(), locks.lock(first));
        FencedReadWriteLock otherCache = party().client().readWriteLock(name + ":cache");
        try (Lease lease = all.acquire()) {
            assertThat(lease.of(cache.readLock()).fencingToken()).isEqualTo(tokenOf(cache.readLock()));
            assertThat(otherCache.readLock().tryLock()).isTrue();
            otherCache.readLock().unlock();
            assertThat(otherCache.writeLock().tryLock()).isFalse();
            assertThat(party().client()
                            .readWriteLock(name + ":index")
                            .readLock()
                            .tryLock())
                    .isFalse();
        }
        assertThat(otherCache.writeLock().tryLock()).isTrue();
        otherCache.writeLock().unlock();
    }

    @Test
    void aThreadThatHoldsALaterMemberIsRefused() {
        Party party = party();
        MultiLock all = all(party);
        FencedLock later = party.lock(second);
        later.lock();
        assertThatThrownBy(all::lock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("'" + second + "'")
                .hasMessageContaining("'" + first + "'");
        assertThatThrownBy(() -> all.tryAcquire(Duration.ofSeconds(1)))
                .isInstanceOf(IllegalMonitorStateException.class);
        assertThat(later.holdCount()).isEqualTo(1);
        later.unlock();
        assertFree(first, second, third);
    }

    @Test
    void anUnlockWithoutALockIsRefused() {
        Party party = party();
        MultiLock all = all(party);
        assertThatThrownBy(all::unlock).isInstanceOf(IllegalMonitorStateException.class);
        party.lock(first).lock();
        assertThatThrownBy(all::unlock)
                .isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("'" + second + "'");
        assertThat(party.lock(first).holdCount()).isEqualTo(1);
        party.lock(first).unlock();
    }

    @Test
    void wrongMembersAreRefused() {
        LockClient locks = party().client();
        FencedLock lock = locks.lock(first);
        assertThatThrownBy(locks::multiLock).hasMessageStartingWith("members must not be empty");
        assertThatThrownBy(() -> locks.multiLock(lock, locks.lock(first)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + first + "' is given twice");
        FencedReadWriteLock both = locks.readWriteLock(second);
        assertThatThrownBy(() -> locks.multiLock(both.readLock(), both.writeLock()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("both sides of the read-write lock '" + second + "'");
        FencedLock other = party().lock(second);
        assertThatThrownBy(() -> locks.multiLock(lock, other))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("multiLockOf");
        assertThatThrownBy(() -> locks.multiLock(lock).newCondition())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void multiLocksAreEqualByTheirMembers() {
        LockClient locks = party().client();
        MultiLock one = locks.multiLock(locks.lock(first), locks.lock(second));
        MultiLock other = locks.multiLock(locks.lock(second), locks.lock(first));
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
        assertThat(one).isNotEqualTo(locks.multiLock(locks.lock(first)));
        assertThat(one.name()).isEqualTo(first + " + " + second);
        assertThat(one.withOptions(SHORT)).isEqualTo(one);
        MultiLock more = locks.multiLock(one, locks.lock(third));
        assertThat(Set.copyOf(more.members()))
                .containsExactlyInAnyOrder(locks.lock(first), locks.lock(second), locks.lock(third));
    }

    @Test
    void locksOfSeveralClientsAreHeldTogether() {
        FencedLock one = party().lock(first);
        FencedLock other = party().lock(second);
        MultiLock both = LockClient.multiLockOf(other, one);
        both.lock();
        assertTaken(first, second);
        both.unlock();
        assertFree(first, second);
    }

    @Test
    void theSameLockOfTwoClientsIsRefused() {
        MultiLock twice = LockClient.multiLockOf(party().lock(first), party().lock(first));
        assertThatThrownBy(twice::lock)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two clients of one server have given '" + first + "'");
        assertThat(failureOf(twice.acquireAsync()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two clients of one server");
        assertFree(first);
    }
}
