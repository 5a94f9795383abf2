// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender.peer;

import io.boltwork.bench.contender.Setting;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Spring's connections over Lettuce, as Spring Boot makes them: one that all threads share. */
final class SpringLettuce {
    private SpringLettuce() {}

    static LettuceConnectionFactory connect(Setting setting) {
        LettuceConnectionFactory connections =
                new LettuceConnectionFactory(new RedisStandaloneConfiguration(setting.host(), setting.port()));
        connections.afterPropertiesSet();
        connections.start();
        return connections;
    }
}
