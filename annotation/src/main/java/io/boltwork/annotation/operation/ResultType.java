// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

/** The way in which the result of a method comes. Frameworks add types for their publishers. */
public interface ResultType {

    /** The results that need no publisher. */
    enum Plain implements ResultType {
        /** The work has ended when the method returns. */
        ENDED,
        /** The returned object decides, because the declared type does not say it. */
        OPEN,
        /** A stage, whose work ends when it completes. */
        STAGE
    }
}
