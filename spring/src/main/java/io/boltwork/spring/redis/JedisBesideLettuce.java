// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.redis;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/*
 * If Lettuce and Jedis are both on the class path, Spring Boot uses Lettuce. An application that has excluded Lettuce
 * and added Jedis would change its client by adding Boltwork, which needs Lettuce. At run time, this application cannot
 * be distinguished from one that has had both.
 */
/** Warns if the application may have changed from Jedis to Lettuce because of Boltwork. */
public final class JedisBesideLettuce implements BeanFactoryPostProcessor {
    static final String CLIENT_TYPE = "spring.data.redis.client-type";

    private static final Log LOG = LogFactory.getLog(JedisBesideLettuce.class);

    private final Environment environment;

    public JedisBesideLettuce(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        if (environment.containsProperty(CLIENT_TYPE)) {
            return;
        }
        for (String name : beans.getBeanNamesForType(LettuceConnectionFactory.class, true, false)) {
            if (FactoryRedis.isOfSpringBoot(beans, name)) {
                LOG.warn("Spring Boot uses Lettuce, which Boltwork brings, for the application's own Redis connections,"
                        + " although Jedis is on the class path, too. Set " + CLIENT_TYPE
                        + "=jedis if the application used Jedis before, or " + CLIENT_TYPE
                        + "=lettuce to keep Lettuce without this warning");
            }
        }
    }
}
