package io.boltwork;

/**
 * The caller's hold had ended before the call: what it did since {@link LeaseLoss#when()}, or shortly before, was not
 * protected by the lock. Thrown by everything that unwinds a lost hold, once for each level, by a nested acquisition on
 * top of one, and by {@link Lease#ensureValid()}.
 */
public final class LeaseLostException extends LockException {
    private static final long serialVersionUID = 1L;

    private final transient LeaseLoss loss;

    LeaseLostException(LeaseLoss loss) {
        super(describe(loss), null);
        this.loss = loss;
    }

    /**
     * What was lost, when and why.
     *
     * @return the loss
     */
    public LeaseLoss loss() {
        return loss;
    }

    private static String describe(LeaseLoss loss) {
        String why = switch (loss.reason()) {
            case EXPIRED -> "its lease ran out before it was renewed or released";
            case TAKEN -> "the backend gave it to somebody else or it was released by force";
            case CLONED -> "this client's id was in use twice, as after the restoration of a snapshot";
            case MAX_HOLD -> "it was held for as long as its options allow (maxHold)";
            case CLOSED -> "its client was closed";
        };
        return "The lock '" + loss.lockName() + "' (fencing token " + loss.fencingToken() + ") was lost at "
                + loss.when() + ": " + why
                + ". Somebody else may hold it now; undo or re-check what was done under it, or let the resource check the token.";
    }
}
