// SPDX-License-Identifier: Apache-2.0
package io.boltwork.etcd;

import io.boltwork.store.RecordKey;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;

/**
 * The keys.
 *
 * <pre>
 * prefix/clock                  the lease that counts the time, and what is known of it
 * prefix/swept                  written by each transaction that deletes records
 * prefix/alive/client           there as long as the client is alive
 * prefix/inbox/client/number    a message
 * prefix/record/kind/name       a record
 * </pre>
 */
final class EtcdKeys {
    private final String prefix;

    EtcdKeys(String prefix) {
        this.prefix = prefix;
    }

    byte[] clock() {
        return bytes(prefix + "/clock");
    }

    byte[] swept() {
        return bytes(prefix + "/swept");
    }

    byte[] alive(String client) {
        return bytes(prefix + "/alive/" + client);
    }

    byte[] inbox(String client) {
        return bytes(prefix + "/inbox/" + client + "/");
    }

    byte[] message(String client, String number) {
        return bytes(prefix + "/inbox/" + client + "/" + number);
    }

    byte[] records() {
        return bytes(prefix + "/record/");
    }

    byte[] records(RecordKey.Kind kind) {
        return bytes(prefix + "/record/" + kind.name().toLowerCase(Locale.ROOT) + "/");
    }

    byte[] record(RecordKey key) {
        byte[] folder = records(key.kind());
        byte[] name = bytes(key.name());
        byte[] record = Arrays.copyOf(folder, folder.length + name.length);
        System.arraycopy(name, 0, record, folder.length, name.length);
        return record;
    }

    /** Returns the name in a record's key. */
    String name(RecordKey.Kind kind, byte[] record) {
        int begin = records(kind).length;
        return new String(record, begin, record.length - begin, StandardCharsets.UTF_8);
    }

    /** Returns the end of the range of all keys that begin with a folder, which ends with a slash. */
    static byte[] end(byte[] folder) {
        byte[] end = folder.clone();
        end[end.length - 1]++;
        return end;
    }

    /** Returns the key that follows a key immediately. */
    static byte[] after(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    /**
     * Returns the number of the lease that a client's own keys hang on. It follows from the client's id, so that those
     * who send a message know it.
     */
    long lease(String client) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(alive(client));
            return ByteBuffer.wrap(digest).getLong() >>> 1 | 1;
        } catch (NoSuchAlgorithmException impossible) { // each JVM has it
            throw new AssertionError(impossible);
        }
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
