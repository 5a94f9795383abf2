// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.spi.Printable;

/**
 * A message and the client that it is for.
 *
 * @param client the id of the client
 * @param text a text of one line
 * @since 0.1.0
 */
public record AddressedMessage(String client, String text) {
    @Override
    public String toString() {
        return Printable.text("AddressedMessage[client=" + client + ", text=" + text + "]");
    }
}
