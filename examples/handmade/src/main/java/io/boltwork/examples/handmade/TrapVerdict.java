// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

/** The end of a trap. */
enum TrapVerdict {
    TWO_INSIDE("two inside"),
    HELD_FOR_EVER("held for ever"),
    HELD_TOO_LONG("held too long"),
    HELD_BY_NO_CLIENT("held, but no client is inside"),
    WAITS_FOR_EVER("free, but a client waits for ever"),
    STALLED("free, but a dead client stalls the others"),
    DONE_TWICE("the work is done twice"),
    THREADS_LEAK("threads that never end"),
    EXCEPTION("an exception under the lock"),

    /** Boltwork only: the fault does not happen. */
    PASSED("passed: it does not happen"),
    /** Boltwork only: the fault cannot be prevented, and the holder or the resource learns of it. */
    TOLD("told: the loss is reported"),

    /** The server did not behave as the trap expects. No trap ends like this. */
    NOT_SHOWN("the trap was not shown");

    private final String text;

    TrapVerdict(String text) {
        this.text = text;
    }

    /** Returns whether a hand-written lock has failed. */
    boolean isFault() {
        return this != PASSED && this != TOLD;
    }

    @Override
    public String toString() {
        return text;
    }
}
