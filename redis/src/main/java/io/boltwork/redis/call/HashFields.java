// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import io.boltwork.redis.address.Errors;
import io.lettuce.core.KeyValue;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * Fields of a hash, as text. A missing field is empty. A field that is not a number counts as 0.
 *
 * @param fields the fields that exist
 */
public record HashFields(Map<String, String> fields) {
    private static final HashFields NONE = new HashFields(Map.of());

    /** Reads the number of fields of a hash. */
    public static CompletionStage<Long> length(ServerConnection connection, String key) {
        return connection.lettuce().hlen(bytes(key));
    }

    /** Reads all fields of a hash. */
    static CompletionStage<HashFields> read(ServerConnection connection, String key) {
        return connection.lettuce().hgetall(bytes(key)).thenApply(HashFields::of);
    }

    /** Reads some fields of a hash. */
    static CompletionStage<HashFields> read(ServerConnection connection, String key, List<String> names) {
        byte[][] fields = names.stream().map(HashFields::bytes).toArray(byte[][]::new);
        return connection.lettuce().hmget(bytes(key), fields).thenApply(HashFields::of);
    }

    /**
     * Returns the fields. Returns none if the key is not a hash, and thus not a key of Boltwork, or if it has moved
     * meanwhile.
     */
    static CompletionStage<HashFields> orNone(CompletionStage<HashFields> read) {
        return read.handle((hash, failure) -> {
            if (failure == null) {
                return hash;
            } else if (Errors.isAboutType(failure) || Errors.isAboutSlot(failure)) {
                return NONE;
            }
            throw new CompletionException(failure);
        });
    }

    /** Returns the results of all reads in their order. */
    static CompletionStage<List<HashFields>> all(List<CompletionStage<HashFields>> reads) {
        List<CompletableFuture<HashFields>> futures =
                reads.stream().map(CompletionStage::toCompletableFuture).toList();
        return CompletableFuture.allOf(futures.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> futures.stream().map(CompletableFuture::join).toList());
    }

    private static HashFields of(Map<byte[], byte[]> all) {
        Map<String, String> fields = new HashMap<>();
        all.forEach((name, value) -> fields.put(text(name), text(value)));
        return new HashFields(fields);
    }

    private static HashFields of(List<KeyValue<byte[], byte[]>> some) {
        Map<String, String> fields = new HashMap<>();
        some.forEach(field -> field.ifHasValue(value -> fields.put(text(field.getKey()), text(value))));
        return new HashFields(fields);
    }

    boolean has(String name) {
        return fields.containsKey(name);
    }

    String text(String name) {
        return fields.getOrDefault(name, "");
    }

    long number(String name) {
        return parsed(text(name));
    }

    /** Returns the number that a text stands for; 0 if it is none. */
    static long parsed(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
