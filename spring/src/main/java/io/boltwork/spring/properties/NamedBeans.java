// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.properties;

import java.util.Arrays;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Looks up beans that properties name. */
public final class NamedBeans {
    /** The name of the backend's bean. */
    public static final String BACKEND = "boltworkBackend";

    private final ConfigurableListableBeanFactory beans;

    public NamedBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Returns the bean that the property names. The bean is destroyed after the bean {@code user}, which uses it. */
    public <T> T get(String property, String name, Class<T> type, String user) {
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
