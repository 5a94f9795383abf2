// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.drive;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** The lanes of a {@link SemaphorePool}: what each of them holds and wants. Not thread-safe: the pool guards it. */
public final class PermitLanes {

    /** The permits that a lane holds, and whether it wants a part. */
    private record Use(int held, boolean wants) {
        static final Use NONE = new Use(0, false);
        static final Use ASSIGNED = new Use(0, true);

        boolean isFree() {
            return held == 0 && !wants;
        }
    }

    private final Map<String, Use> uses = new HashMap<>();

    /** The lanes that are free, by their keys. A lane without a driver is made again when it is used. */
    private final Set<String> free = new LinkedHashSet<>();

    /** The lanes that were taken for a waiter and have not got it yet. */
    private final Set<String> taken = new HashSet<>();

    /** The lanes that did not have it when an error was last repaired, either. */
    private final Set<String> late = new HashSet<>();

    private long held;
    private int wanting;

    /** Returns how many permits all lanes hold. */
    public long held() {
        return held;
    }

    /** Returns how many lanes want a part, or will soon. */
    public int wanting() {
        return wanting + taken.size();
    }

    /** Returns whether a lane wants a part, or will soon. */
    public boolean wants(String lane) {
        return taken.contains(lane) || uses.getOrDefault(lane, Use.NONE).wants();
    }

    /** Returns the lanes that have been made. */
    List<String> made() {
        return new ArrayList<>(uses.keySet());
    }

    public boolean isUnused() {
        return uses.isEmpty() && taken.isEmpty();
    }

    /** Takes a lane for a waiter: one that is free, or a fresh one. */
    public String take(Supplier<String> fresh) {
        String lane = free.isEmpty() ? fresh.get() : free.iterator().next();
        free.remove(lane);
        taken.add(lane);
        return lane;
    }

    /** Marks a lane as assigned to the waiter that it was taken for. */
    public void assigned(String lane) {
        taken.remove(lane);
        set(lane, Use.ASSIGNED);
    }

    /** Adds a new lane. */
    public void joined(String lane) {
        uses.put(lane, Use.NONE);
    }

    /** Removes a lane that is no longer in use. */
    public void left(String lane) {
        set(lane, Use.NONE);
        uses.remove(lane);
        free.remove(lane);
    }

    /** Updates the parts that a lane holds and wants. Returns whether this is new. */
    public boolean settled(String lane, int permits, boolean wants) {
        Use before = uses.get(lane);
        Use use = new Use(permits, wants);
        if (before == null || before.equals(use)) {
            return false;
        }
        set(lane, use);
        if (use.isFree() && !taken.contains(lane)) {
            free.add(lane);
        } else {
            free.remove(lane);
        }
        return true;
    }

    private void set(String lane, Use use) {
        Use before = uses.put(lane, use);
        held += use.held() - (before == null ? 0 : before.held());
        wanting += (use.wants() ? 1 : 0) - (before != null && before.wants() ? 1 : 0);
    }

    /**
     * Mends what an error has left half done. A lane that has not got its waiter at two repairs, the command timeout
     * apart, will never get it.
     */
    public void mend() {
        taken.removeIf(late::contains);
        late.clear();
        late.addAll(taken);
        held = uses.values().stream().mapToLong(Use::held).sum();
        wanting = (int) uses.values().stream().filter(Use::wants).count();
        free.removeIf(lane ->
                taken.contains(lane) || !uses.getOrDefault(lane, Use.NONE).isFree());
    }
}
