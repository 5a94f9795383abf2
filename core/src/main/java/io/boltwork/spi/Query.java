// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi;

import io.boltwork.LockKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command that changes nothing.
 *
 * @param <R> the type of its answer
 * @since 0.1.0
 */
public sealed interface Query<R extends QueryReply> extends Command<R> {

    /**
     * Calls the visitor's method for this kind of query.
     *
     * @param visitor the visitor
     * @return the visitor's result
     * @param <T> the type of the result
     */
    <T> T accept(QueryVisitor<T> visitor);

    @Override
    default <T> T accept(CommandVisitor<T> visitor) {
        return visitor.anyQuery(this);
    }

    /**
     * Distinguishes the kinds of {@link Query}, too.
     *
     * @param <T> the type of the result
     */
    interface QueryVisitor<T> extends CommandVisitor<T> {
        @Override
        default T anyQuery(Query<?> command) {
            return command.accept(this);
        }

        /**
         * Describes a lock.
         *
         * @param command the command
         * @return the result
         */
        T inspect(Inspect command);

        /**
         * Finds the records of clients.
         *
         * @param command the command
         * @return the result
         */
        T identify(Identify command);

        /**
         * Lists locks, page by page.
         *
         * @param command the command
         * @return the result
         */
        T scanLocks(ScanLocks command);

        /**
         * Lists clients, page by page.
         *
         * @param command the command
         * @return the result
         */
        T scanClients(ScanClients command);
    }

    /**
     * Reads a lock. Changes nothing.
     *
     * @param lock the name of the lock
     * @param kind the kind of the lock
     */
    record Inspect(String lock, LockKind kind)
            implements Command.LockCommand<QueryReply.Inspected>, Query<QueryReply.Inspected> {
        /**
         * Reads a plain lock.
         *
         * @param lock the name of the lock
         */
        public Inspect(String lock) {
            this(lock, LockKind.LOCK);
        }

        @Override
        public String toString() {
            return Printable.text("Inspect[lock=" + lock + ", kind=" + kind + "]");
        }

        @Override
        public <T> T accept(QueryVisitor<T> visitor) {
            return visitor.inspect(this);
        }
    }

    /**
     * Asks for the records of clients.
     *
     * @param clients their ids
     */
    record Identify(List<String> clients) implements Query<QueryReply.Identified> {

        /**
         * Copies the ids.
         *
         * @param clients their ids
         */
        public Identify {
            clients = List.copyOf(clients);
        }

        @Override
        public String toString() {
            return Printable.text("Identify[clients=" + clients + "]");
        }

        @Override
        public <T> T accept(QueryVisitor<T> visitor) {
            return visitor.identify(this);
        }
    }

    /**
     * Searches for locks, some at a time. Changes nothing. Locks that come or go in the meantime may be missed, and one
     * lock may be found twice. For each command the server examines {@code count} of its keys.
     *
     * @param pattern the pattern that their names match: {@code *} stands for any characters, {@code ?} for one
     *     character, and every other character for itself
     * @param kind the kind of the locks; {@code null} for all kinds
     * @param cursor the cursor of the previous answer, at which the search continues; empty to begin
     * @param count about how many keys to examine
     */
    record ScanLocks(String pattern, @Nullable LockKind kind, String cursor, int count)
            implements Query<QueryReply.ScannedLocks> {
        /**
         * Searches for locks of all kinds.
         *
         * @param pattern the pattern that their names match
         * @param cursor the cursor of the previous answer; empty to begin
         * @param count about how many keys to examine
         */
        public ScanLocks(String pattern, String cursor, int count) {
            this(pattern, null, cursor, count);
        }

        @Override
        public String toString() {
            return Printable.text("ScanLocks[pattern=" + pattern + ", kind=" + kind + ", cursor=" + cursor + ", count="
                    + count + "]");
        }

        @Override
        public <T> T accept(QueryVisitor<T> visitor) {
            return visitor.scanLocks(this);
        }
    }

    /**
     * Searches for clients that have been {@linkplain Announce announced}, some at a time, like {@link ScanLocks}.
     *
     * @param cursor the cursor of the previous answer, at which the search continues; empty to begin
     * @param count about how many keys to examine
     */
    record ScanClients(String cursor, int count) implements Query<QueryReply.ScannedClients> {
        @Override
        public String toString() {
            return Printable.text("ScanClients[cursor=" + cursor + ", count=" + count + "]");
        }

        @Override
        public <T> T accept(QueryVisitor<T> visitor) {
            return visitor.scanClients(this);
        }
    }
}
