// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import io.boltwork.LockKind;
import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Printable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of keys and channels: {@code <prefix>:{<lock>}}, {@code <prefix>:client:<client>}, {@code <prefix>:uptime},
 * {@code <prefix>:grants:<client>} and {@code <prefix>:told:<client>}. Braces and percent signs in the name of a lock
 * are percent-escaped. Therefore the braces are a hash tag around the whole name, and different names have different
 * keys. This class also holds the idle life of keys.
 */
public final class KeySpace {
    private static final Pattern WILDCARDS = Pattern.compile("[*?]+");
    private static final Pattern GLOB_SPECIAL = Pattern.compile("[*?\\[\\]^\\\\-]");

    /** The number of Redisson's keys of a lock. */
    public static final int REDISSON_KEYS = 3;

    private static final String REDISSON_CHANNEL = "redisson_lock__channel:{";

    private final String prefix;

    /** The beginnings of the keys, by the ordinals of the kinds. */
    private final byte[][] open = new byte[LockKind.values().length][];

    /** The life of an unused lock's key, in milliseconds. */
    public final long idleMillis;

    /** The locks that are shared with Redisson; {@code null} if there are none. */
    private final @Nullable Predicate<String> bridged;

    /** Creates a key space with the default idle life. */
    public KeySpace(String prefix) {
        this(prefix, IdleLife.DEFAULT.toMillis(), null);
    }

    public KeySpace(String prefix, long idleMillis, @Nullable Predicate<String> bridged) {
        this.prefix = prefix;
        this.idleMillis = idleMillis;
        this.bridged = bridged;
        for (LockKind kind : LockKind.values()) {
            open[kind.ordinal()] = begin(kind).getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Returns the beginning of the keys of all locks of a kind. */
    private String begin(LockKind kind) {
        return switch (kind) {
            case LOCK -> prefix + ":{";
            case READ_WRITE -> prefix + ":readwrite:{";
            case SEMAPHORE -> prefix + ":semaphore:{";
        };
    }

    /** Returns the key of a plain lock. */
    public String key(String lock) {
        return key(LockKind.LOCK, lock);
    }

    /** Returns the key of a lock. */
    public String key(LockKind kind, String lock) {
        return begin(kind) + escape(lock) + "}";
    }

    /** Returns the slot of a lock in a cluster. */
    public int slot(String lock) {
        return lock.isEmpty() ? Slots.of(key(lock)) : Slots.ofTag(escape(lock));
    }

    /** Returns a plain lock and its key, for messages. */
    public String describe(String lock) {
        return describe(LockKind.LOCK, lock);
    }

    /** Returns a lock and its key, for messages. */
    public String describe(LockKind kind, String lock) {
        String what = switch (kind) {
            case LOCK -> "lock";
            case READ_WRITE -> "read-write lock";
            case SEMAPHORE -> "semaphore";
        };
        return "the " + what + " '" + lock + "' (key '" + key(kind, lock) + "')";
    }

    /** Returns the key of a latch. */
    public String latchKey(String latch) {
        return beginOfLatch() + escape(latch) + "}";
    }

    private String beginOfLatch() {
        return prefix + ":latch:{";
    }

    /** Returns the latch of a key. */
    String latch(String key) {
        String begin = beginOfLatch();
        if (!key.startsWith(begin) || !key.endsWith("}")) {
            throw new IllegalArgumentException("Not the key of a latch: " + Printable.text(key));
        }
        return unescape(key.substring(begin.length(), key.length() - 1));
    }

    /** Writes the key of a plain lock as an argument of a command. */
    public void writeKey(ByteBuf out, String lock) {
        writeKey(out, LockKind.LOCK, lock);
    }

    /** Writes the key of a lock as an argument of a command. */
    public void writeKey(ByteBuf out, LockKind kind, String lock) {
        String escaped = escape(lock);
        byte[] begin = open[kind.ordinal()];
        RespWriter.writeLength(out, begin.length + ByteBufUtil.utf8Bytes(escaped) + 1);
        out.writeBytes(begin);
        ByteBufUtil.writeUtf8(out, escaped);
        out.writeByte('}');
        RespWriter.writeEnd(out);
    }

    /**
     * Returns the number of bytes that a key takes as an argument in addition to the lock's name. A very long name
     * takes more.
     */
    public int overhead() {
        return open[LockKind.LOCK.ordinal()].length + "$9999\r\n}\r\n".length();
    }

    /** Returns whether there may be locks that are shared with Redisson. */
    public boolean hasBridge() {
        return bridged != null;
    }

    /** Returns whether a lock is shared with Redisson. */
    public boolean isBridged(String lock) {
        return bridged != null && bridged.test(lock);
    }

    /**
     * Returns whether a name can be shared: Redisson does not escape names, so a hash tag in it would be another one.
     */
    public static boolean isBridgeable(String lock) {
        return !lock.isEmpty() && lock.chars().noneMatch(c -> isEscaped((char) c));
    }

    /**
     * Returns Redisson's keys of a plain lock: its hash, its counter of fencing tokens, and the queue of a fair lock.
     */
    public static List<String> redissonKeys(String lock) {
        return List.of(lock, "redisson_lock_token:{" + lock + "}", "redisson_lock_queue:{" + lock + "}");
    }

    /** Returns the channel on which Redisson announces that a lock is free. */
    public static String redissonChannel(String lock) {
        return REDISSON_CHANNEL + lock + "}";
    }

    /** Returns the channel on which clients of Boltwork show that they listen on that of Redisson. */
    public String bridgeChannel(String lock) {
        return prefix + ":bridge:{" + lock + "}";
    }

    /** Returns the bridged lock of a channel, or {@code null} if the channel is another one. */
    public @Nullable String bridgedLock(String channel) {
        return hasBridge() && channel.startsWith(REDISSON_CHANNEL)
                ? channel.substring(REDISSON_CHANNEL.length(), channel.length() - 1)
                : null;
    }

    /** Returns the kind of the lock of a key. */
    LockKind kind(String key) {
        for (LockKind kind : LockKind.values()) {
            if (key.startsWith(begin(kind)) && key.endsWith("}")) {
                return kind;
            }
        }
        throw new IllegalArgumentException("Not the key of a lock: " + Printable.text(key));
    }

    /** Returns the plain lock of a key. */
    String plainLock(String key) {
        if (kind(key) != LockKind.LOCK) {
            throw new IllegalArgumentException("Not the key of a plain lock: " + Printable.text(key));
        }
        return lock(key);
    }

    /** Returns the lock of a key. */
    String lock(String key) {
        return unescape(key.substring(begin(kind(key)).length(), key.length() - 1));
    }

    /** Returns the lock of a key, or {@code null} if the key is not exactly the one of a lock. */
    public @Nullable LockKey lockOrNull(String key) {
        for (LockKind kind : LockKind.values()) {
            String begin = begin(kind);
            if (key.startsWith(begin) && key.endsWith("}")) {
                String lock = unescape(key.substring(begin.length(), key.length() - 1));
                return key(kind, lock).equals(key) ? new LockKey(kind, lock) : null;
            }
        }
        return null;
    }

    /**
     * Returns a pattern for SCAN that matches the keys of all locks of a kind, or of all kinds, whose names match a
     * pattern, and possibly other keys. The pattern has at most two stars, because with many stars a server may need
     * very long for a single key. A {@code ?} becomes a star, because in SCAN it stands for a single byte.
     */
    public String lockGlob(@Nullable LockKind kind, String pattern) {
        String[] literals = WILDCARDS.split(pattern, -1);
        StringBuilder out = new StringBuilder(kind == null ? glob(prefix + ":") + "*{" : glob(begin(kind)));
        out.append(glob(escape(literals[0])));
        if (kind != null && literals.length == 3) {
            out.append('*').append(glob(escape(literals[1])));
        }
        if (literals.length > 1) {
            out.append('*').append(glob(escape(literals[literals.length - 1])));
        }
        return out.append('}').toString();
    }

    /** Returns the key of the record of a client. */
    public String clientKey(String client) {
        return prefix + ":client:" + client;
    }

    /** Returns the key of the record of how long the server has been up. */
    public String uptimeKey() {
        return prefix + ":uptime";
    }

    /** Returns that record and its key, for messages. */
    public String describeUptime() {
        return "the uptime of the server (key '" + uptimeKey() + "')";
    }

    /** Returns the client of a key, or {@code null} if it is not the key of a client. */
    public @Nullable String clientOrNull(String key) {
        String begin = clientKey("");
        return key.startsWith(begin) ? key.substring(begin.length()) : null;
    }

    /** Returns a pattern for SCAN that matches the keys of all clients. */
    public String clientGlob() {
        return glob(clientKey("")) + "*";
    }

    /** Returns the channel of a client's grants. */
    public String channel(String client) {
        return prefix + ":grants:" + client;
    }

    /** Returns the channel on which a client learns that a lock was taken away from it. */
    public String told(String client) {
        return prefix + ":told:" + client;
    }

    /** Returns the channel of a client's grants for the locks in one slot of a cluster. */
    public String channel(String client, int slot) {
        return prefix + ":grants:{" + Slots.tag(slot) + "}:" + client;
    }

    /** Returns a pattern for SCAN that matches exactly the given text. */
    private static String glob(String literal) {
        return GLOB_SPECIAL.matcher(literal).replaceAll("\\\\$0");
    }

    private static String escape(String lock) {
        for (int i = 0; i < lock.length(); i++) {
            if (isEscaped(lock.charAt(i))) {
                return lock.replace("%", "%25").replace("{", "%7B").replace("}", "%7D");
            }
        }
        return lock;
    }

    private static boolean isEscaped(char c) {
        return c == '{' || c == '}' || c == '%';
    }

    private static String unescape(String escaped) {
        return escaped.indexOf('%') < 0
                ? escaped
                : escaped.replace("%7D", "}").replace("%7B", "{").replace("%25", "%");
    }
}
