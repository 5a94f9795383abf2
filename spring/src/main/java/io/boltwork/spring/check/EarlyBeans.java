// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.check;

import io.boltwork.spring.operation.LockOperationSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;

/*
 * This processor is not a bean, so it is present before all other post-processors. Objects that are registered as
 * finished instances, such as mocks in tests, do not pass through it.
 */
/**
 * Records the beans that the container has created, including early ones for which no proxy is made. Beans that are
 * proxies already are not recorded.
 */
public final class EarlyBeans implements BeanPostProcessor {
    private final Set<String> created = ConcurrentHashMap.newKeySet();

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (LockOperationSource.isCandidate(bean.getClass()) && !AopUtils.isAopProxy(bean)) {
            created.add(name);
        }
        return bean;
    }

    boolean contains(String name) {
        return created.contains(name);
    }
}
