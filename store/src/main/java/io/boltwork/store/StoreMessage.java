// SPDX-License-Identifier: Apache-2.0
package io.boltwork.store;

import io.boltwork.LockKind;
import io.boltwork.spi.BackendListener;
import io.boltwork.spi.Grant;
import io.boltwork.spi.HoldTaken;
import io.boltwork.spi.LatchOpened;
import io.boltwork.spi.Printable;
import io.boltwork.spi.ServerTime;
import io.boltwork.spi.Shrunk;
import io.boltwork.spi.rules.RecordLines;

/** The texts of the messages that clients of a store send to one another. One line of fields, readable for people. */
final class StoreMessage {
    private static final String GRANT = "grant";
    private static final String TAKEN = "taken";
    private static final String SHRUNK = "shrunk";
    private static final String OPENED = "opened";

    private StoreMessage() {}

    /**
     * Writes a grant.
     *
     * @param grant the grant
     * @return the text, without a line break
     */
    static String text(Grant grant) {
        return RecordLines.ofKind(GRANT)
                .more(RecordLines.field(grant.lock()), RecordLines.field(grant.request()))
                .more(grant.token(), grant.leaseMillis())
                .more(grant.server().millis(), RecordLines.field(grant.server().run()))
                .more(grant.kind(), grant.blockEnd(), RecordLines.flag(grant.signalled()))
                .toString();
    }

    /**
     * Writes the message that a lock was taken away.
     *
     * @param taken the message
     * @return the text, without a line break
     */
    static String text(HoldTaken taken) {
        return RecordLines.ofKind(TAKEN)
                .more(RecordLines.field(taken.lock()), RecordLines.field(taken.request()), taken.token())
                .more(taken.server().millis(), RecordLines.field(taken.server().run()), taken.kind())
                .toString();
    }

    /**
     * Writes the message that the capacity of a shared lock was reduced.
     *
     * @param shrunk the message
     * @return the text, without a line break
     */
    static String text(Shrunk shrunk) {
        return RecordLines.ofKind(SHRUNK)
                .more(RecordLines.field(shrunk.lock()), RecordLines.field(shrunk.request()), shrunk.capacity())
                .more(
                        shrunk.server().millis(),
                        RecordLines.field(shrunk.server().run()),
                        shrunk.kind())
                .toString();
    }

    /**
     * Writes the message that a latch has opened.
     *
     * @param opened the message
     * @return the text, without a line break
     */
    static String text(LatchOpened opened) {
        return RecordLines.ofKind(OPENED)
                .more(RecordLines.field(opened.latch()), opened.generation())
                .more(
                        opened.server().millis(),
                        RecordLines.field(opened.server().run()))
                .toString();
    }

    /**
     * Reads a message and gives it to a listener.
     *
     * @param text a text of this class
     * @param listener the listener
     * @throws IllegalArgumentException if it is not such a text, or is of another version
     */
    static void deliver(String text, BackendListener listener) {
        int end = text.indexOf(' ');
        String kind = end < 0 ? text : text.substring(0, end);
        RecordLines.Line line = RecordLines.read(kind, text).get(0);
        switch (kind) {
            case GRANT -> {
                String lock = line.text();
                String request = line.text();
                long token = line.number();
                long lease = line.number();
                ServerTime server = new ServerTime(line.number(), line.text());
                LockKind lockKind = LockKind.valueOf(line.word());
                listener.granted(new Grant(lock, request, token, lease, server, lockKind, line.number(), line.flag()));
            }
            case TAKEN -> {
                String lock = line.text();
                String request = line.text();
                long token = line.number();
                ServerTime server = new ServerTime(line.number(), line.text());
                listener.told(new HoldTaken(lock, request, token, server, LockKind.valueOf(line.word())));
            }
            case SHRUNK -> {
                String lock = line.text();
                String request = line.text();
                int capacity = line.integer();
                ServerTime server = new ServerTime(line.number(), line.text());
                listener.told(new Shrunk(lock, request, capacity, server, LockKind.valueOf(line.word())));
            }
            case OPENED ->
                listener.opened(
                        new LatchOpened(line.text(), line.number(), new ServerTime(line.number(), line.text())));
            default ->
                throw new IllegalArgumentException("there is no message of the kind '" + Printable.text(kind) + "'");
        }
    }
}
