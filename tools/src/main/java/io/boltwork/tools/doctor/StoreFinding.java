// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

import io.boltwork.spi.Printable;

/**
 * Something that is wrong with a store.
 *
 * @param severity how bad it is
 * @param topic the part of the store, such as {@code eviction}
 * @param server the address of the server, or of the store
 * @param problem what is wrong
 * @param meaning what this means for locks
 * @param remedy what to change: a command, or a setting
 */
record StoreFinding(Severity severity, String topic, String server, String problem, String meaning, String remedy) {
    @Override
    public String toString() {
        return Printable.text(
                severity + " " + topic + " at " + server + ": " + problem + "; " + meaning + "; " + remedy);
    }
}
