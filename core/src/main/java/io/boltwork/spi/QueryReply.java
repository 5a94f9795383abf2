// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link Query}.
 *
 * @since 0.1.0
 */
public sealed interface QueryReply extends Reply.Answer {

    /**
     * The answer to {@link Query.Inspect}: a lock as the server sees it, including leases that have run out.
     *
     * @param server the clock of the server
     * @param holders the holders, in no particular order; also those whose leases have run out, if no other request has
     *     come since
     * @param keptUntilMillis the server's time until which a released lock is kept closed, wholly or in part; 0 if it
     *     is not
     * @param fence no token larger than this has been issued
     * @param queue the waiting requests in their order
     * @param capacity the permits of all holders together at most; 1 for a plain lock, 0 if it is not known
     */
    record Inspected(
            ServerTime server,
            List<Holder> holders,
            long keptUntilMillis,
            long fence,
            List<Waiting> queue,
            int capacity)
            implements QueryReply {

        /**
         * Copies the lists.
         *
         * @param server the clock of the server
         * @param holders the holders
         * @param keptUntilMillis the time until which a released lock is kept closed
         * @param fence no token larger than this has been issued
         * @param queue the waiting requests in their order
         * @param capacity the permits of all holders together at most
         */
        public Inspected {
            holders = List.copyOf(holders);
            queue = List.copyOf(queue);
        }

        /**
         * A request that holds the lock, or a part of it.
         *
         * @param request the request
         * @param permits its weight; 1 for a plain lock
         * @param token its first token
         * @param untilMillis the end of its lease and takeover delay by the server's clock
         * @param claim whether the request got the lock by message and has not confirmed it yet
         */
        public record Holder(String request, int permits, long token, long untilMillis, boolean claim) {
            @Override
            public String toString() {
                return Printable.text("Holder[request=" + request + ", permits=" + permits + ", token=" + token
                        + ", untilMillis=" + untilMillis + ", claim=" + claim + "]");
            }
        }

        /**
         * A request in the queue.
         *
         * @param request the request
         * @param permits the weight that it wants; 1 for a plain lock
         * @param sinceMillis the time at which it was queued, by the server's clock
         */
        public record Waiting(String request, int permits, long sinceMillis) {
            @Override
            public String toString() {
                return Printable.text(
                        "Waiting[request=" + request + ", permits=" + permits + ", sinceMillis=" + sinceMillis + "]");
            }
        }

        /**
         * Returns the owner of a plain lock.
         *
         * @return the request; {@code null} if there is none
         */
        public @Nullable String owner() {
            return holders.isEmpty() ? null : holders.get(0).request();
        }

        /**
         * Returns the first token of the owner of a plain lock.
         *
         * @return the token; 0 without an owner
         */
        public long token() {
            return holders.isEmpty() ? 0 : holders.get(0).token();
        }

        /**
         * Returns when a plain lock becomes free, by the server's clock.
         *
         * @return the end of the owner's lease and takeover delay; without an owner, the time until which the lock is
         *     kept closed
         */
        public long untilMillis() {
            return holders.isEmpty() ? keptUntilMillis : holders.get(0).untilMillis();
        }

        /**
         * Returns whether the owner of a plain lock has not confirmed it yet.
         *
         * @return whether it is a claim
         */
        public boolean claim() {
            return !holders.isEmpty() && holders.get(0).claim();
        }

        /**
         * Returns a short description of the lock.
         *
         * @param kind the kind of the lock
         * @param name the name of the lock
         * @return the description; empty if the lock is neither held, nor kept closed, nor waited for
         */
        public Optional<ScannedLocks.Lock> summary(LockKind kind, String name) {
            long now = server.millis();
            List<Holder> held = holders.stream()
                    .filter(holder -> now < holder.untilMillis())
                    .toList();
            long kept = now < keptUntilMillis ? keptUntilMillis : 0;
            long until = held.stream().mapToLong(Holder::untilMillis).max().orElse(kept);
            if (until == 0 && queue.isEmpty()) {
                return Optional.empty();
            }
            long permits = held.stream().mapToLong(Holder::permits).sum();
            return Optional.of(new ScannedLocks.Lock(
                    kind,
                    name,
                    held.size(),
                    (int) Math.min(Integer.MAX_VALUE, permits),
                    held.stream().mapToLong(Holder::token).max().orElse(0),
                    until,
                    !held.isEmpty() && held.stream().allMatch(Holder::claim),
                    queue.size()));
        }

        @Override
        public String toString() {
            return Printable.text("Inspected[server=" + server + ", holders=" + holders + ", keptUntilMillis="
                    + keptUntilMillis + ", fence=" + fence + ", queue=" + queue + ", capacity=" + capacity + "]");
        }
    }

    /**
     * The answer to {@link Query.Identify}.
     *
     * @param server the clock of the server
     * @param clients the records of the clients that are known, in the order of the command
     */
    record Identified(ServerTime server, List<ClientRecord> clients) implements QueryReply {

        /**
         * Copies the records.
         *
         * @param server the clock of the server
         * @param clients the records of the clients that are known
         */
        public Identified {
            clients = List.copyOf(clients);
        }
    }

    /**
     * The answer to {@link Query.ScanLocks}: locks that are held, kept closed or waited for. Locks that are only
     * remembered are left out.
     *
     * @param server the clock of the server
     * @param locks the locks that were found
     * @param cursor the cursor of the next command; empty if there is nothing more
     */
    record ScannedLocks(ServerTime server, List<Lock> locks, String cursor) implements QueryReply {

        /**
         * Copies the locks.
         *
         * @param server the clock of the server
         * @param locks the locks that were found
         * @param cursor the cursor of the next command
         */
        public ScannedLocks {
            locks = List.copyOf(locks);
        }

        /**
         * A short description of a lock.
         *
         * @param kind the kind of the lock
         * @param name the name of the lock
         * @param holders how many requests hold it; a request whose lease has run out does not count
         * @param permits the weight of the holders together
         * @param token the first token of the holder that came last, 0 without one
         * @param untilMillis the end of the holders' leases and takeover delays, or of the time for which the lock is
         *     kept closed; otherwise 0
         * @param claim whether it is held, but no holder has confirmed it yet
         * @param waiting how many requests wait, an upper bound
         */
        public record Lock(
                LockKind kind,
                String name,
                int holders,
                int permits,
                long token,
                long untilMillis,
                boolean claim,
                int waiting) {
            @Override
            public String toString() {
                return Printable.text("Lock[kind=" + kind + ", name=" + name + ", holders=" + holders + ", permits="
                        + permits + ", token=" + token + ", untilMillis=" + untilMillis + ", claim=" + claim
                        + ", waiting=" + waiting + "]");
            }
        }

        @Override
        public String toString() {
            return Printable.text("ScannedLocks[server=" + server + ", locks=" + locks + ", cursor=" + cursor + "]");
        }
    }

    /**
     * The answer to {@link Query.ScanClients}.
     *
     * @param server the clock of the server
     * @param clients the records that were found
     * @param cursor the cursor of the next command; empty if there is nothing more
     */
    record ScannedClients(ServerTime server, List<ClientRecord> clients, String cursor) implements QueryReply {

        /**
         * Copies the records.
         *
         * @param server the clock of the server
         * @param clients the records that were found
         * @param cursor the cursor of the next command
         */
        public ScannedClients {
            clients = List.copyOf(clients);
        }

        @Override
        public String toString() {
            return Printable.text(
                    "ScannedClients[server=" + server + ", clients=" + clients + ", cursor=" + cursor + "]");
        }
    }
}
