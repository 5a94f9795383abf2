// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

import io.boltwork.spi.Command;
import io.boltwork.spi.ForceRelease;
import io.boltwork.spi.LockBackend;
import io.boltwork.spi.QueryReply.Inspected;
import io.boltwork.spi.Reply;
import io.boltwork.spi.Reply.Acquired;
import java.util.List;

/** Describes a command, the lock that it found and its outcome in the words that are counted. */
final class DifferentialSituation {
    private DifferentialSituation() {}

    /** Describes a command on one lock whose state was {@code before}. */
    static String of(Command<?> command, Inspected before, Reply reply) {
        if (command instanceof Command.Acquire acquire) {
            Acquired answer = (Acquired) reply;
            return (acquire.queue() ? "acquire " : "try ") + find(before, acquire.request(), now(reply)) + ": "
                    + answer.verdict() + (answer.known() ? " known" : "");
        } else if (command instanceof Command.Release release) {
            Reply.Released answer = (Reply.Released) reply;
            String next = "";
            if (answer.next() != null) {
                next = ", next " + place(before, release.next().request()) + " "
                        + answer.next().verdict() + (answer.next().known() ? " known" : "");
            }
            return "release " + (release.keepMillis() > 0 ? "keeping " : "")
                    + owner(before, release.request(), now(reply)) + queued(before) + ": " + answer.outcome() + next
                    + after(answer.owner(), answer.claimMillis());
        } else if (command instanceof Command.Withdraw withdraw) {
            Reply.Withdrawn answer = (Reply.Withdrawn) reply;
            String which = withdraw.request() == null
                    ? "nudge " + owner(before, "", now(reply)) + queued(before)
                    : "withdraw " + find(before, withdraw.request(), now(reply));
            return which + ": " + (answer.known() ? "known" : "unknown") + after(answer.owner(), answer.claimMillis());
        } else if (command instanceof Command.Restore restore) {
            Reply.Restored answer = (Reply.Restored) reply;
            return "restore " + find(before, restore.request(), now(reply)) + ": " + answer.outcome();
        } else if (command instanceof ForceRelease force) {
            Reply.Forced answer = (Reply.Forced) reply;
            String which = force.expectedToken() == 0 ? "any" : token(force.expectedToken(), before);
            return "force " + which + " " + owner(before, "", now(reply)) + queued(before) + ": "
                    + (answer.released() ? "taken" : "not taken") + after(answer.owner(), answer.claimMillis());
        }
        throw new IllegalArgumentException(command.toString());
    }

    /** Describes one item of a renewal. */
    static String of(Command.Renew.Item item, Inspected before, Reply.Renewed.Item outcome, long now) {
        return "renew " + find(before, item.request(), now) + ": " + outcome.outcome();
    }

    private static long now(Reply reply) {
        return ((Reply.Answer) reply).server().millis();
    }

    private static String find(Inspected lock, String request, long now) {
        return owner(lock, request, now) + ", " + place(lock, request);
    }

    private static String owner(Inspected lock, String request, long now) {
        boolean over = lock.untilMillis() <= now;
        if (lock.owner() == null) {
            return lock.untilMillis() == 0 ? "free" : over ? "kept till now" : "kept";
        }
        String kind = (over ? "lapsed " : "") + (lock.claim() ? "claim" : "lease");
        return (lock.owner().equals(request) ? "own " : "another's ") + kind;
    }

    private static String place(Inspected lock, String request) {
        List<String> queue =
                lock.queue().stream().map(Inspected.Waiting::request).toList();
        return switch (queue.indexOf(request)) {
            case -1 -> queue.isEmpty() ? "none wait" : "others wait";
            case 0 -> "first";
            default -> "behind";
        };
    }

    private static String queued(Inspected lock) {
        return lock.queue().isEmpty() ? "" : ", some wait";
    }

    private static String after(String owner, long claimMillis) {
        return owner == null
                ? claimMillis > 0 ? ", then kept" : claimMillis < 0 ? ", then again" : ", then free"
                : claimMillis > 0 ? ", then claimed" : "";
    }

    private static String token(long token, Inspected lock) {
        if (lock.owner() == null) {
            return "some";
        }
        long place = token - lock.token();
        return place < 0 ? "older" : place < LockBackend.TOKENS_PER_HOLD ? "that" : "later";
    }
}
