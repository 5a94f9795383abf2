// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.BackendException;
import io.boltwork.spi.Capability;
import io.boltwork.spi.Command;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A store of records with versions, and of messages between clients. It belongs to one {@link RecordBackend}, which has
 * the rules of locks; a store knows none of them.
 *
 * <p>Unless noted otherwise, methods block until the store has answered, for the
 * {@linkplain #commandTimeout command timeout} at most. They are called by {@linkplain #workers several threads} of the
 * backend at the same time. A method that fails throws a {@link BackendException}:
 * {@linkplain BackendException#isRetryable retryable} if waiting may heal the failure.
 *
 * @since 0.1.0
 */
public interface RecordStore extends AutoCloseable {

    /**
     * Connects, and begins to deliver the messages for a client. Called once, before any other method but
     * {@link #address}, {@link #namespace} and {@link #close}. Has called {@link StoreListener#connected} when it
     * returns.
     *
     * @param client the id of the client
     * @param listener receives messages and events
     * @throws BackendException if the store cannot be reached or refuses the connection
     */
    void open(String client, StoreListener listener);

    /**
     * Delivers the messages for another client from now on. Returns without waiting. If messages may be missed at
     * first, {@link StoreListener#connected} is called when they arrive.
     *
     * @param client the new id of the client
     */
    void rename(String client);

    /**
     * Reads a record and the store's clock, in this order or at one moment. Sees every write that had ended when the
     * method was called, of any client.
     *
     * @param key the key
     * @return the record
     */
    StoredText read(RecordKey key);

    /**
     * Writes a record if nothing has been written to it since it was read, and the store's clock has not passed {@link
     * RecordChange#notAfter}. The store checks the version in the same step as the write, and also the time if it can.
     * A store that cannot checks the time immediately before: a write that is late nevertheless meets another version
     * as soon as the request has been withdrawn. Not called again after a failure: the write may have been made, or be
     * made later.
     *
     * @param key the key
     * @param before the record as it was read
     * @param change the change
     * @return whether it was written
     */
    boolean write(RecordKey key, StoredText before, RecordChange change);

    /**
     * Writes a record as {@link #write(RecordKey, StoredText, RecordChange)} does, and sends messages if it was
     * written. The messages follow the write and may be lost, unless a store overrides this to do both in one step.
     *
     * @param key the key
     * @param before the record as it was read
     * @param change the change
     * @param messages the messages, none of which is for this client
     * @return whether the record was written
     */
    default boolean write(RecordKey key, StoredText before, RecordChange change, List<AddressedMessage> messages) {
        boolean isWritten = write(key, before, change);
        if (isWritten) {
            for (AddressedMessage message : messages) {
                try {
                    sendMessage(message.client(), message.text());
                } catch (BackendException lost) { // as good as a message that is lost on its way
                }
            }
        }
        return isWritten;
    }

    /**
     * Returns a record as {@link #read} does, or as it was some time ago. Called in place of {@code read} where a write
     * or {@link #isCurrent} follows, so a store may answer from memory. Reads unless overridden.
     *
     * @param key the key
     * @return the record
     */
    default StoredText recall(RecordKey key) {
        return read(key);
    }

    /**
     * Returns whether nothing has been written to a record since it was read. Called before an answer that rests on the
     * record is given without a write. Returns {@code true} unless overridden, which is right for a store that never
     * reads late.
     *
     * @param key the key
     * @param found the record as {@link #read} or {@link #recall} returned it
     * @return whether it is still as it was read
     */
    default boolean isCurrent(RecordKey key, StoredText found) {
        return true;
    }

    /**
     * Returns whether a client seems to be alive: messages for it will arrive. May err for some seconds in favour of a
     * client that has died.
     *
     * @param client the id of the client
     * @return {@code false} if it is gone
     */
    boolean listens(String client);

    /**
     * Sends a message to a client. May lose it.
     *
     * @param client the id of the client
     * @param message a text of one line
     */
    void sendMessage(String client, String message);

    /**
     * Returns the next records of one kind, in an order of their names that is always the same. Records that come or go
     * meanwhile may be missing.
     *
     * @param kind the kind
     * @param after the name after which to begin; empty to begin with the first
     * @param count how many records to return at most
     * @return the records; fewer than {@code count} only if there are no more
     */
    StoredPage scan(RecordKey.Kind kind, String after, int count);

    /**
     * Asks the store for its version, with one round trip.
     *
     * @return the version, as text for users
     */
    String version();

    /**
     * Tries what an acquisition needs, without a change of any record, so that a store which would refuse it says so.
     * Does nothing unless overridden.
     *
     * @throws BackendException if the store would refuse to write a record
     */
    default void checkWrites() {}

    /**
     * Makes sure that {@link #listens} returns {@code true} for this client. Called before a request of it begins to
     * wait. Does nothing unless overridden.
     */
    default void beforeWaiting() {}

    /**
     * Says whether messages for this client may come. A store that has to ask for messages need not ask while it is so
     * that none are awaited. Returns without waiting; does nothing unless overridden.
     *
     * @param awaited whether messages are awaited
     */
    default void await(boolean awaited) {}

    /**
     * Drops records that have expired, and messages that no client has read. Called about once a minute; does nothing
     * unless overridden.
     */
    default void sweep() {}

    /**
     * Acquires a lock in one round trip if it is free, no request waits for it, and the request is not its last owner.
     * The rules are those of {@link io.boltwork.spi.rules.LockRules#acquire}. Has no short form unless overridden.
     *
     * @param command asks for a plain lock, without a condition
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @return the answer if the lock was free
     */
    default ShortForm<Reply.Acquired> acquireFree(Command.Acquire command, long idleMillis) {
        return ShortForm.none();
    }

    /**
     * Releases a lock in one round trip if the request owns it and no request waits for it. The rules are those of
     * {@link io.boltwork.spi.rules.LockRules#release}. Has no short form unless overridden.
     *
     * @param command releases a plain lock, and neither asks for it again, nor keeps it closed, nor has signals
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @return the answer if the lock was released
     */
    default ShortForm<Reply.Released> releaseUnwanted(Command.Release command, long idleMillis) {
        return ShortForm.none();
    }

    /**
     * Extends leases of plain locks that no request waits for, in one round trip for all of them. The rules are those
     * of {@link io.boltwork.spi.rules.LockRules#renew}. Has no short form unless overridden.
     *
     * @param items the leases, of plain locks; each extends its lease
     * @param notAfter the time of the store's clock after which nothing may be changed, in milliseconds
     * @param idleMillis how long a record lives after its last use, in milliseconds
     * @return those leases that were extended
     */
    default Extended extendUnwanted(List<Command.Renew.Item> items, long notAfter, long idleMillis) {
        return Extended.NONE;
    }

    /**
     * Returns the number of threads that use the store, each for one command at a time.
     *
     * @return 2 unless overridden
     */
    default int workers() {
        return 2;
    }

    /**
     * Returns whether threads of callers may call this store, which then blocks them. They may be interrupted at any
     * time: a store that this would damage returns {@code false}.
     *
     * @return {@code false} unless overridden
     */
    default boolean servesCallers() {
        return false;
    }

    /**
     * Returns how long an answer is awaited.
     *
     * @return the time after which a method fails
     */
    Duration commandTimeout();

    /**
     * Returns how long a record lives after its last use.
     *
     * @return 1 minute to 7 days; 10 minutes unless overridden
     */
    default Duration idleLife() {
        return IdleLife.DEFAULT;
    }

    /**
     * Returns why the store does not have something.
     *
     * @param capability what is wanted
     * @return the reason; empty if the store has it
     */
    default Optional<String> refusal(Capability capability) {
        return Optional.empty();
    }

    /**
     * Returns a text that tells locks of equal names in different stores apart.
     *
     * @return the text, empty unless overridden
     */
    default String namespace() {
        return "";
    }

    /**
     * Returns the address of the store, for messages and events, without credentials.
     *
     * @return the address
     */
    String address();

    /** Closes the connections. Methods that wait fail. Idempotent. */
    @Override
    void close();
}
