package io.boltwork.spi;

/**
 * The message that a lock was taken away from a request by force. The request does not own the lock any more.
 *
 * @param lock the lock's name
 * @param request the request that owned it
 * @param token the first token of its hold
 * @param server when and where it was taken
 */
public record Taken(String lock, String request, long token, ServerTime server) {
    @Override
    public String toString() {
        return Printable.text(
                "Taken[lock=" + lock + ", request=" + request + ", token=" + token + ", server=" + server + "]");
    }
}
