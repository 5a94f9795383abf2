// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis;

/** A random sequence of commands that compares Redis with the rules in Java. */
interface DifferentialSequence {

    /** Executes the sequence. Throws an {@link AssertionError} at a difference. */
    void execute() throws Exception;

    /** Returns the part that differed. */
    String difference(Throwable failure);
}
