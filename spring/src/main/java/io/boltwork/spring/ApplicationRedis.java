package io.boltwork.spring;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The Redis that the application itself uses. */
interface ApplicationRedis {

    /** Where it is; {@code timeout} is what commands may take, {@code null} for the default. */
    RedisTarget target(@Nullable Duration timeout);
}
