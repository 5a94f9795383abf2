// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.latch;

import io.boltwork.LockException;
import io.boltwork.machine.request.Promise;
import io.boltwork.machine.request.Ticker;
import io.boltwork.spi.LatchCommand;
import io.boltwork.spi.Reply;
import org.jspecify.annotations.Nullable;

/** One local call that changes a latch. The latch's machine sends it until it is answered, and decides it, once. */
public final class LatchChange {

    /** The outcome of a change. */
    public sealed interface Result {}

    /** The server has answered. */
    public record Answered(Reply.Latched reply) implements Result {}

    /** The change has failed, or its outcome is unknown. */
    public record Failed(LockException cause) implements Result {}

    public final Promise<Result> outcome = new Promise<>();

    public final String id;

    /** The count to set; 0 to count down. */
    public final int count;

    /**
     * The time since which it was not answered, at most the command timeout before that was noticed;
     * {@link Ticker#NEVER} if an answer may still come. Belongs to the machine, like all fields below.
     */
    long unansweredSince = Ticker.NEVER;

    /** The time at which it was sent last; {@link Ticker#NEVER} if it must be sent. */
    long sentAt = Ticker.NEVER;

    /** The time to send it again after a failure; {@link Ticker#NEVER} if it is under way. */
    long dueAt = Ticker.NEVER;

    /** The server's time when it was sent first, in microseconds: generations that begin later are not meant. */
    public long latest = Long.MAX_VALUE;

    /** The command that was sent last. */
    @Nullable
    LatchCommand command;

    /** The not-after of that command, in milliseconds of the server's clock. */
    long notAfter;

    /**
     * The latest not-after of the commands before it, 0 if there are none. Until then they may still have an effect.
     */
    long earlierNotAfter;

    private LatchChange(String id, int count) {
        this.id = id;
        this.count = count;
    }

    /** Creates a setting of the count. */
    public static LatchChange set(String id, int count) {
        return new LatchChange(id, count);
    }

    /** Creates a counting down. */
    public static LatchChange countDown(String id) {
        return new LatchChange(id, 0);
    }
}
