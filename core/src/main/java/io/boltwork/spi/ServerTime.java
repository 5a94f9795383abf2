// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * The clock of one run of one server, as read when it executed a command.
 *
 * @param millis milliseconds since the epoch, rounded down
 * @param run identifies the server and its run; times of different runs must not be subtracted from each other
 * @since 0.1.0
 */
public record ServerTime(long millis, String run) {
    @Override
    public String toString() {
        return Printable.text("ServerTime[millis=" + millis + ", run=" + run + "]");
    }
}
