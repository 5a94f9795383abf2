package io.boltwork.spi;

/**
 * The message that a server of a quorum may vote again, to a client whose {@link VoteCommand.Vote} it has refused.
 *
 * @param lock the name of the lock
 * @param server the server and the time at which the vote became free
 */
public record Freed(String lock, ServerTime server) {
    @Override
    public String toString() {
        return Printable.text("Freed[lock=" + lock + ", server=" + server + "]");
    }
}
