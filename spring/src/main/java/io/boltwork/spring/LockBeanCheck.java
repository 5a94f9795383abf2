package io.boltwork.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/*
 * Spring leaves methods alone that it cannot put a proxy before, without a word; a lock that is not taken must not go unnoticed.
 */
/** Looks at the classes of all beans, those that are made later included, for annotations that cannot work. */
final class LockBeanCheck implements MergedBeanDefinitionPostProcessor, SmartInitializingSingleton, PriorityOrdered {
    private final ConfigurableListableBeanFactory beans;
    private final LockOperationSource source;
    private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

    LockBeanCheck(ConfigurableListableBeanFactory beans, LockOperationSource source) {
        this.beans = beans;
        this.source = source;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String name) {
        check(type);
    }

    @Override
    public void afterSingletonsInstantiated() {
        for (String name : beans.getBeanDefinitionNames()) {
            if (!beans.getBeanDefinition(name).isAbstract()) {
                Class<?> type = beans.getType(name, false);
                if (type != null) {
                    check(type);
                }
            }
        }
    }

    private void check(Class<?> type) {
        Class<?> user = ClassUtils.getUserClass(type);
        if (!LockOperationSource.isCandidate(user) || user.isInterface() || !checked.add(user)) {
            return;
        }
        boolean byClass = isProxiedByClass(user);
        for (Class<?> each = user; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Method method : each.getDeclaredMethods()) {
                if (!method.isSynthetic()) {
                    check(user, method, byClass);
                }
            }
        }
    }

    private void check(Class<?> type, Method method, boolean byClass) {
        List<DistributedLock> annotations = LockOperationSource.annotations(method, type);
        if (annotations.isEmpty()) {
            return;
        }
        int modifiers = method.getModifiers();
        if (Modifier.isStatic(modifiers) || Modifier.isPrivate(modifiers)) {
            throw unproxyable(
                    method,
                    Modifier.isStatic(modifiers) ? "is static" : "is private",
                    "Make it a public method of a bean, and call it from another bean.");
        }
        if (byClass && (Modifier.isFinal(modifiers) || Modifier.isFinal(type.getModifiers()))) {
            throw unproxyable(
                    method,
                    Modifier.isFinal(modifiers) ? "is final" : "is in a final class",
                    "Take 'final' away" + (type.isRecord() ? " (a record always is)" : "")
                            + "; in Kotlin use the Spring plugin or 'open'.");
        }
        if (!byClass && !isOfInterface(type, method)) {
            throw unproxyable(
                    method,
                    "is in none of the interfaces of its class, and proxies are made of interfaces",
                    "Declare it in an interface, or set spring.aop.proxy-target-class=true, the default.");
        }
        source.find(method, type);
    }

    private static LockDefinitionException unproxyable(Method method, String why, String action) {
        return LockExpressions.wrong(
                method, "the method " + why + ", so that no proxy can take its lock", action, null);
    }

    private static boolean isOfInterface(Class<?> type, Method method) {
        for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            if (ClassUtils.hasMethod(each, method.getName(), method.getParameterTypes())) {
                return true;
            }
        }
        return false;
    }

    private boolean isProxiedByClass(Class<?> type) {
        if (ClassUtils.getAllInterfacesForClass(type).length == 0
                || !beans.containsBeanDefinition(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)) {
            return true;
        }
        Object creator = beans.getSingleton(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME);
        return !(creator instanceof ProxyConfig config) || config.isProxyTargetClass();
    }
}
