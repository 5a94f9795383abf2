// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import static io.boltwork.spring.TestApplication.memory;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** An application with Jedis learns that Spring Boot prefers Lettuce, which Boltwork brings. */
@ExtendWith(OutputCaptureExtension.class)
class JedisBesideLettuceTest {
    private static final String WARNING = "Set spring.data.redis.client-type=jedis";

    private static void run(ApplicationContextRunner application, Class<? extends RedisConnectionFactory> expected) {
        application.run(context -> assertThat(context)
                .hasNotFailed()
                .getBean(RedisConnectionFactory.class)
                .isInstanceOf(expected));
    }

    @Test
    void warnsOnceIfSpringBootChoosesLettuce(CapturedOutput output) {
        run(memory(), LettuceConnectionFactory.class);
        assertThat(output.getAll().split(WARNING, -1)).hasSize(2);
    }

    @Test
    void silentIfTheApplicationChooses(CapturedOutput output) {
        run(memory().withPropertyValues("spring.data.redis.client-type=jedis"), JedisConnectionFactory.class);
        run(memory().withPropertyValues("spring.data.redis.client-type=lettuce"), LettuceConnectionFactory.class);
        run(
                memory().withBean(RedisConnectionFactory.class, LettuceConnectionFactory::new),
                LettuceConnectionFactory.class);
        assertThat(output).doesNotContain(WARNING);
    }

    @Test
    void silentWithoutJedis(CapturedOutput output) {
        run(memory().withClassLoader(new FilteredClassLoader("redis.clients.jedis")), LettuceConnectionFactory.class);
        memory().withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain(WARNING);
    }
}
