package io.boltwork.machine;

import io.boltwork.spi.Command;

/** What a {@link LockMachine} can see of the world and do to it. Nothing here blocks or throws. */
public interface Effects extends LockContext {

    /** The times of this client. */
    LockMachine.Timing timing();

    /** The estimate of the server's clock. */
    ServerClock serverClock();

    /** The number of a request of this client that never was. */
    long newRequest();

    /** How much the client's clock has missed since a moment because the machine was suspended, as far as it is known. */
    long missedSince(long moment);

    /** A number from 0 to {@code bound - 1}, so that not all do the same at once. */
    long random(long bound);

    /** Sends a command; its reply comes back as the event {@link LockMachine#answered}. */
    void send(Command<?> command);

    /**
     * Sends a renewal with others; its result comes back as {@link LockMachine#renewed}. If it is {@code tacit} and all of them
     * succeed, there is no event, and {@link #renewedAt} knows of it.
     *
     * @return when they were begun; no others of this client were at the same time
     */
    long renew(Command.Renew.Item item, boolean tacit);

    /** A request has been given back for good. */
    void released(Request request);

    /** Decides an outcome; who sleeps on it is woken when the machine has settled. */
    <T> void decide(Promise<T> outcome, T value);
}
