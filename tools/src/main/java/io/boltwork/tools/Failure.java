// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools;

import io.boltwork.BackendException;
import io.boltwork.LeaseLostException;
import io.boltwork.LockTimeoutException;
import io.boltwork.spi.Printable;
import java.util.Map;

/**
 * The explanation of an exception for the user.
 *
 * @param message one line
 * @param exitCode the exit code of the command
 */
public record Failure(String message, int exitCode) {

    /** The library's names of its options, and the command's. */
    private static final Map<String, String> OPTIONS = Map.of(
            "RedisOptions.withSentinelCredentials", "--sentinel-user and --sentinel-password-file",
            "RedisOptions.withTrustedCertificates", "--tls-ca",
            "RedisOptions.withClientCertificate", "--tls-cert and --tls-key",
            "RedisOptions.withBridge", "--bridge",
            "EtcdOptions.withCredentials", "--user and --password-file");

    /** Returns a message of the library with the options of the command. */
    public static String withOptions(String message) {
        String text = message;
        for (Map.Entry<String, String> option : OPTIONS.entrySet()) {
            text = text.replace(option.getKey(), option.getValue());
        }
        return text;
    }

    /** Explains an exception. */
    public static Failure of(Throwable thrown) {
        String message = withOptions(String.valueOf(thrown.getMessage()));
        if (thrown instanceof BackendException backend) {
            return new Failure(message, backend.isRetryable() ? ExitCode.NO_SERVER : ExitCode.NO_RIGHTS);
        }
        if (thrown instanceof IllegalArgumentException) {
            return new Failure(message, ExitCode.USAGE);
        }
        if (thrown instanceof LockTimeoutException) {
            return new Failure(message, ExitCode.REFUSED);
        }
        if (thrown instanceof LeaseLostException) {
            return new Failure(message, ExitCode.LOST);
        }
        return new Failure(
                "an error in boltwork itself: " + thrown + " (--debug prints where it happened)", ExitCode.DEFECT);
    }

    /** Returns a message as one line without control characters. */
    static String oneLine(String message) {
        return Printable.text(message.strip().replaceAll("\\s*\\R\\s*", "; "));
    }

    @Override
    public String toString() {
        return oneLine(message) + " (exit code " + exitCode + ")";
    }
}
