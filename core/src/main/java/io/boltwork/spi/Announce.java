// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * Announces a client to all other clients, for a limited time.
 *
 * @param card the record of the client
 * @param lifeMillis how long the record is kept unless it is announced again; 0 to remove it at once
 * @param nonce identifies the announcing client: if the record at the backend has another nonce, another client has
 *     the same id
 * @since 0.1.0
 */
public record Announce(ClientRecord card, long lifeMillis, String nonce) implements Command<Reply.Announced> {
    @Override
    public String toString() {
        return Printable.text("Announce[card=" + card + ", lifeMillis=" + lifeMillis + ", nonce=" + nonce + "]");
    }

    @Override
    public <T> T accept(CommandVisitor<T> visitor) {
        return visitor.announce(this);
    }
}
