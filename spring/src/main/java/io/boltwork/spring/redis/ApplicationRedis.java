// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The Redis deployment that the application itself uses. */
public interface ApplicationRedis {

    /** Returns its location. The timeout applies to commands; {@code null} means the default. */
    RedisLocation target(@Nullable Duration timeout);
}
