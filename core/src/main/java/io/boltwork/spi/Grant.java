package io.boltwork.spi;

/**
 * The message that a lock was given to a request that waited for it.
 *
 * @param lock the lock's name
 * @param request the request that owns it now
 * @param token the first token of the hold's block
 * @param leaseMillis the lease it was given, from {@code server} on; short (a <em>claim</em>) until the owner renews it
 * @param server when it was given
 */
public record Grant(String lock, String request, long token, long leaseMillis, ServerTime server) {
    @Override
    public String toString() {
        return Printable.text("Grant[lock=" + lock + ", request=" + request + ", token=" + token + ", leaseMillis="
                + leaseMillis + ", server=" + server + "]");
    }
}
