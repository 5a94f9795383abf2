// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

import java.util.List;

/**
 * Several locks that are acquired together: all of them or none. Its members may be plain locks, read locks and write
 * locks.
 *
 * <!-- snippet: ClassExamples.java#MultiLock -->
 * <pre>{@code
 * FencedLock from = locks.lock("account:1");
 * FencedLock to = locks.lock("account:2");
 * try (Lease both = locks.multiLock(from, to).acquire()) {
 *     transfer.accept(both.of(from).fencingToken(), both.of(to).fencingToken());
 * }
 * }</pre>
 *
 * <p><b>No deadlock.</b> If all members are free, they are acquired at once. Otherwise they are acquired one after the
 * other, in an order that is the same in all JVMs: by kind, then by name. Two multi-locks therefore never wait for one
 * another, whatever the order of their arguments. A thread that already holds some members must hold the first ones in
 * that order. If not, acquiring the others could wait for ever, and throws {@link IllegalMonitorStateException}.
 *
 * <p><b>The lease.</b> All members are held, each with a fencing token of its own, or none. The {@link Lease} of a
 * multi-lock is valid while the leases of all members are, and is lost with the first of them. {@link Lease#remaining}
 * is the least of the members. {@link Lease#fencingToken} throws {@link UnsupportedOperationException}, because no
 * number orders the holds of several locks: use {@link Lease#of}.
 *
 * <p><b>Round trips.</b> If all members are free and on one server, acquiring them takes one round trip, and releasing
 * them another, whatever their number. {@link Lease#extend} and {@link #isLocked} take one for each member.
 *
 * <p>Otherwise everything that {@link FencedLock} says holds for each member, and for all of them together: time limits
 * and interrupts are for the whole call, and after any failure none is held. {@link #holdCount} is the least count of a
 * member. {@link #unlock} releases all members, and then throws {@link LeaseLostException} if one of them had been
 * lost. The {@link #name} joins those of the members. Listeners are told of each member. Two multi-locks are equal if
 * their members are. Thread-safe.
 *
 * @since 0.1.0
 */
public interface MultiLock extends FencedLock {

    /**
     * Returns the members.
     *
     * @return the members in the order in which they were given
     */
    List<FencedLock> members();

    @Override
    MultiLock withOptions(LockOptions options);

    @Override
    MultiLock ownedBy(LockOwner owner);
}
