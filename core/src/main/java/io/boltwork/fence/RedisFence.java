// SPDX-License-Identifier: Apache-2.0
package io.boltwork.fence;

import io.boltwork.spi.Durations;
import io.boltwork.spi.Printable;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * A guard in Redis. It remembers the largest fencing token of each resource in a key, and refuses smaller tokens. It
 * works with any Redis client, through {@link Scripts}. Thread-safe if the client is.
 *
 * <!-- snippet: GuardedCache.java#RedisFence -->
 * <pre>{@code
 * RedisFence fence = RedisFence.on((script, keys, arguments) -> commands.eval(
 *         script, ScriptOutputType.VALUE, keys.toArray(String[]::new), arguments.toArray(String[]::new)));
 * fence.check("prices", lease.fencingToken()); // first, before the holder reads the prices
 * fence.set("prices", "apple 40", lease.fencingToken());
 * }</pre>
 *
 * <p>Each call is one script, thus one atomic step and one round trip. {@link #set} checks and writes. After
 * {@link #check} alone, another holder can come before the write; call it before the resource is read, so that older
 * holders are refused from then on. Scripts of the application can check too: see {@link #include()}.
 *
 * <p>A key expires when its resource has had no accepted write for a time ({@link #withIdleLife}). A token that is
 * forgotten refuses no older holder, so the time must be longer than any process can be stopped. Let the server evict
 * nothing ({@code maxmemory-policy noeviction}). A server that loses its data in a failover loses the tokens with them.
 *
 * @since 0.1.0
 */
public final class RedisFence {
    private static final Duration SHORTEST_LIFE = Duration.ofDays(1);
    private static final Duration LONGEST_LIFE = Duration.ofDays(365);
    private static final String ACCEPTED = "";

    /*
     * Tokens are compared as texts, first by their lengths. As numbers, which are doubles in Lua, those above 2^53
     * would be rounded.
     */
    private static final String INCLUDE = """
            local function boltwork_fence(key, token, life)
              if not string.match(token, '^[1-9]%d*$') then
                error('boltwork_fence: token must be a positive integer, but is ' .. token)
              end
              local known = redis.call('GET', key)
              if known and not string.match(known, '^[1-9]%d*$') then
                error('boltwork_fence: the key ' .. key .. ' holds no token')
              end
              if known and (#known > #token or (#known == #token and known > token)) then
                return known
              end
              local left = redis.call('PTTL', key)
              if left == -1 then
                redis.call('SET', key, token)
              else
                redis.call('SET', key, token, 'PX', math.max(left, tonumber(life)))
              end
              return nil
            end
            """;

    private static final String CHECK = INCLUDE + """
            return boltwork_fence(KEYS[1], ARGV[1], ARGV[2]) or ''
            """;

    private static final String SET = INCLUDE + """
            local newer = boltwork_fence(KEYS[1], ARGV[1], ARGV[2])
            if newer then
              return newer
            end
            redis.call('SET', KEYS[2], ARGV[3])
            return ''
            """;

    private final Scripts scripts;
    private final String prefix;
    private final Duration idleLife;
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /** Executes Lua scripts with a Redis client. */
    @FunctionalInterface
    public interface Scripts {
        /**
         * Executes a script with EVAL, or with EVALSHA and EVAL.
         *
         * @param script the text of the script
         * @param keys its keys; in a cluster all have one slot
         * @param arguments its further arguments
         * @return the answer, always a string
         */
        String run(String script, List<String> keys, List<String> arguments);
    }

    private RedisFence(Scripts scripts, String prefix, Duration idleLife) {
        this.scripts = scripts;
        this.prefix = prefix;
        this.idleLife = idleLife;
    }

    /**
     * Returns a new guard with the prefix {@code boltwork:fence:} and an idle life of seven days.
     *
     * @param scripts executes scripts on the server that has the resources
     * @return a guard
     */
    public static RedisFence on(Scripts scripts) {
        return new RedisFence(Objects.requireNonNull(scripts, "scripts"), "boltwork:fence:", Duration.ofDays(7));
    }

    /**
     * Returns a new guard with another prefix of its keys. Default: {@code boltwork:fence:}.
     *
     * @param prefix the prefix, without braces
     * @return a guard with that prefix, and with counters of its own
     * @throws IllegalArgumentException if the prefix is empty or has a brace
     */
    public RedisFence withKeyPrefix(String prefix) {
        Objects.requireNonNull(prefix, "prefix");
        if (prefix.isEmpty() || prefix.indexOf('{') >= 0 || prefix.indexOf('}') >= 0) {
            throw new IllegalArgumentException(
                    "prefix must not be empty and must have no brace, such as shop:fence:, but is '"
                            + Printable.text(prefix) + "'");
        }
        return new RedisFence(scripts, prefix, idleLife);
    }

    /**
     * Returns the prefix of the guard's keys.
     *
     * @return the prefix
     */
    public String keyPrefix() {
        return prefix;
    }

    /**
     * Returns a new guard that remembers a token for another time after the last accepted write. Each accepted write
     * sets the expiry anew, and never to an earlier time: of several clients, the one with the longest time decides.
     * Default: 7 days.
     *
     * @param idleLife longer than any process that holds the lock can be stopped, 1 day to 365 days
     * @return a guard with that time, and with counters of its own
     * @throws IllegalArgumentException if the time is out of that range
     */
    public RedisFence withIdleLife(Duration idleLife) {
        return new RedisFence(scripts, prefix, Durations.between("idleLife", idleLife, SHORTEST_LIFE, LONGEST_LIFE));
    }

    /**
     * Returns how long a token is remembered after the last accepted write.
     *
     * @return the time
     */
    public Duration idleLife() {
        return idleLife;
    }

    /**
     * Accepts and remembers a token that is not smaller than the remembered one. Refuses a smaller one. One round trip.
     * If the client throws an exception, the token may have been remembered, which is harmless.
     *
     * @param resource the name of the resource, of 1 to 255 chars
     * @param token the fencing token of the writer's lease
     * @throws StaleTokenException if a larger token is remembered
     * @throws IllegalArgumentException if the resource or the token is invalid
     */
    public void check(String resource, long token) {
        checkAnswer(resource, token, scripts.run(CHECK, List.of(key(resource)), arguments(token)));
    }

    /**
     * Checks a token, as {@link #check} does with the key as the resource, and sets the key in the same step. One round
     * trip. If the client throws an exception, the key may have been set.
     *
     * @param key the key to set, of 1 to 255 chars; for a cluster, braces in it must be those of a hash tag
     * @param value its new value, which never expires
     * @param token the fencing token of the writer's lease
     * @throws StaleTokenException if a larger token is remembered; the key was not set
     * @throws IllegalArgumentException if the key or the token is invalid
     */
    public void set(String key, String value, long token) {
        List<String> arguments = arguments(token);
        checkAnswer(
                key,
                token,
                scripts.run(
                        SET,
                        List.of(key(key), key),
                        List.of(arguments.get(0), arguments.get(1), Objects.requireNonNull(value, "value"))));
    }

    /**
     * Returns a Lua function for the beginning of scripts of the application. {@code boltwork_fence(key, token, life)}
     * returns {@code nil} if it accepts the token, and otherwise the larger one that is remembered. Pass it
     * {@link #key} as a key and {@link #arguments} as arguments, return the larger token or an empty string, and pass
     * this answer to {@link #checkAnswer}.
     *
     * <!-- snippet: GuardedCache.java#include -->
     * <pre>{@code
     * String sell = RedisFence.include() + """
     *         local newer = boltwork_fence(KEYS[1], ARGV[1], ARGV[2])
     *         if newer then return newer end
     *         redis.call('HINCRBY', KEYS[2], ARGV[3], -1)
     *         return ''
     *         """;
     * }</pre>
     *
     * @return the text of the function
     */
    public static String include() {
        return INCLUDE;
    }

    /**
     * Returns the key that remembers the token of a resource. It is in the cluster slot of a key with the resource's
     * name.
     *
     * @param resource the name of the resource, of 1 to 255 chars
     * @return such as <code>boltwork:fence:{stock:1001}</code>
     * @throws IllegalArgumentException if the resource is invalid
     */
    public String key(String resource) {
        GuardInput.resource(resource);
        return hasTag(resource) ? prefix + "tag:" + resource : prefix + "{" + resource + "}";
    }

    /**
     * Returns the arguments {@code token} and {@code life} of the Lua function.
     *
     * @param token the fencing token of the writer's lease
     * @return the token, and the idle life in milliseconds
     * @throws IllegalArgumentException if the token is not positive
     */
    public List<String> arguments(long token) {
        return List.of(Long.toString(GuardInput.token(token)), Long.toString(idleLife.toMillis()));
    }

    /**
     * Counts the answer of a script of the application, and throws an exception if it is a refusal.
     *
     * @param resource the name of the resource
     * @param token the token that was passed to the script
     * @param answer the larger token, or an empty string if the token was accepted
     * @throws StaleTokenException if the answer is a larger token
     * @throws IllegalStateException if the answer is something else
     */
    public void checkAnswer(String resource, long token, String answer) {
        if (ACCEPTED.equals(answer)) {
            accepted.increment();
            return;
        }
        long newer;
        try {
            newer = Long.parseLong(answer);
        } catch (NumberFormatException e) {
            throw new IllegalStateException(
                    "The script for '" + Printable.text(resource)
                            + "' must answer with a larger token or an empty string, but answered '"
                            + Printable.text(answer)
                            + "'. Scripts.run must return the answer as a string",
                    e);
        }
        refused.increment();
        throw new StaleTokenException(resource, token, newer);
    }

    /**
     * Returns how many tokens this guard has accepted.
     *
     * @return the number of checks that passed
     */
    public long accepted() {
        return accepted.sum();
    }

    /**
     * Returns how many tokens this guard has refused.
     *
     * @return the number of {@link StaleTokenException}s
     */
    public long refused() {
        return refused.sum();
    }

    @Override
    public String toString() {
        return "RedisFence with the prefix " + prefix + ", accepted " + accepted() + ", refused " + refused();
    }

    /** Returns whether Redis Cluster finds a hash tag in a key. */
    private static boolean hasTag(String key) {
        int open = key.indexOf('{');
        return open >= 0 && key.indexOf('}', open) > open + 1;
    }
}
