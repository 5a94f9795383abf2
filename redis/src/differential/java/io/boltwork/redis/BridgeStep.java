// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import static io.boltwork.redis.BridgeState.NEVER;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Command.Acquire;
import io.boltwork.spi.Command.Release;
import io.boltwork.spi.Command.Withdraw;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import io.boltwork.spi.Reply.Forced;
import io.boltwork.spi.Reply.Released;
import io.boltwork.spi.Reply.Verdict;
import io.boltwork.spi.Reply.Withdrawn;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One command about a bridged lock, and what has to be true of its answer, its messages and the keys afterwards. These
 * rules do not know the next request in the queue, only what the bridge does with it.
 */
final class BridgeStep {
    private static final String KEPT = "-";
    private static final long TURNS = 4;
    private static final long TURNS_MILLIS = 20;
    private static final long LEFT_MILLIS = 5;
    private static final long POLL_MILLIS = 1_000;
    private static final long DAY = 24 * 3_600_000L;

    private final Command<?> command;
    private final long now;
    private final BridgeState before;
    private final BridgeState after;
    private final Reply reply;
    private final List<String> told;
    private final boolean isHeard;

    private final String recorded;
    private final String holder;

    /** True if Redisson holds the lock. */
    private final boolean theirs;

    /** The owner that both keys name, or an empty text. */
    private final String owner;

    private final List<String> expected = new ArrayList<>();
    private long turns;
    private long since;
    private long left;
    private long closedUntil;
    private boolean isWoken;

    /**
     * Creates a step.
     *
     * @param before the keys at the time of the command
     * @param told its messages: those on Redisson's channel, and {@code grant <request>} and {@code taken <request>}
     * @param isHeard whether a client listens on Redisson's channel
     */
    BridgeStep(
            Command<?> command,
            long now,
            BridgeState before,
            BridgeState after,
            Reply reply,
            List<String> told,
            boolean isHeard) {
        this.command = command;
        this.now = now;
        this.before = before;
        this.after = after;
        this.reply = reply;
        this.told = told;
        this.isHeard = isHeard;
        this.recorded = before.owner();
        this.holder = before.holder();
        this.theirs = !holder.isEmpty() && !holder.equals(recorded);
        boolean lives = !recorded.isEmpty() && now < before.number("until");
        this.owner = lives && holder.equals(recorded) ? recorded : "";
        if (lives && owner.isEmpty() && !recorded.equals(KEPT)) {
            expected.add("taken " + recorded);
        }
        List<Long> chances = theirs ? List.of(0L, now, 0L) : before.chances(now);
        turns = chances.get(0);
        since = chances.get(1);
        left = chances.get(2);
        closedUntil = theirs ? now + rest() : left;
    }

    private long rest() {
        return before.hashEnd() == NEVER ? POLL_MILLIS : Math.min(Math.max(before.hashEnd() - now, 1), DAY);
    }

    /** Checks everything. Throws an {@link AssertionError} if something is wrong. */
    void check() {
        if (command instanceof Acquire acquire && now > acquire.notAfter()) {
            assertThat(((Acquired) reply).verdict()).isEqualTo(Verdict.STALE);
            changesNothing();
            return;
        }
        boolean isTakenWithout = !before.lock().containsKey("bridge")
                && (before.hasQueue() || !recorded.isEmpty() && now < before.number("until"));
        boolean isUnfair = command instanceof Acquire && before.isFair();
        if (isUnfair || before.isOfAnotherKind() || isTakenWithout) {
            isRefused("UNBRIDGED");
            return;
        }
        assertThat(reply).isNotInstanceOf(Reply.Failed.class);
        leaveToRedisson();
        checkOwner();
        checkHash();
        checkCounter();
        checkReply();
        checkMessages();
        if (after.owner().isEmpty() && !isClosed()) {
            assertThat(after.hasQueue()).as("a request waits for a free lock").isFalse();
        }
    }

    /** Checks that a command was refused with an error, and changed nothing. */
    void isRefused(String code) {
        assertThat(reply).isInstanceOf(Reply.Failed.class);
        assertThat(((Reply.Failed) reply).executed()).isFalse();
        assertThat(((Reply.Failed) reply).cause()).hasMessageContaining(code);
        changesNothing();
    }

    private void changesNothing() {
        assertThat(after).isEqualTo(before);
        assertThat(told).isEmpty();
    }

    /** Returns whether the lock is closed because Redisson holds it or may take it. */
    private boolean isClosed() {
        return closedUntil > now && (owner.isEmpty() || isEnded());
    }

    /** Returns whether the command ends the hold of the owner, or opens a closed lock. */
    private boolean isEnded() {
        return command instanceof Release release && owner.equals(release.request())
                || command instanceof Withdraw withdraw && owner.equals(withdraw.request()) && !owner.isEmpty()
                || isForced();
    }

    private boolean isForced() {
        return command instanceof ForceRelease force
                && (force.expectedToken() == 0
                        || !owner.isEmpty()
                                && !owner.equals(KEPT)
                                && force.expectedToken() >= before.number("token")
                                && force.expectedToken() <= before.number("token") + 999);
    }

    private void leaveToRedisson() {
        boolean wasClosed = isClosed() && !isEnded();
        if (isForced() && closedUntil > now && owner.isEmpty()) {
            closedUntil = 0;
        } else if (!owner.isEmpty()) {
            closedUntil = 0;
        }
        if (command instanceof Release release
                && (owner.isEmpty() ? !wasClosed : isEnded() && release.keepMillis() == 0)
                && (turns >= TURNS || now - since >= TURNS_MILLIS)) {
            turns = 0;
            since = now;
            isWoken = true;
            left = isHeard ? now + LEFT_MILLIS : left;
            closedUntil = isHeard ? left : 0;
            expected.add("0");
        }
    }

    private void checkOwner() {
        String next = after.owner();
        if (isClosed()) {
            assertThat(next).as("a closed lock has no owner").isEmpty();
        }
        if (!owner.isEmpty() && !isEnded()) {
            assertThat(next).as("the owner stays").isEqualTo(owner);
        }
        if (command instanceof Release release && isEnded() && release.keepMillis() > 0) {
            assertThat(next).as("the lock is kept").isEqualTo(KEPT);
            assertThat(after.number("until")).isEqualTo(now + release.keepMillis());
        }
        if (!next.isEmpty() && !next.equals(holder)) {
            turns++;
        }
        if (!next.isEmpty() || after.hasQueue() || !before.lock().isEmpty()) {
            assertThat(after.lock()).as("the record").isNotEmpty();
        }
        if (!after.lock().isEmpty()) {
            if (after.number("fence") > 0 || before.counted() > 0 || after.hasQueue()) {
                assertThat(after.lock()).as("the record").containsEntry("bridge", turns + " " + since + " " + left);
            } else { // no token was issued since both keys were lost, so there is nothing to remember
                assertThat(after.lock()).as("the record").containsKey("bridge");
            }
            assertThat(after.lockEnd()).as("the life of the record").isPositive();
        }
        if (!next.isEmpty() && !next.equals(owner) && !next.equals(KEPT)) {
            assertThat(after.number("token")).as("the token").isGreaterThan(highestBefore());
        }
    }

    /**
     * Returns the highest token that may have been used. A release gives the rest of its block back, if Redisson has
     * not counted on.
     */
    private long highestBefore() {
        long fence = Math.max(before.number("fence"), before.counted());
        boolean isRestFree = command instanceof Release && isEnded() && fence == before.number("token") + 999;
        return isRestFree ? ((Release) command).lastToken() : fence;
    }

    private void checkHash() {
        String next = after.owner();
        if (!next.isEmpty()) {
            assertThat(after.hash()).as("Redisson's hash").isEqualTo(Map.of(next, "1"));
            assertThat(after.hashEnd()).as("the end of Redisson's hash").isEqualTo(after.number("until"));
            assertThat(after.hashEnd()).isGreaterThan(now);
        } else if (theirs && isClosed()) {
            assertThat(after.hash()).as("the hash of a holder of Redisson").isEqualTo(before.hash());
            assertThat(after.hashEnd()).isEqualTo(before.hashEnd());
        } else {
            assertThat(after.hash()).as("Redisson's hash").isEmpty();
        }
    }

    private void checkCounter() {
        if (after.number("fence") > before.counted()) {
            assertThat(after.counter()).as("the counter").isEqualTo(after.lock().get("fence"));
            assertThat(after.counterEnd()).isEqualTo(before.counterEnd() == NEVER ? NEVER : now + DAY);
        } else {
            assertThat(after.counter()).as("the counter").isEqualTo(before.counter());
            assertThat(after.counterEnd()).isEqualTo(before.counterEnd());
        }
    }

    private void checkReply() {
        if (reply instanceof Acquired acquired) {
            checkAsked((Acquire) command, acquired);
        } else if (reply instanceof Released released) {
            Release release = (Release) command;
            assertThat(released.outcome())
                    .isEqualTo(
                            !owner.isEmpty() && owner.equals(release.request())
                                    ? Reply.Release.RELEASED
                                    : Reply.Release.NOT_HELD);
            assertThat(released.claimMillis()).isEqualTo(claimMillis());
            assertThat(released.owner()).isEqualTo(realOwner());
            if (release.next() != null && released.next() != null) {
                checkAsked(release.next(), released.next());
            }
        } else if (reply instanceof Withdrawn withdrawn) {
            assertThat(withdrawn.claimMillis()).isEqualTo(claimMillis());
            assertThat(withdrawn.owner()).isEqualTo(realOwner());
        } else {
            Forced forced = (Forced) reply;
            boolean held = !owner.isEmpty() || theirs || before.chances(now).get(2) > now;
            assertThat(forced.released()).as("taken").isEqualTo(isForced() && held);
            String taken = isForced() && !owner.isEmpty() && !owner.equals(KEPT) ? owner : null;
            assertThat(forced.taken()).isEqualTo(taken);
            if (taken != null) {
                expected.add("taken " + taken);
            }
            assertThat(forced.claimMillis()).isEqualTo(claimMillis());
        }
    }

    private void checkAsked(Acquire acquire, Acquired acquired) {
        if (acquired.verdict() == Verdict.STALE) {
            assertThat(now).isGreaterThan(acquire.notAfter());
            return;
        }
        assertThat(acquired.owner()).as("the owner in the answer").isEqualTo(realOwner());
        boolean granted = acquire.request().equals(after.owner());
        if (acquired.verdict() == Verdict.WAITING) {
            assertThat(acquire.condition()).isNotNull();
            return;
        }
        assertThat(acquired.verdict())
                .isEqualTo(granted ? Verdict.GRANTED : acquire.queue() ? Verdict.QUEUED : Verdict.REFUSED);
        if (granted) {
            assertThat(acquired.token()).isEqualTo(after.number("token"));
        } else {
            assertThat(acquired.remainingMillis())
                    .as("the time to wait")
                    .isEqualTo((isClosed() ? closedUntil : after.number("until")) - now);
        }
        boolean isFree =
                (owner.isEmpty() || isEnded()) && !isClosed() && !after.owner().equals(KEPT);
        if (isFree && !before.hasQueue() && recorded.equals(owner)) {
            assertThat(granted).as("granted").isTrue();
        }
    }

    private @Nullable String realOwner() {
        return after.owner().isEmpty() || after.owner().equals(KEPT) ? null : after.owner();
    }

    private long claimMillis() {
        if (after.owner().isEmpty()) {
            return isClosed() ? closedUntil - now : 0;
        }
        boolean ends = after.owner().equals(KEPT)
                || !after.lock().getOrDefault("claim", "").isEmpty();
        return ends ? after.number("until") - now : 0;
    }

    private void checkMessages() {
        String next = after.owner();
        boolean isAnswered = reply instanceof Acquired asked && asked.verdict() == Verdict.GRANTED
                || reply instanceof Released released
                        && released.next() != null
                        && released.next().verdict() == Verdict.GRANTED;
        if (!next.isEmpty() && !next.equals(KEPT) && !next.equals(owner) && !isAnswered) {
            expected.add("grant " + next);
        }
        if (next.isEmpty() && !isWoken && (!recorded.isEmpty() || theirs && !isClosed())) {
            expected.add("0");
        }
        if (!isHeard) {
            expected.removeIf("0"::equals);
        }
        expected.sort(Comparator.naturalOrder());
        assertThat(told.stream().sorted()).as("the messages").isEqualTo(expected);
        assertThat(Objects.requireNonNull(after.hash())).hasSizeLessThan(2);
    }
}
