package io.boltwork.redis;

import io.boltwork.BackendException;
import io.boltwork.spi.Reply.Failed;
import io.lettuce.core.RedisCommandExecutionException;
import io.netty.handler.ssl.NotSslRecordException;
import java.security.cert.CertificateException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What failures mean: whether waiting may heal them, and what to tell the user. What a server says goes into messages without
 * what it quotes of a command, and is never kept as a cause, because it may quote a password.
 */
final class Errors {
    /** An error's code, of a plain error, and of one inside a script before Redis 7. */
    private static final Pattern CODE =
            Pattern.compile("^(?:ERR Error running script.*@user_script: ?\\d+: -?)?([A-Z]+)\\b.*", Pattern.DOTALL);

    private static final Pattern QUOTED = Pattern.compile(",? with args beginning with.*", Pattern.DOTALL);

    /** Errors that come before a script has written anything. */
    private static final Set<String> NOT_EXECUTED = Set.of(
            "WRONGTYPE",
            "NOAUTH",
            "WRONGPASS",
            "NOPERM",
            "DENIED",
            "OOM",
            "READONLY",
            "LOADING",
            "BUSY",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "MOVED",
            "ASK",
            "MISCONF",
            "NOREPLICAS",
            "NOSCRIPT");

    private static final Set<String> PASSING = Set.of(
            "OOM",
            "READONLY",
            "LOADING",
            "BUSY",
            "MASTERDOWN",
            "CLUSTERDOWN",
            "TRYAGAIN",
            "MISCONF",
            "NOREPLICAS",
            "NOSCRIPT");

    private final String server;

    /** Of a server, named as in messages: {@code Redis at localhost:6379}. */
    Errors(String server) {
        this.server = server;
    }

    /** The server answered a command with an error. */
    Failed refused(String error, String about) {
        String code = code(error);
        return new Failed(
                !NOT_EXECUTED.contains(code),
                new BackendException(
                        server + " refused a command for " + about + ": " + meaning(code) + " [" + words(error) + "]",
                        PASSING.contains(code),
                        null));
    }

    /** A command's future failed, for whatever reason. */
    Failed failed(Throwable failure, String about) {
        Throwable cause = unwrap(failure);
        return cause instanceof RedisCommandExecutionException
                ? refused(String.valueOf(cause.getMessage()), about)
                : new Failed(false, lost(cause, true, about));
    }

    /** The server's answer makes no sense. */
    Failed unexpected(RuntimeException cause, String about) {
        return new Failed(
                true,
                new BackendException(
                        server + " gave an answer for " + about + " that no script of this version gives: "
                                + cause.getMessage(),
                        false,
                        cause));
    }

    /** The connection broke, or was closed, before the answer came. */
    BackendException lost(Throwable cause, boolean written, String about) {
        return new BackendException(
                written
                        ? "The connection to " + server + " was lost before the answer for " + about + " came"
                        : "Not connected to " + server + "; nothing was sent for " + about,
                true,
                cause);
    }

    /** There is no connection to send a command on. */
    BackendException notConnected(BackendException why) {
        return new BackendException("Not connected to " + server + ": " + why.getMessage(), why.isRetryable(), why);
    }

    /** A connection could not be made. */
    BackendException connecting(Throwable failure) {
        Throwable cause = root(failure);
        if (cause instanceof BackendException known) {
            return known;
        }
        String said = String.valueOf(cause.getMessage());
        if (cause instanceof RedisCommandExecutionException || said.startsWith("DENIED")) {
            String code = code(said);
            String why = meaning(code);
            if (isAboutPassword(code, said)) {
                why = "the server refused user or password of the URI";
            } else if (said.contains("DB index")) {
                why = "there is no such database";
            }
            boolean passing = PASSING.contains(code) || said.contains("max number of clients");
            return new BackendException(
                    "Cannot connect to " + server + ": " + why + " [" + words(said) + "]", passing, null);
        }
        if (cause instanceof NotSslRecordException) {
            return new BackendException(
                    "Cannot connect to " + server + ": it does not speak TLS there; use redis:// or its TLS port",
                    false,
                    cause);
        }
        if (cause instanceof CertificateException) {
            return new BackendException(
                    "Cannot connect to " + server + ": its certificate is not trusted (" + said + ")", false, cause);
        }
        return new BackendException(
                "Cannot connect to " + server + ": " + (cause.getMessage() == null ? cause : said), true, cause);
    }

    /** The server is there, but not fit. */
    BackendException unfit(String why) {
        return new BackendException(server + " cannot be used: " + why, false, null);
    }

    /** It has not answered while the connection was being made. */
    BackendException silent(long millis, boolean tls) {
        String hint = tls ? "; does it speak TLS there?" : "";
        return new BackendException(
                "Cannot connect to " + server + ": no answer within " + millis + " ms" + hint, true, null);
    }

    /** A connection that was up is lost. */
    BackendException broken(String why) {
        return new BackendException("The connection to " + server + " was lost: " + why, true, null);
    }

    /** Nobody wants the connection any more. */
    BackendException closed() {
        return new BackendException("The backend for " + server + " is closed", false, null);
    }

    private static boolean isAboutPassword(String code, String said) {
        return code.equals("WRONGPASS")
                || code.equals("NOAUTH")
                || said.contains("invalid password")
                || said.contains("AUTH");
    }

    private static String code(String error) {
        Matcher matcher = CODE.matcher(error);
        return matcher.matches() ? matcher.group(1) : "";
    }

    private static String words(String error) {
        return QUOTED.matcher(error).replaceFirst("").strip();
    }

    private static String meaning(String code) {
        return switch (code) {
            case "WRONGTYPE" ->
                "the key holds something else than a lock of Boltwork; choose another key prefix or delete it";
            case "NOAUTH", "WRONGPASS" -> "user or password are missing or wrong";
            case "NOPERM" -> "the user lacks a right; allow it EVALSHA, EVAL, the key prefix and its channels";
            case "DENIED" -> "the server is in protected mode; give it a password or bind it to this network";
            case "OOM" -> "its memory is full; raise maxmemory or remove data";
            case "READONLY" -> "it is a replica; connect to the master";
            case "LOADING" -> "it is still loading its data";
            case "BUSY" -> "it is busy with somebody's slow script";
            case "MISCONF" -> "it cannot write its data to disk and therefore refuses writes";
            case "NOREPLICAS" -> "it has too few replicas and therefore refuses writes";
            case "MOVED", "ASK", "CLUSTERDOWN", "TRYAGAIN" ->
                "it is a node of a Redis Cluster, not a standalone server";
            default -> "the server reported an error";
        };
    }

    private static Throwable unwrap(Throwable failure) {
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
