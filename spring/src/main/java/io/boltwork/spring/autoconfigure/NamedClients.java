// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import io.boltwork.LockClient;
import io.boltwork.spring.properties.ClientProperties;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.env.Environment;

/**
 * Definitions of the beans of {@code boltwork.clients.*}. A bean of the application with the same name replaces one.
 */
final class NamedClients {
    /** The end of a bean's name, after that of the client. */
    static final String CLIENT = "LockClient";

    private NamedClients() {}

    /**
     * Registers a bean for each client, with the client's name as its qualifier.
     *
     * @param factory the class with a static method of that name, whose first argument is the client's name
     * @param suffix what follows the client's name in that of the bean
     */
    static void register(
            BeanDefinitionRegistry registry, Environment environment, Class<?> factory, String method, String suffix) {
        for (String client : ClientProperties.names(environment)) {
            if (registry.containsBeanDefinition(client + suffix)) {
                continue;
            }
            RootBeanDefinition definition = new RootBeanDefinition(factory);
            definition.setFactoryMethodName(method);
            definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
            definition.getConstructorArgumentValues().addIndexedArgumentValue(0, client);
            definition.setDefaultCandidate(false);
            definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, client));
            registry.registerBeanDefinition(client + suffix, definition);
        }
    }

    static LockClient client(BeanFactory beans, String client) {
        return beans.getBean(client + CLIENT, LockClient.class);
    }
}
