// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

/**
 * Tells a server for how long it has been up, and learns what other clients have told it. Clients measure this time
 * with their monotonic clocks, so no step of the server's clock makes it longer than it was.
 *
 * @param run the run of the server that the client has watched; another run keeps nothing of it
 * @param watchedMillis for how long that run is known to have been up, in milliseconds; 0 to ask only
 * @since 0.1.0
 */
public record Witness(String run, long watchedMillis) implements VoteCommand<Reply.Witnessed> {
    @Override
    public String toString() {
        return Printable.text("Witness[run=" + run + ", watchedMillis=" + watchedMillis + "]");
    }

    @Override
    public <T> T accept(VoteVisitor<T> visitor) {
        return visitor.witness(this);
    }
}
