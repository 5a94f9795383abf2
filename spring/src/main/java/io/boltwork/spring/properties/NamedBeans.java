// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import java.util.Arrays;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Looks up beans that properties name.
 *
 * @param beans all beans
 * @param user the bean that uses them, and is destroyed before them
 */
public record NamedBeans(ConfigurableListableBeanFactory beans, String user) {
    /** The name of the backend's bean. */
    public static final String BACKEND = "boltworkBackend";

    /** Returns the bean that the property names. */
    public <T> T get(String property, String name, Class<T> type) {
        if (!beans.containsBean(name) || !beans.isTypeMatch(name, type)) {
            throw BoltworkProperties.invalid(
                    property,
                    name,
                    "It must be the name of a bean of type " + type.getName() + ". Candidates: "
                            + Arrays.toString(beans.getBeanNamesForType(type, true, false)));
        }
        T bean = beans.getBean(name, type);
        beans.registerDependentBean(name, user);
        return bean;
    }
}
