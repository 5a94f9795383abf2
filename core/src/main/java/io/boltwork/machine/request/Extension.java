// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

import io.boltwork.BackendException;

/** The outcome of an extension or of a verification. */
public sealed interface Extension {

    /** The hold lasts as long as requested, or was verified. */
    Extension DONE = Plain.DONE;

    /** The hold was lost. */
    Extension LOST = Plain.LOST;

    /** The hold is valid, but the server must restore or verify it before it can be extended. */
    Extension AGAIN = Plain.AGAIN;

    /** The outcomes that need no data. */
    enum Plain implements Extension {
        DONE,
        LOST,
        AGAIN
    }

    /** It is unknown whether the hold was extended. */
    record Failed(BackendException cause) implements Extension {}
}
