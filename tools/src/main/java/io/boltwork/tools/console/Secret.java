// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.console;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** A random text that cannot be guessed: 256 bits. */
final class Secret {
    private final String text;

    private Secret(String text) {
        this.text = text;
    }

    static Secret random() {
        byte[] bytes = new byte[32];
        new SecureRandom().nextBytes(bytes);
        return new Secret(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    /** Returns the text itself, to be sent to the one who may know it. */
    String reveal() {
        return text;
    }

    /** Compares in a time that does not depend on how much of the text is right. */
    boolean matches(@Nullable String candidate) {
        return candidate != null
                && MessageDigest.isEqual(
                        text.getBytes(StandardCharsets.UTF_8), candidate.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "(secret)";
    }
}
