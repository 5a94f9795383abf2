// SPDX-License-Identifier: Apache-2.0
package io.boltwork.zookeeper;

import io.boltwork.store.RecordKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The paths of the nodes.
 *
 * <pre>
 * root/id                              a random text, made once: other data are another store
 * root/alive/client                    ephemeral
 * root/inbox/client/message-number     the message is the name
 * root/record/kind/bucket/name         a record; each deletion raises the version of the bucket
 * </pre>
 */
final class StorePaths {

    /** One answer lists all names of a bucket, and ZooKeeper's answers have at most 1 MB by default. */
    private static final int BUCKETS = 64;

    private final String root;

    StorePaths(String root) {
        this.root = root;
    }

    String root() {
        return root;
    }

    String id() {
        return root + "/id";
    }

    String allAlive() {
        return root + "/alive";
    }

    String alive(String client) {
        return allAlive() + "/" + NodeName.of(client);
    }

    String inboxes() {
        return root + "/inbox";
    }

    String inbox(String client) {
        return inboxes() + "/" + NodeName.of(client);
    }

    /** Returns the beginning of the path of a message; ZooKeeper adds a number. */
    String message(String client, String text) {
        return inbox(client) + "/" + NodeName.of(text) + "-";
    }

    /** Returns the message that a node's name contains. */
    static String message(String name) {
        return NodeName.text(name.substring(0, name.lastIndexOf('-')));
    }

    /** Returns the number of a message. */
    static long number(String name) {
        return Long.parseLong(name.substring(name.lastIndexOf('-') + 1));
    }

    String records() {
        return root + "/record";
    }

    String kind(RecordKey.Kind kind) {
        return records() + "/" + kind.name().toLowerCase(Locale.ROOT);
    }

    static String bucketName(String name) {
        return String.format(Locale.ROOT, "%02x", Math.floorMod(name.hashCode() * 0x9E3779B9 >>> 16, BUCKETS));
    }

    String bucket(RecordKey.Kind kind, String bucketName) {
        return kind(kind) + "/" + bucketName;
    }

    String bucket(RecordKey key) {
        return bucket(key.kind(), bucketName(key.name()));
    }

    String record(RecordKey key) {
        return bucket(key) + "/" + NodeName.of(key.name());
    }

    /** Returns the nodes that the others are under, each after those above it. */
    List<String> folders() {
        List<String> folders = new ArrayList<>();
        for (int i = root.indexOf('/', 1); i > 0; i = root.indexOf('/', i + 1)) {
            folders.add(root.substring(0, i));
        }
        folders.addAll(List.of(root, allAlive(), inboxes(), records()));
        for (RecordKey.Kind kind : RecordKey.Kind.values()) {
            folders.add(kind(kind));
        }
        return folders;
    }
}
