package io.boltwork.spi;

/**
 * The message that a lock was granted to a waiting request.
 *
 * @param lock the name of the lock
 * @param request the request that owns it now
 * @param token the first token of the hold's block
 * @param leaseMillis the lease, counted from the time in {@code server}; short (a <em>claim</em>) until the owner
 *     renews it
 * @param server the server and the time of the grant
 */
public record Grant(String lock, String request, long token, long leaseMillis, ServerTime server) {
    @Override
    public String toString() {
        return Printable.text("Grant[lock=" + lock + ", request=" + request + ", token=" + token + ", leaseMillis="
                + leaseMillis + ", server=" + server + "]");
    }
}
