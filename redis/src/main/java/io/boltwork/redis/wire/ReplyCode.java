// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.boltwork.spi.Reply.LatchOutcome;
import io.boltwork.spi.Reply.Release;
import io.boltwork.spi.Reply.Renewal;
import io.boltwork.spi.Reply.Verdict;

/** All codes that the scripts return. The header of each script lists the codes that it uses. */
public enum ReplyCode {
    GRANTED(1),
    QUEUED(2),
    REFUSED(3),
    STALE(4),
    RELEASED(5),
    FORGOTTEN(6),
    NOT_HELD(7),
    OK(8),
    LOST(9),
    BROKEN(10),
    WITHDRAWN(11),
    UNKNOWN(12),
    TAKEN(13),
    NOT_TAKEN(14),
    AGAIN(15),
    TOO_LARGE(16),
    DONE(17),
    OPEN(18),
    CLOSED(19),
    WAITING(20),
    WANTED(21);

    private static final ReplyCode[] BY_NUMBER = new ReplyCode[values().length + 1];

    static {
        for (ReplyCode code : values()) {
            BY_NUMBER[code.number] = code;
        }
    }

    public final int number;

    ReplyCode(int number) {
        this.number = number;
    }

    public static ReplyCode of(long number) {
        if (number < 1 || number >= BY_NUMBER.length) {
            throw new IllegalStateException("Unknown code " + number);
        }
        return BY_NUMBER[(int) number];
    }

    public Verdict verdict() {
        return switch (this) {
            case GRANTED -> Verdict.GRANTED;
            case QUEUED -> Verdict.QUEUED;
            case REFUSED -> Verdict.REFUSED;
            case STALE -> Verdict.STALE;
            case AGAIN -> Verdict.AGAIN;
            case TOO_LARGE -> Verdict.TOO_LARGE;
            case WAITING -> Verdict.WAITING;
            default -> throw unexpected();
        };
    }

    /** Returns the verdict on a request for a vote, which is never queued. */
    public Verdict vote() {
        return switch (this) {
            case GRANTED, REFUSED, STALE -> verdict();
            default -> throw unexpected();
        };
    }

    public Release release() {
        return switch (this) {
            case RELEASED -> Release.RELEASED;
            case FORGOTTEN -> Release.FORGOTTEN;
            case NOT_HELD -> Release.NOT_HELD;
            default -> throw unexpected();
        };
    }

    public Renewal renewal() {
        return switch (this) {
            case OK -> Renewal.OK;
            case WANTED -> Renewal.WANTED;
            case FORGOTTEN -> Renewal.FORGOTTEN;
            case LOST -> Renewal.LOST;
            case STALE -> Renewal.STALE;
            case BROKEN -> Renewal.BROKEN;
            default -> throw unexpected();
        };
    }

    public LatchOutcome latch() {
        return switch (this) {
            case DONE -> LatchOutcome.DONE;
            case REFUSED -> LatchOutcome.REFUSED;
            case OPEN -> LatchOutcome.OPEN;
            case CLOSED -> LatchOutcome.CLOSED;
            case UNKNOWN -> LatchOutcome.UNKNOWN;
            case STALE -> LatchOutcome.STALE;
            default -> throw unexpected();
        };
    }

    /** Returns whether a vote stands. */
    public boolean stands() {
        return switch (this) {
            case OK -> true;
            case LOST -> false;
            default -> throw unexpected();
        };
    }

    /** Returns whether a withdrawal found its request. */
    public boolean known() {
        return switch (this) {
            case WITHDRAWN -> true;
            case UNKNOWN -> false;
            default -> throw unexpected();
        };
    }

    /** Returns whether a lock was taken from its owner. */
    public boolean taken() {
        return switch (this) {
            case TAKEN -> true;
            case NOT_TAKEN -> false;
            default -> throw unexpected();
        };
    }

    private IllegalStateException unexpected() {
        return new IllegalStateException("Unexpected code " + number + " " + this);
    }
}
