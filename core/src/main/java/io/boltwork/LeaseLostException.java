// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

/**
 * Thrown if the caller's hold had ended before the call. The work done since {@link LeaseLoss#when()}, or since shortly
 * before, was not protected by the lock. Thrown once for each level by every call that unwinds a lost hold, and also by
 * a nested acquisition of a lost hold and by {@link Lease#ensureValid()}, {@link Lease#extend} and
 * {@link Lease#verify()}.
 *
 * @since 0.1.0
 */
public final class LeaseLostException extends LockException {
    private static final long serialVersionUID = 1L;

    private final transient LeaseLoss loss;

    /**
     * Creates the exception.
     *
     * @param loss the loss
     */
    public LeaseLostException(LeaseLoss loss) {
        super(describe(loss), null);
        this.loss = loss;
    }

    /**
     * Returns the loss: the lock, the time and the reason.
     *
     * @return the loss
     */
    public LeaseLoss loss() {
        return loss;
    }

    private static String describe(LeaseLoss loss) {
        String why = switch (loss.reason()) {
            case EXPIRED -> "its lease ran out before it was renewed or released";
            case TAKEN -> "another owner has held it since, or it was released by force";
            case CLONED -> "two clients had the same id, as after a JVM was restored from a snapshot";
            case MAX_HOLD -> "it was held for as long as its options allow (maxHold)";
            case NOT_REGAINED -> "its holder waited for a condition and could not get it back";
            case CLOSED -> "its client was closed";
        };
        return "The lock '" + loss.lockName() + "' (fencing token " + loss.fencingToken() + ") was lost at "
                + loss.when() + ": " + why
                + ". Another owner may hold it now; undo or check the work done under it,"
                + " or let the resource check the token.";
    }
}
