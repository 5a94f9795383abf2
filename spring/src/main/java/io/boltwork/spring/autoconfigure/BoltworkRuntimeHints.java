// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.spring.properties.BoltworkProperties;
import io.boltwork.spring.properties.SpringRedisProperties;
import io.boltwork.spring.text.LockExpressionRoot;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/**
 * Registers hints for native images: the scripts, the root object of expressions, the types that are bound without
 * being beans, and the field that locates the application's Redis.
 */
public final class BoltworkRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/boltwork/redis/*.lua").registerPattern("io/boltwork/redis/include/*.lua");
        hints.reflection().registerType(LockExpressionRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
                        factory -> factory.withField("configuration"));
        BindableRuntimeHintsRegistrar.forTypes(SpringRedisProperties.class, BoltworkProperties.Server.class)
                .registerHints(hints);
    }
}
