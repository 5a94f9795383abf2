// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.handmade;

/**
 * One step of a trap.
 *
 * @param number its place in the order of the steps, from 1
 * @param side the column of the client or server that acts
 * @param text the action and its result
 * @param state what the server had under the key after the step
 */
record TrapStep(int number, Side side, String text, String state) {
    /** A column of the picture. */
    enum Side {
        CLIENT_A,
        SERVER,
        CLIENT_B
    }
}
