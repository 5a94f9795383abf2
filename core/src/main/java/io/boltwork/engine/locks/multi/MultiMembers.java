// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.locks.multi;

import io.boltwork.FencedLock;
import io.boltwork.engine.Engine;
import io.boltwork.engine.locks.EngineLock;
import io.boltwork.machine.request.Hold;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.Printable;
import io.boltwork.spi.Query;
import io.boltwork.spi.QueryReply;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The members of a multi-lock, and the order in which they are acquired. Immutable. */
final class MultiMembers {

    /** The longest pause before a group of members is requested again, 10 ms: a few round trips. */
    private static final long LONGEST_PAUSE = 10_000_000;

    /** The order of the members, the same in all JVMs. Locks that are equal in it form a group. */
    private static final Comparator<EngineLock> ORDER = Comparator.comparing(EngineLock::kind)
            .thenComparing(EngineLock::name)
            .thenComparing(lock -> lock.engine.core.backend.namespace());

    private final List<FencedLock> given;

    /** The members in the global order. An array, because reading it needs no call, not even after an error. */
    final EngineLock[] all;

    private final int[] groups;

    /** The backends of the members, each once. */
    private final Set<LockBackend> backends = new LinkedHashSet<>();

    private MultiMembers(List<FencedLock> given) {
        this.given = List.copyOf(given);
        this.all = given.stream().map(EngineLock.class::cast).sorted(ORDER).toArray(EngineLock[]::new);
        this.groups = new int[all.length];
        for (int i = 0; i < all.length; i++) {
            groups[i] = i == 0 ? 0 : groups[i - 1] + (ORDER.compare(all[i - 1], all[i]) == 0 ? 0 : 1);
            backends.add(all[i].engine.core.backend);
        }
    }

    // ================================================================ checks

    /** Checks locks that are to be acquired together. */
    static MultiMembers of(List<FencedLock> members) {
        check(members);
        return new MultiMembers(members);
    }

    private static void check(List<FencedLock> members) {
        if (members.isEmpty()) {
            throw new IllegalArgumentException("members must not be empty: give the locks to acquire together");
        }
        for (FencedLock member : members) {
            if (!(member instanceof EngineLock)) {
                throw new IllegalArgumentException(
                        Printable.text("members must be locks that a LockClient has made, but one is " + member));
            }
        }
        for (int i = 0; i < members.size(); i++) {
            for (int j = 0; j < i; j++) {
                checkPair((EngineLock) members.get(j), (EngineLock) members.get(i));
            }
        }
    }

    private static void checkPair(EngineLock one, EngineLock other) {
        if (one.engine == other.engine
                && one.kind() == other.kind()
                && one.name().equals(other.name())) {
            if (one.isSameLock(other)) {
                throw new IllegalArgumentException(
                        Printable.text("members must be different locks, but '" + one.name() + "' is given twice"));
            }
            throw new IllegalArgumentException(Printable.text("members must not contain both sides of the read-write"
                    + " lock '" + one.name() + "': its write lock excludes its readers. Give the write lock alone"));
        }
    }

    /** Throws an exception unless all members are locks of that client. */
    void checkAllOf(Engine engine) {
        for (EngineLock member : all) {
            if (member.engine != engine) {
                throw new IllegalArgumentException(Printable.text("members must be locks of this client, but '"
                        + member.name() + "' is a lock of another one: use LockClient.multiLockOf(..)"));
            }
        }
    }

    /** Throws an exception if a member can only be held by a thread. */
    void checkAsync() {
        for (EngineLock member : all) {
            member.checkAsync();
        }
    }

    // ================================================================ the members

    /** The members in the order in which they were given. */
    List<FencedLock> given() {
        return given;
    }

    String name() {
        return given.stream().map(FencedLock::name).collect(Collectors.joining(" + "));
    }

    int size() {
        return all.length;
    }

    /** Returns a member, by its place in the global order. */
    EngineLock member(int i) {
        return all[i];
    }

    /** Returns the place of a member in the global order, whoever owns it; -1 if it is none. */
    int indexOf(FencedLock member) {
        int i = all.length - 1;
        while (i >= 0 && !(member instanceof EngineLock lock && all[i].isSameLock(lock))) {
            i--;
        }
        return i;
    }

    /** Returns the owners of what is acquired now, on this thread. */
    Object[] owners() {
        return Arrays.stream(all).map(EngineLock::self).toArray();
    }

    /** Returns the owners that are not threads; {@code null} for members without one. */
    @Nullable
    Object[] namedOwners() {
        return Arrays.stream(all).map(member -> member.ownerRef).toArray();
    }

    boolean haveOwner() {
        return Arrays.stream(all).anyMatch(member -> member.ownerRef != null);
    }

    int[] groups() {
        return groups;
    }

    /** Runs an action, and sends the commands that it sends together, if the backends can. */
    void together(Runnable sends) {
        together(backends.iterator(), sends);
    }

    private static void together(Iterator<LockBackend> backends, Runnable sends) {
        if (backends.hasNext()) {
            backends.next().together(() -> together(backends, sends));
        } else {
            sends.run();
        }
    }

    /** Returns the engine of the first member, whose clock is that of a call. */
    Engine first() {
        return all[0].engine;
    }

    /** Returns a random pause, so that clients that gave way to each other do not do so again. */
    long randomPause() {
        return 1 + first().core.random.applyAsLong(LONGEST_PAUSE);
    }

    /**
     * Throws an exception if an owner that holds some members would have to wait for one that comes before them.
     *
     * @param own the holds of the owner, {@code null} for members that it does not hold
     */
    void checkOrder(List<@Nullable Hold> own) {
        int missing = own.indexOf(null);
        for (int i = 0; missing >= 0 && i < size(); i++) {
            if (own.get(i) != null && groups[i] >= groups[missing]) {
                throw new IllegalMonitorStateException(
                        Printable.text(all[i].ownerText() + " holds the lock '" + all[i].name()
                                + "' and wants '" + all[missing].name()
                                + "', which does not come after it in the order in which multi-locks acquire their"
                                + " members. It could wait for a thread that waits for it. Acquire all of them by one"
                                + " multi-lock, or in this order: " + Arrays.toString(all)));
            }
        }
    }

    /**
     * Throws an exception if two members are the same lock of one server, through two clients: one is held, and the
     * other was refused.
     *
     * @param tried the members that were tried
     * @param held the members that are held
     * @param holds supplies their holds
     */
    void checkNotTheSame(BitSet tried, BitSet held, IntFunction<Hold> holds) {
        for (int i : MultiPlan.each(tried)) {
            for (int j : MultiPlan.each(held)) {
                if (!held.get(i) && groups[i] == groups[j] && isHeldBy(member(i), holds.apply(j))) {
                    throw new IllegalArgumentException(Printable.text("members must be different locks, but two clients"
                            + " of one server have given '" + member(i).name() + "'"));
                }
            }
        }
    }

    private static boolean isHeldBy(EngineLock lock, Hold hold) {
        QueryReply.Inspected report =
                (QueryReply.Inspected) lock.engine.ask(new Query.Inspect(lock.name(), lock.kind()));
        return report.holders().stream().anyMatch(holder -> holder.request().equals(hold.request.id()));
    }

    void callBack(Runnable callback) {
        first().drivers.callBack(all[0].name(), callback);
    }

    /** Runs a callback after a time. */
    void callBackAfter(long nanos, Runnable callback) {
        first().core.scheduler.schedule(() -> callBack(callback), nanos);
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof MultiMembers that && Set.copyOf(given).equals(Set.copyOf(that.given));
    }

    @Override
    public int hashCode() {
        return Set.copyOf(given).hashCode();
    }
}
