package io.boltwork.spi;

/**
 * The message that a lock was taken away from a request by force. The request no longer owns the lock.
 *
 * @param lock the name of the lock
 * @param request the request that owned it
 * @param token the first token of its hold
 * @param server the server and the time at which it was taken
 */
public record Taken(String lock, String request, long token, ServerTime server) {
    @Override
    public String toString() {
        return Printable.text(
                "Taken[lock=" + lock + ", request=" + request + ", token=" + token + ", server=" + server + "]");
    }
}
