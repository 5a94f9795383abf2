// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.address;

import io.boltwork.BackendException;
import io.boltwork.spi.Reply.Failed;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.netty.handler.ssl.NotSslRecordException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Explains failures: whether they are temporary, and what the user can do. Messages include the server's words, but not
 * the parts of a command that the server quotes. The server's exception is never kept as a cause. Both might contain a
 * password.
 */
public final class Errors {
    private static final Pattern COMMAND = Pattern.compile("to run the '([^' ]+)' command");

    private static final Pattern WANTS_CERTIFICATE =
            Pattern.compile("certificate_required|bad_certificate|unknown_ca|certificate_unknown|handshake_failure");

    private static final Pattern QUOTED = Pattern.compile(",? with args beginning with.*", Pattern.DOTALL);

    /** Covers both a server that does not know the command and one that has nothing to wait for. */
    private static final String NO_DISK =
            "Replication.onDisk needs Redis 7.2 or later, or Valkey, with 'appendonly yes', and not a replica";

    /** Java's wording for a valid certificate of another host. */
    private static final Pattern OTHER_NAME = Pattern.compile("No subject alternative|No name matching");

    private static final String NO_LOCKS = "it refuses to grant locks: ";

    private final String server;

    /** The place where the user and password were given. */
    private final String credentials;

    /** True if a refused password may pass, because a provider will give another one. */
    private final boolean changing;

    private final boolean tls;
    private final boolean cluster;

    /** Creates the errors of a deployment. */
    public Errors(RedisDeployment deployment) {
        this(
                deployment.describe(),
                deployment.isTls(),
                "the URI",
                deployment.node().hasProvider(),
                deployment.kind() == RedisDeployment.Kind.CLUSTER);
    }

    /**
     * Creates the errors of a server.
     *
     * @param server the name in messages, such as {@code Redis at localhost:6379}
     * @param tls whether connections use TLS
     */
    public Errors(String server, boolean tls) {
        this(server, tls, "the URI", false, false);
    }

    private Errors(String server, boolean tls, String credentials, boolean changing, boolean cluster) {
        this.server = server;
        this.tls = tls;
        this.credentials = changing ? "the credentials provider" : credentials;
        this.changing = changing;
        this.cluster = cluster;
    }

    public static Errors of(RedisAddress address) {
        return new Errors(
                "Redis at " + address.hostAndPort(),
                address.lettuce().isSsl(),
                "the URI",
                address.hasProvider(),
                false);
    }

    /** Returns the errors of one server of the deployment. */
    public Errors at(String hostAndPort) {
        return new Errors("Redis at " + hostAndPort, tls, credentials, changing, cluster);
    }

    public static Errors ofSentinel(RedisAddress address) {
        return new Errors(
                "the sentinel at " + address.hostAndPort(),
                address.lettuce().isSsl(),
                "RedisOptions.withSentinelCredentials",
                address.hasProvider(),
                false);
    }

    /** Returns the failure of an attempt in which several servers were asked without success. */
    public static BackendException none(String what, List<BackendException> failures) {
        StringJoiner all = new StringJoiner("; ", " (", ")");
        all.setEmptyValue("");
        failures.forEach(failure -> all.add(String.valueOf(failure.getMessage())));
        boolean retryable = failures.isEmpty() || failures.stream().anyMatch(BackendException::isRetryable);
        return new BackendException(what + all, retryable, failures.isEmpty() ? null : failures.get(0));
    }

    /** Returns why a server refuses writes; an empty text if the failure is another one. */
    public String refusesWrites(Throwable failure) {
        String error = refusal(failure);
        String code = ErrorCodes.code(error);
        return ErrorCodes.refusesWrites(error) ? NO_LOCKS + meaning(code) + " [" + words(error) + "]" : "";
    }

    /** Returns which rights are missing, for a check of that many commands about a key; an empty text if none is. */
    public String missingRights(List<String> commands, int checked, String key) {
        if (commands.isEmpty()) {
            return "";
        }
        String rights = commands.size() == checked
                ? "~" + key + ", to the keys of this backend's prefix"
                : "+" + String.join(" +", commands);
        return NO_LOCKS + "the user lacks a right: " + rights;
    }

    /** Returns whether a sentinel does not know the name of the master. */
    public static boolean isUnknownMaster(Throwable failure) {
        return unwrap(failure) instanceof RedisCommandExecutionException refused
                && String.valueOf(refused.getMessage()).contains("No such master");
    }

    /** Returns whether the server refuses writes because it is a replica now. */
    public static boolean isAboutReplica(String error) {
        String code = ErrorCodes.code(error);
        return code.equals("READONLY") || code.equals("MASTERDOWN");
    }

    /** Returns the reply to a command that the server answered with an error. */
    public Failed refused(String error, String about) {
        return refused(error, about, false);
    }

    /** Returns the reply to a command that the server answered with an error, perhaps one that {@code passes}. */
    public Failed refused(String error, String about, boolean passes) {
        String code = ErrorCodes.code(error);
        String meaning = ErrorCodes.isAboutRightInside(error) || code.equals("NOPERM")
                ? missingRight(error)
                : error.contains("WAITAOF") || error.contains("waitaof") ? NO_DISK : meaning(code);
        return new Failed(
                !ErrorCodes.isBeforeTheFirstWrite(error),
                new BackendException(
                        server + " refused a command for " + about + ": " + meaning + " [" + words(error) + "]",
                        passes || ErrorCodes.mayPass(error) || cluster && (code.equals("MOVED") || code.equals("ASK")),
                        null));
    }

    /** Returns the reply to a command whose future failed, for any reason. */
    public Failed failed(Throwable failure, String about) {
        Throwable cause = unwrap(failure);
        return cause instanceof RedisCommandExecutionException
                ? refused(String.valueOf(cause.getMessage()), about)
                : new Failed(false, lost(cause, true, about));
    }

    /** Returns the reply to a command whose answer cannot be read. */
    public Failed unexpected(RuntimeException cause, String about) {
        return new Failed(
                true,
                new BackendException(
                        server + " gave an answer for " + about + " that this version does not understand: "
                                + cause.getMessage(),
                        false,
                        cause));
    }

    /** Returns the failure of a command whose connection broke or was closed before the answer. */
    public BackendException lost(Throwable cause, boolean written, String about) {
        return new BackendException(
                written
                        ? "The connection to " + server + " was lost before the answer for " + about + " arrived"
                        : "Not connected to " + server + "; nothing was sent for " + about,
                true,
                cause);
    }

    /** Returns the failure of a command for which there is no connection. */
    public BackendException notConnected(BackendException why) {
        return new BackendException("Not connected to " + server + ": " + why.getMessage(), why.isRetryable(), why);
    }

    /** Returns the failure of an attempt to connect. */
    public BackendException connecting(Throwable failure) {
        Throwable cause = root(failure);
        if (cause instanceof BackendException known) {
            return known;
        }
        String said = String.valueOf(cause.getMessage());
        if (cause instanceof RedisCommandExecutionException || said.startsWith("DENIED")) {
            return refusedConnection(said);
        }
        BackendException insecure = handshake(cause, said);
        if (insecure != null) {
            return insecure;
        }
        if (cause instanceof RedisCommandTimeoutException) {
            return new BackendException("Cannot connect to " + server + ": " + said, true, cause);
        }
        if (isAboutName(failure)) {
            return new BackendException(
                    "Cannot connect to " + server + ": the name is unknown on this machine (" + said
                            + "). Check the spelling, and the DNS of this machine",
                    true,
                    cause);
        }
        boolean hungUp = said.contains("Connection reset") || said.contains("closed prematurely");
        boolean noHandshake = said.contains("handshake timed out");
        String hint = hungUp && !tls
                ? "; if it speaks TLS there, use rediss://"
                : noHandshake ? "; does it speak TLS there?" : "";
        return new BackendException(
                "Cannot connect to " + server + ": " + (cause.getMessage() == null ? cause : said) + hint, true, cause);
    }

    private static boolean isAboutName(Throwable failure) {
        return Stream.iterate(failure, Objects::nonNull, Throwable::getCause)
                .anyMatch(UnknownHostException.class::isInstance);
    }

    /** Returns the failure of an attempt to connect that the server refused. */
    private BackendException refusedConnection(String said) {
        String code = ErrorCodes.code(said);
        String why = code.equals("NOPERM") ? missingRight(said) : meaning(code);
        boolean passing = ErrorCodes.mayPass(said);
        if (isAboutPassword(said)) {
            why = "the server refused the user or password of " + credentials;
            passing |= changing;
        } else if (said.contains("unknown command")
                && said.toUpperCase(Locale.ROOT).contains("SENTINEL")) {
            why = "it is not a sentinel; use redis:// or the sentinels' port";
        } else if (said.contains("DB index")) {
            why = "there is no such database";
        } else if (said.contains("cluster support disabled")) {
            why = "it is not a node of a Redis Cluster; use RedisBackend.connect with redis://";
        }
        return new BackendException(
                "Cannot connect to " + server + ": " + why + " [" + words(said) + "]", passing, null);
    }

    /** Returns the failure of a TLS handshake, or {@code null} if the cause is another one. */
    private @Nullable BackendException handshake(Throwable cause, String said) {
        if (cause instanceof NotSslRecordException) {
            return new BackendException(
                    "Cannot connect to " + server + ": it does not speak TLS there; use redis:// or its TLS port",
                    false,
                    cause);
        }
        if (cause instanceof CertificateException && OTHER_NAME.matcher(said).find()) {
            return new BackendException(
                    "Cannot connect to " + server + ": its certificate is not for that name (" + said
                            + "); connect with a name in the certificate, which sentinels and cluster nodes must"
                            + " announce too, or use verifyPeer=ca",
                    false,
                    cause);
        }
        if (cause instanceof CertificateException) {
            return new BackendException(
                    "Cannot connect to " + server + ": its certificate is not trusted (" + said + ")", false, cause);
        }
        if (cause instanceof SSLException && WANTS_CERTIFICATE.matcher(said).find()) {
            return new BackendException(
                    "Cannot connect to " + server + ": it requires a client certificate that it trusts; see"
                            + " RedisOptions.withClientCertificate (" + said + ")",
                    false,
                    cause);
        }
        return null;
    }

    /** Returns the failure for a server that cannot be used. */
    public BackendException unfit(String why) {
        return new BackendException(server + " cannot be used: " + why, false, null);
    }

    /**
     * Returns the failure for a server whose messages do not arrive, so waiting callers would not learn of their
     * grants.
     */
    public BackendException undelivered(String how) {
        return new BackendException(
                server + " does not deliver what scripts publish: " + how
                        + "; callers that wait for a lock would not be told that they have it"
                        + " (see docs/run/servers.md)",
                false,
                null);
    }

    /** Returns the failure for a server that is a replica. */
    public BackendException replica(String master) {
        return new BackendException(
                server + " cannot be used: it is a replica of " + master
                        + "; give the master's address, or all of them, as redis-replicated:// or to connectReplicated",
                true,
                null);
    }

    /** Returns the failure for a server that is not used because another one has taken its place. */
    public BackendException replaced(String how) {
        return new BackendException(server + " is not used: " + how, true, null);
    }

    /** Returns the failure for a server that did not answer while the connection was being made. */
    public BackendException silent(long millis) {
        String hint = tls ? "; does it speak TLS there?" : "";
        return new BackendException(
                "Cannot connect to " + server + ": no answer within " + millis + " ms" + hint, true, null);
    }

    /** Returns the failure of commands while no connection has been made yet. */
    public BackendException notConnected() {
        return new BackendException("There is no connection to " + server + " yet", true, null);
    }

    /** Returns the failure of a connection that was lost. */
    public BackendException broken(String why) {
        return new BackendException("The connection to " + server + " was lost: " + why, true, null);
    }

    /** Returns the failure of commands after the backend was closed. */
    public BackendException closed() {
        return new BackendException("The backend for " + server + " is closed", false, null);
    }

    /** Returns whether the key has another type than the command needs. */
    public static boolean isAboutType(Throwable failure) {
        return isRefusal(failure, "WRONGTYPE");
    }

    /** Returns whether the key is in a slot that the server does not have, or no longer has. */
    public static boolean isAboutSlot(Throwable failure) {
        return isRefusal(failure, "MOVED") || isRefusal(failure, "ASK");
    }

    /** Returns whether the cluster accepts no commands. */
    public static boolean isAboutCluster(Throwable failure) {
        return isRefusal(failure, "CLUSTERDOWN");
    }

    /** Returns whether the user lacks a right. */
    public static boolean isAboutRight(Throwable failure) {
        return isRefusal(failure, "NOPERM");
    }

    /** Returns whether the server no longer accepts the login of a connection that had one. */
    public static boolean isLoginOver(String error) {
        String code = ErrorCodes.code(error);
        return code.equals("NOAUTH") || code.equals("WRONGPASS");
    }

    static boolean isAboutRight(String error) {
        return ErrorCodes.code(error).equals("NOPERM");
    }

    /** Returns whether the server refused the login of a connection. */
    public static boolean isAboutLogin(Throwable failure) {
        return root(failure) instanceof RedisCommandExecutionException refused
                && isAboutPassword(String.valueOf(refused.getMessage()));
    }

    /** Returns the error that the server answered with, or an empty text if the failure is another one. */
    public static String refusal(Throwable failure) {
        return unwrap(failure) instanceof RedisCommandExecutionException refused
                ? String.valueOf(refused.getMessage())
                : "";
    }

    /** Returns whether the server is loading its data. */
    public static boolean isAboutLoading(Throwable failure) {
        return isRefusal(failure, "LOADING");
    }

    private static boolean isRefusal(Throwable failure, String code) {
        return unwrap(failure) instanceof RedisCommandExecutionException refused
                && ErrorCodes.code(String.valueOf(refused.getMessage())).equals(code);
    }

    /** Returns whether the server closed a connection before Lettuce had read the reason. */
    public static boolean isUnseen(Throwable failure) {
        return String.valueOf(root(failure).getMessage()).contains("RedisHandshakeHandler not registered");
    }

    /** Returns whether the user may not run EVALSHA, and therefore cannot take locks. */
    public static boolean isAboutScripts(String error) {
        return ErrorCodes.code(error).equals("NOPERM") && error.contains("run the 'evalsha' command");
    }

    private static boolean isAboutPassword(String said) {
        return isLoginOver(said) || said.contains("invalid password") || said.contains("AUTH");
    }

    static String words(String error) {
        return QUOTED.matcher(error).replaceFirst("").strip();
    }

    /** Names the missing right in the syntax of {@code ACL SETUSER}. */
    private static String missingRight(String error) {
        Matcher command = COMMAND.matcher(error);
        String right = ErrorCodes.isAboutRightInside(error)
                ? "one that the scripts need, see 'Rights' in docs/run/operations.md"
                : "one that its message names";
        if (error.contains(" keys ") || error.contains("access a key")) {
            right = "~<prefix>:*, to the keys of this backend's prefix";
        } else if (error.contains(" channel")) {
            right = "&<prefix>:grants:* or &<prefix>:told:*, to the channels of this backend's prefix";
        } else if (command.find()) {
            right = "+" + command.group(1);
        }
        return "the user lacks a right: " + right;
    }

    private static String meaning(String code) {
        return switch (code) {
            case "WRONGTYPE" ->
                "the key holds something other than a lock of Boltwork; choose another key prefix or delete it";
            case "BRIDGED" ->
                "other clients share this lock with Redisson; switch the bridge on here, too: RedisOptions.withBridge";
            case "UNBRIDGED" ->
                "the lock cannot be shared with Redisson; see 'What is refused' in docs/move/redisson.md";
            case "NOAUTH", "WRONGPASS" -> "the user or password is missing or wrong";
            case "DENIED" -> "the server is in protected mode; give it a password or bind it to this network";
            case "OOM" -> "its memory is full; raise maxmemory or remove data";
            case "READONLY" -> "it is a replica; connect to the master";
            case "LOADING" -> "it is still loading its data";
            case "BUSY" -> "it is busy with a slow script";
            case "MISCONF" -> "it cannot write its data to disk and therefore refuses writes";
            case "NOREPLICAS" -> "it has too few replicas and therefore refuses writes";
            case "MOVED", "ASK", "TRYAGAIN" -> "the slot of the key is being moved from node to node";
            case "CLUSTERDOWN" ->
                "the cluster accepts no commands: too many of its masters are gone, or the slot has none";
            default -> "the server reported an error";
        };
    }

    public static Throwable unwrap(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static Throwable root(Throwable failure) {
        Throwable root = failure;
        for (@Nullable Throwable next = failure; next != null; next = next.getCause()) {
            root = next;
            if (next instanceof BackendException
                    || next instanceof RedisCommandExecutionException
                    || next instanceof CertificateException) {
                return next;
            }
        }
        return root;
    }
}
