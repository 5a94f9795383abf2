// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import io.boltwork.LockClient;
import io.boltwork.redis.ExpiringCredentials;
import io.boltwork.redis.RedisBackend;
import io.boltwork.redis.RedisOptions;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/** A client whose password is a token that ends. The snippet of docs/run/operations.md. */
final class ChangingPassword {
    private ChangingPassword() {}

    /** A service that issues tokens, such as IAM, Entra or Vault. */
    interface Tokens {
        CompletionStage<Token> next();
    }

    record Token(String user, String text, Instant end) {}

    static LockClient locks(String uri, Tokens tokens) {
        // @start region="credentials"
        RedisOptions options = RedisOptions.defaults()
                .withCredentials(() -> tokens.next()
                        .thenApply(token -> ExpiringCredentials.of(token.user(), token.text(), token.end())));
        LockClient locks = LockClient.create(RedisBackend.connect(uri, options)); // uri: without a password
        // @end
        return locks;
    }
}
