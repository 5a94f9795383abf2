package io.boltwork.spring;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.config.BeanPostProcessor;

/*
 * It is there before all other post-processors, because it is no bean. Objects that are registered as they are, such as mocks of
 * tests, do not pass it.
 */
/** Notes which beans the container has created, the early ones included, which no proxy is made for. */
final class EarlyBeans implements BeanPostProcessor {
    private final Set<String> created = ConcurrentHashMap.newKeySet();

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (LockOperationSource.isCandidate(bean.getClass())) {
            created.add(name);
        }
        return bean;
    }

    boolean contains(String name) {
        return created.contains(name);
    }
}
