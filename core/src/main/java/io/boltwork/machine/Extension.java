package io.boltwork.machine;

import io.boltwork.BackendException;

/** What became of the wish that a hold last longer. */
public sealed interface Extension {

    /** It does. */
    Extension DONE = Plain.DONE;

    /** The hold was lost. */
    Extension LOST = Plain.LOST;

    /** Not yet, but the hold is valid: the server has to be told of it again first. */
    Extension AGAIN = Plain.AGAIN;

    /** Those that say all by themselves. */
    enum Plain implements Extension {
        DONE,
        LOST,
        AGAIN
    }

    /** Unknown. */
    record Failed(BackendException cause) implements Extension {}
}
