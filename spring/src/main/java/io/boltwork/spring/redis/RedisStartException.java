// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.Printable;
import io.boltwork.spring.properties.ClientProperties.PropertyError;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/*
 * The messages of the backend give advice in terms of URIs and of Java, because the backend does not know where its
 * address comes from. The starter replaces this advice by the names of the properties.
 */
/** A Redis that cannot be used, and the properties that decide on it. */
public final class RedisStartException extends RuntimeException implements PropertyError {
    private static final long serialVersionUID = 1L;

    private static final Pattern ADVICE = Pattern.compile(
            " of (the URI|RedisOptions\\.\\w+)|; (use|see|the part of the URI) [^\\[(]*?(?=$|\\)| [\\[(])"
                    + "|; if it speaks TLS there.*");

    private final String action;

    /** Creates an exception. {@code said} is the property that specifies the address. */
    RedisStartException(String said, BackendException cause) {
        super(Printable.text(problem(String.valueOf(cause.getMessage())) + ". Its address is that of " + said), cause);
        this.action = action(Form.of(said), cause);
    }

    private RedisStartException(String message, String action, Throwable cause) {
        super(message, cause);
        this.action = action;
    }

    @Override
    public RedisStartException with(UnaryOperator<String> text) {
        return new RedisStartException(
                text.apply(String.valueOf(getMessage())), text.apply(action), Objects.requireNonNull(getCause()));
    }

    /** Returns the remedy. */
    public String action() {
        return action;
    }

    private static String problem(String message) {
        String problem = ADVICE.matcher(message).replaceAll("");
        return message.contains("[NOAUTH")
                ? problem.replace("refused the user or password", "requires a password")
                : problem;
    }

    private static String action(Form form, BackendException cause) {
        String message = String.valueOf(cause.getMessage());
        for (Remedy remedy : REMEDIES) {
            if (remedy.problem.matcher(message).find()) {
                return remedy.action.of(form);
            }
        }
        return cause.isRetryable()
                ? "Start Redis, or correct " + form.address + ". To start without Redis, set"
                        + " boltwork.redis.lazy-connect=true. For tests without Redis, set boltwork.backend=memory."
                : "Correct the user, its rights or the version of Redis, as described above.";
    }

    private record Remedy(Pattern problem, Action action) {}

    private interface Action {
        String of(Form form);
    }

    private static Remedy remedy(String problem, Action action) {
        return new Remedy(Pattern.compile(problem), action);
    }

    /** The first one whose pattern is part of the backend's message applies. */
    private static final List<Remedy> REMEDIES = List.of(
            remedy(
                    "credentials provider",
                    form -> "Correct the RedisCredentialsProvider, or the rights of the user that it gives."),
            remedy(
                    "sentinel at .*user or password",
                    form -> "Specify a user and password that the sentinels accept in " + form.sentinelCredentials
                            + "."),
            remedy(
                    "user or password",
                    form -> "Specify a user and password that Redis accepts in " + form.credentials + "."),
            remedy(
                    "a node of a Redis Cluster|a sentinel|command 'CLUSTER'",
                    form -> "Correct " + form.kind + ", which must fit this server, or correct " + form.address + "."),
            remedy("no such database", form -> "Correct the number of the database in " + form.database + "."),
            remedy("know no master", form -> "Correct the master's name in " + form.master + "."),
            remedy("TLS there", form -> "Check whether this port speaks TLS, and correct " + form.tls + "."),
            remedy(
                    "is not trusted",
                    form -> "Set boltwork.redis.trusted-certificates to a file with the server's authority, or use an"
                            + " SSL bundle."),
            remedy(
                    "client certificate",
                    form -> "Set boltwork.redis.client-certificate and boltwork.redis.client-key, or use an SSL"
                            + " bundle."));

    /**
     * The properties of one way to specify Redis.
     *
     * @param address those of the address
     * @param credentials those of user and password
     * @param kind those of the kind of deployment
     * @param database those of the database
     * @param master those of the name that the sentinels have for the master
     * @param sentinelCredentials those of the sentinels' user and password
     * @param tls those that turn TLS on and off
     */
    private record Form(
            String address,
            String credentials,
            String kind,
            String database,
            String master,
            String sentinelCredentials,
            String tls) {
        private static final String OF_SENTINELS = "boltwork.redis.sentinel-username and .sentinel-password";

        static Form of(String said) {
            if (said.startsWith("spring.")) {
                return new Form(
                        "spring.data.redis.host and .port, or .url",
                        "spring.data.redis.username and .password",
                        "the choice of spring.data.redis.host, .sentinel.*, .cluster.* or .masterreplica.*",
                        "spring.data.redis.database",
                        "spring.data.redis.sentinel.master",
                        "spring.data.redis.sentinel.username and .password",
                        "spring.data.redis.ssl.enabled, or the scheme of spring.data.redis.url");
            }
            if (said.endsWith(".uri")) {
                return new Form(
                        said,
                        said + " (redis://user:password@host)",
                        "the scheme of " + said + " (redis://, redis-sentinel:// or redis-cluster://)",
                        said + " (redis://host/0)",
                        said + " (after the #)",
                        OF_SENTINELS,
                        "the scheme of " + said + " (redis:// or rediss://)");
            }
            if (!said.endsWith(".address")) {
                return new Form(said, said, said, said, said, said, said);
            }
            String form = said.substring(0, said.lastIndexOf('.'));
            return new Form(
                    said,
                    form + ".username and .password",
                    form + ".type",
                    form + ".database",
                    form + ".master",
                    OF_SENTINELS,
                    said + " (it begins with rediss:// for TLS)");
        }
    }
}
