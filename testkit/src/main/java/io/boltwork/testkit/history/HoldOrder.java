// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import io.boltwork.testkit.history.HistoryChecker.Rule;
import io.boltwork.testkit.history.HistoryChecker.Violations;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Checks if the holds of one lock can all have been granted, each when its tokens and its share allow it. For one use
 * by one thread.
 *
 * <p>A grant lies between the invocation and the answer of its acquisition. A hold lasts from its grant to its last
 * confirmation, or for no time if it was never confirmed after its grant. Two rules restrict the grants:
 *
 * <ol>
 *   <li><b>Tokens.</b> If at least one of two holds takes all, that with the smaller token has ended when the other one
 *       is granted.
 *   <li><b>Room.</b> The weights of the holds that leave room add up to the capacity at most, at any time.
 * </ol>
 *
 * <p>The first rule wants grants as early as possible, the second one as late as possible. Both can be checked one by
 * one, because they do not disturb each other. Let the first one allow some grants, and move the grants of the holds
 * that leave room to later times, one by one: each to its answer, or to the grant of the next hold in the order of
 * tokens that takes all, if that is earlier. The first rule still allows them. A hold whose grant moved to its answer
 * is as short as it can be. In the other case it must have ended at that next grant, so that it lasts for no time now.
 * So the least room that the holds can take is that of the times between their answers and their last confirmations,
 * whatever the first rule says.
 *
 * <p>A writer that goes on as a reader is two holds. The first one ends, and the second one begins, when its release is
 * invoked: no other reader can have been granted earlier, and each later time would leave less room.
 */
final class HoldOrder {
    private final List<RecordedHold> holds;
    private final Violations violations;

    /** The hold that ended last, among those with smaller tokens than the next one. */
    private @Nullable RecordedHold last;

    /** The newest hold that takes all. */
    private @Nullable RecordedHold all;

    /**
     * The hold that ended last, among that one and those before it, without holds that were found to be wrong there.
     */
    private @Nullable RecordedHold bound;

    HoldOrder(Collection<RecordedHold> holds, Violations violations) {
        this.holds = List.copyOf(holds);
        this.violations = violations;
    }

    void check() {
        RecordedHold capacity = holds.get(0);
        for (RecordedHold hold : holds) {
            if (hold.share().capacity() != capacity.share().capacity()) {
                violations.add(Rule.FORM, "two capacities", capacity.acquired(), hold.acquired());
                return;
            }
        }
        tokens();
        room(capacity.share().capacity());
    }

    // ================================================================ tokens

    /** Grants each hold as early as possible, in the order of tokens. */
    private void tokens() {
        List<RecordedHold> inOrder = new ArrayList<>(holds);
        inOrder.sort(Comparator.comparingLong(RecordedHold::token)); // stable: a reader stays behind its own writer
        RecordedHold before = null;
        for (RecordedHold hold : inOrder) {
            if (before != null && before.token() == hold.token() && !hold.continues()) {
                add(Rule.TOKENS, "two holds have the same token", before, hold);
            } else if (hold.share().takesAll()) {
                takesAll(hold);
            } else {
                leavesRoom(hold);
            }
            last = later(last, hold);
            before = hold;
        }
    }

    private void takesAll(RecordedHold hold) {
        RecordedHold earlier = last;
        if (earlier != null && earlier.until() > hold.from()) {
            contradict(earlier, hold);
            bound = later(bound, hold);
        } else {
            bound = later(earlier, hold);
        }
        all = hold;
    }

    private void leavesRoom(RecordedHold hold) {
        RecordedHold earlier = bound;
        if (earlier == null || all == null || earlier.until() <= hold.from()) {
            return;
        }
        if (earlier.share().takesAll()) {
            contradict(earlier, hold);
        } else if (areTogether(earlier, hold)) {
            add(Rule.EXCLUSION, "a hold that takes all was granted while another one lasted", earlier, all, hold);
        } else {
            add(Rule.TOKENS, "a hold that takes all has the smaller token", hold, all, earlier);
        }
    }

    private void contradict(RecordedHold earlier, RecordedHold hold) {
        if (areTogether(earlier, hold)) {
            add(Rule.EXCLUSION, "two owners hold the lock at the same time", earlier, hold);
        } else {
            add(Rule.TOKENS, "the later hold has the smaller token", hold, earlier);
        }
    }

    private static boolean areTogether(RecordedHold earlier, RecordedHold hold) {
        return earlier.from() <= Math.max(hold.from(), hold.until()) && earlier.until() >= hold.from();
    }

    private static RecordedHold later(@Nullable RecordedHold one, RecordedHold other) {
        return one == null || other.until() > one.until() ? other : one;
    }

    // ================================================================ room

    /** Grants each hold that leaves room as late as possible, in the order of time. */
    private void room(int capacity) {
        List<RecordedHold> inOrder = new ArrayList<>(holds);
        inOrder.removeIf(hold -> hold.share().takesAll() || hold.until() <= hold.from());
        inOrder.sort(Comparator.comparingLong(RecordedHold::from));
        PriorityQueue<RecordedHold> present = new PriorityQueue<>(Comparator.comparingLong(RecordedHold::until));
        long used = 0;
        for (RecordedHold hold : inOrder) {
            for (RecordedHold first = present.peek(); first != null && first.until() <= hold.from(); ) {
                used -= first.share().weight();
                present.remove();
                first = present.peek();
            }
            present.add(hold);
            used += hold.share().weight();
            if (used > capacity) {
                used -= tooMuch(used, capacity, present);
            }
        }
    }

    /**
     * Reports holds that take too much, and leaves those that last longest out, so that they are not reported again.
     * Returns their weight.
     */
    private long tooMuch(long used, int capacity, PriorityQueue<RecordedHold> present) {
        List<RecordedHold> together = new ArrayList<>(present);
        together.sort(Comparator.comparingLong(RecordedHold::from));
        String text = String.format(Locale.ROOT, "%d of %d are held at the same time", used, capacity);
        add(Rule.EXCLUSION, text, together.toArray(RecordedHold[]::new));
        together.sort(Comparator.comparingLong(RecordedHold::until));
        long removed = 0;
        while (used - removed > capacity) {
            RecordedHold longest = together.remove(together.size() - 1);
            removed += longest.share().weight();
            present.remove(longest);
        }
        return removed;
    }

    private void add(Rule rule, String text, RecordedHold... shown) {
        violations.add(rule, text, RecordedHold.events(List.of(shown)));
    }
}
