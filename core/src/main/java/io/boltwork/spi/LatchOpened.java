// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * The message that the count of a latch has become zero.
 *
 * @param latch the name of the latch
 * @param generation the generation that has ended
 * @param server the server and the time at which it ended
 * @since 0.1.0
 */
public record LatchOpened(String latch, long generation, ServerTime server) {
    @Override
    public String toString() {
        return Printable.text("LatchOpened[latch=" + latch + ", generation=" + generation + ", server=" + server + "]");
    }
}
