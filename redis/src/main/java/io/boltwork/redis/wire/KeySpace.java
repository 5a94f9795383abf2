package io.boltwork.redis.wire;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.Printable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The names of keys and channels: {@code <prefix>:{<lock>}}, {@code <prefix>:client:<client>} and {@code
 * <prefix>:grants:<client>}. Braces and percent signs of a lock's name are percent-escaped, so that the braces are a hash tag
 * around all of it, and different names are different keys. And how long the key of a lock lives that nobody uses.
 */
public final class KeySpace {
    private static final Pattern WILDCARDS = Pattern.compile("[*?]+");
    private static final Pattern GLOB_SPECIAL = Pattern.compile("[*?\\[\\]^\\\\-]");

    private final String prefix;
    private final byte[] open;

    /** How long the key of a lock lives that nobody uses, in milliseconds. */
    public final long idleMillis;

    /** With the default life. */
    public KeySpace(String prefix) {
        this(prefix, IdleLife.DEFAULT.toMillis());
    }

    public KeySpace(String prefix, long idleMillis) {
        this.prefix = prefix;
        this.idleMillis = idleMillis;
        this.open = (prefix + ":{").getBytes(StandardCharsets.UTF_8);
    }

    /** A lock's key. */
    public String key(String lock) {
        return prefix + ":{" + escape(lock) + "}";
    }

    /** Which of a cluster's slots a lock is in. */
    public int slot(String lock) {
        return lock.isEmpty() ? Slots.of(key(lock)) : Slots.ofTag(escape(lock));
    }

    /** A lock and its key, for messages. */
    public String describe(String lock) {
        return "the lock '" + lock + "' (key '" + key(lock) + "')";
    }

    /** Writes a lock's key as an argument of a command. */
    public void writeKey(ByteBuf out, String lock) {
        String escaped = escape(lock);
        RespWriter.writeLength(out, open.length + ByteBufUtil.utf8Bytes(escaped) + 1);
        out.writeBytes(open);
        ByteBufUtil.writeUtf8(out, escaped);
        out.writeByte('}');
        RespWriter.writeEnd(out);
    }

    /** How many bytes a key takes as an argument beside the lock's name, if that is not very long. */
    public int overhead() {
        return open.length + "$9999\r\n}\r\n".length();
    }

    /** Which lock a key belongs to. */
    String lock(String key) {
        if (!key.startsWith(prefix + ":{") || !key.endsWith("}")) {
            throw new IllegalArgumentException("Not the key of a lock: " + Printable.text(key));
        }
        return unescape(key.substring(prefix.length() + 2, key.length() - 1));
    }

    /** Which lock a key belongs to, {@code null} if it is not exactly what this calls the key of a lock. */
    public @Nullable String lockOrNull(String key) {
        if (!key.startsWith(prefix + ":{") || !key.endsWith("}")) {
            return null;
        }
        String lock = lock(key);
        return key(lock).equals(key) ? lock : null;
    }

    /**
     * What the keys of locks are like, in the words of SCAN, if their names are like a pattern; not only those. It has two
     * stars at most, because with many a server may need very long for one key, and {@code ?} is a star, because it stands
     * for a byte there.
     */
    public String lockGlob(String pattern) {
        String[] literals = WILDCARDS.split(pattern, -1);
        StringBuilder out = new StringBuilder(glob(prefix + ":{"));
        out.append(glob(escape(literals[0])));
        if (literals.length == 3) {
            out.append('*').append(glob(escape(literals[1])));
        }
        if (literals.length > 1) {
            out.append('*').append(glob(escape(literals[literals.length - 1])));
        }
        return out.append('}').toString();
    }

    /** The key of what is known of a client. */
    public String clientKey(String client) {
        return prefix + ":client:" + client;
    }

    /** Which client a key belongs to, {@code null} if to none. */
    public @Nullable String clientOrNull(String key) {
        String begin = clientKey("");
        return key.startsWith(begin) ? key.substring(begin.length()) : null;
    }

    /** What the keys of all clients are like, in the words of SCAN. */
    public String clientGlob() {
        return glob(clientKey("")) + "*";
    }

    /** The channel where a client's grants are announced. */
    public String channel(String client) {
        return prefix + ":grants:" + client;
    }

    /** The channel where a client is told what was taken away from it. */
    public String told(String client) {
        return prefix + ":told:" + client;
    }

    /** The channel where a client's grants of locks in one slot of a cluster are announced. */
    public String channel(String client, int slot) {
        return prefix + ":grants:{" + Slots.tag(slot) + "}:" + client;
    }

    /** A text that stands for itself in a pattern of SCAN. */
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
