// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.check;

import io.boltwork.annotation.text.MethodHierarchy;
import io.boltwork.spring.call.LockAdvisor;
import java.util.Arrays;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.framework.ProxyProcessorSupport;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Conventions;

/** Determines the kind of proxy that Spring creates for a bean, by the same rules. */
final class ProxyKind extends ProxyProcessorSupport {
    private static final long serialVersionUID = 1L;

    /** An attribute of bean definitions that requests proxies with interfaces. Spring 7 has a constant for it. */
    private static final String EXPOSED_INTERFACES =
            Conventions.getQualifiedAttributeName(AutoProxyUtils.class, "exposedInterfaces");

    private final transient ConfigurableListableBeanFactory beans;

    ProxyKind(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Returns whether the proxy is a subclass. If not, it is based on interfaces. */
    boolean isByClass(String name, Class<?> type) {
        if (MethodHierarchy.isGenerated(type)) {
            return false;
        }
        if (!beans.containsBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)) {
            return true;
        }
        boolean exposed = false;
        if (beans.containsBeanDefinition(name)) {
            if (AutoProxyUtils.shouldProxyTargetClass(beans, name)) {
                return true;
            }
            exposed = beans.getBeanDefinition(name).hasAttribute(EXPOSED_INTERFACES);
        }
        Object creator = beans.getSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
        boolean ofClasses = !(creator instanceof ProxyConfig config) || config.isProxyTargetClass();
        if (ofClasses && !exposed) {
            return true;
        }
        ProxyFactory proxy = new ProxyFactory();
        evaluateProxyInterfaces(type, proxy);
        return proxy.isProxyTargetClass();
    }

    /** Returns whether the locks of a bean are acquired, as far as its proxy shows. */
    static boolean isAdvised(Object bean) {
        if (!AopUtils.isAopProxy(bean)) {
            return false;
        }
        if (bean instanceof ScopedObject || !(bean instanceof Advised advised)) {
            return true; // the target is another bean, or is not visible
        }
        if (Arrays.stream(advised.getAdvisors()).anyMatch(LockAdvisor.class::isInstance)) {
            return true;
        }
        if (!advised.getTargetSource().isStatic()) {
            return true;
        }
        try {
            Object target = advised.getTargetSource().getTarget();
            return target != null && isAdvised(target);
        } catch (Exception e) {
            return true; // not visible
        }
    }
}
