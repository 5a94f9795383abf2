// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.check;

import io.boltwork.annotation.operation.LockAnnotation;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.MethodHierarchy;
import io.boltwork.spring.call.LockAdvisor;
import io.boltwork.spring.operation.LockAnnotations;
import io.boltwork.spring.operation.LockOperationSource;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanFactory;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.PriorityOrdered;
import org.springframework.util.ClassUtils;

/*
 * Spring silently ignores methods that it cannot proxy, and beans that are created before there are proxies. A lock
 * that is not acquired must not go unnoticed. An annotation on a class applies to the methods that a proxy of that
 * class can intercept. It does not apply to methods that are inherited and final, or that are in none of the interfaces
 * of an interface-based proxy.
 */
/**
 * Checks the classes of all beans, including beans that are created later, for annotations that cannot work. As the
 * last post-processor, it also corrects the place of the lock in each proxy.
 */
public final class LockBeanCheck
        implements MergedBeanDefinitionPostProcessor, SmartInitializingSingleton, PriorityOrdered {
    private static final Log LOG = LogFactory.getLog(LockBeanCheck.class);

    private final ConfigurableListableBeanFactory beans;
    private final LockOperationSource source;
    private final boolean slice;
    private final ProxyKind kind;
    private final Set<Checked> checked = ConcurrentHashMap.newKeySet();

    private record Checked(Class<?> type, boolean byClass) {}

    /** Creates a check. A {@code slice}, as tests use it, has only some of the application's beans. */
    public LockBeanCheck(ConfigurableListableBeanFactory beans, LockOperationSource source, boolean slice) {
        this.beans = beans;
        this.slice = slice;
        this.source = source;
        this.kind = new ProxyKind(beans);
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String name) {
        check(name, type);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Advised proxy) {
            LockAdvisor.placeInsideExecutors(proxy);
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        boolean complete = true;
        for (String name : beans.getBeanDefinitionNames()) {
            if (!beans.getBeanDefinition(name).isAbstract()) {
                Class<?> type = beans.getType(name, false);
                complete &= isKnown(name, type);
                if (type != null) {
                    check(name, Proxy.isProxyClass(type) ? behind(name, type) : type);
                }
            }
        }
        List<EarlyBeans> early = early();
        for (String name : beans.getSingletonNames()) {
            Object bean = beans.getSingleton(name);
            if (bean != null && !ProxyKind.isAdvised(bean)) {
                checkUnadvised(name, bean, early);
            }
        }
        if (!slice) {
            for (RuntimeException mistake : source.overrides().mistakes()) {
                if (complete) {
                    throw mistake;
                }
                LOG.warn("Nothing has read a property so far: " + mistake.getMessage());
            }
        }
    }

    /**
     * Returns whether the class of a bean is known for certain. A bean that is created later may be of any class that
     * implements the declared interface, and a mock hides the class that it replaces.
     */
    private boolean isKnown(String name, @Nullable Class<?> type) {
        if (type == null || ClassUtils.isLambdaClass(type)) {
            return beans.containsSingleton(name) || isOfSpring(name);
        }
        if (beans.containsSingleton(name)) {
            return !type.getName().contains("$MockitoMock$");
        }
        return !Modifier.isAbstract(type.getModifiers()) || isOfSpring(name);
    }

    private boolean isOfSpring(String name) {
        BeanDefinition definition = beans.getBeanDefinition(name);
        String declared =
                definition instanceof AnnotatedBeanDefinition annotated && annotated.getFactoryMethodMetadata() != null
                        ? annotated.getFactoryMethodMetadata().getDeclaringClassName()
                        : String.valueOf(definition.getBeanClassName());
        return declared.startsWith("org.springframework.");
    }

    /** Returns the class whose methods a proxy of Spring intercepts. */
    private Class<?> behind(String name, Class<?> proxy) {
        Object bean = beans.getSingleton(name);
        return bean != null && bean.getClass() == proxy ? AopUtils.getTargetClass(bean) : proxy;
    }

    private List<EarlyBeans> early() {
        return beans instanceof AbstractBeanFactory factory
                ? factory.getBeanPostProcessors().stream()
                        .filter(EarlyBeans.class::isInstance)
                        .map(EarlyBeans.class::cast)
                        .toList()
                : List.of();
    }

    private void check(String name, Class<?> type) {
        Class<?> user = ClassUtils.getUserClass(type);
        if (!LockOperationSource.isCandidate(user) || user.isInterface()) {
            return;
        }
        boolean byClass = kind.isByClass(name, user);
        if (!checked.add(new Checked(user, byClass))) {
            return;
        }
        try {
            for (Method method : MethodHierarchy.all(user)) {
                check(user, method, byClass);
            }
        } catch (LockDefinitionException wrong) {
            throw wrong.in(name);
        }
    }

    private void check(Class<?> type, Method method, boolean byClass) {
        List<LockAnnotation> annotations = LockAnnotations.of(method, type);
        if (annotations.isEmpty()) {
            return;
        }
        LockAnnotation first = annotations.get(0);
        Obstacle obstacle = MethodHierarchy.isGenerated(type) ? null : obstacle(type, method, byClass, first);
        if (obstacle != null) {
            throw LockDefinitionException.wrong(
                            method,
                            "the method " + obstacle.why() + ", so no proxy can acquire its lock",
                            obstacle.action(),
                            null)
                    .of(first.text());
        }
        source.find(method, type);
    }

    /**
     * The reason why no proxy can intercept a method, or does not intercept the methods of a bean.
     *
     * @param why the predicate of a message about the method or the bean
     * @param action the remedy
     */
    private record Obstacle(String why, String action) {}

    /**
     * Returns the obstacle; {@code null} if a proxy can intercept the method, or if the annotation does not apply to
     * it.
     */
    private static @Nullable Obstacle obstacle(
            Class<?> type, Method method, boolean byClass, LockAnnotation annotation) {
        int modifiers = method.getModifiers();
        if (Modifier.isStatic(modifiers) || Modifier.isPrivate(modifiers)) {
            return new Obstacle(
                    Modifier.isStatic(modifiers) ? "is static" : "is private",
                    "Make it a public method of a bean, and call it from another bean.");
        }
        if (isEqualsOrHashCode(method)) {
            return new Obstacle(
                    "is implemented by the proxies themselves",
                    "Acquire the lock in a method with another name, or with LockTemplate.");
        }
        Class<?> declaredOn = annotation.declaredOn();
        if (byClass) {
            if (!MethodHierarchy.isVisible(method, type)) {
                return new Obstacle(
                        "is package-private, and the bean's class is in another package",
                        "Make it public or protected, or move the class to the same package.");
            }
            boolean meant = declaredOn == null
                    || declaredOn.isInterface()
                    || declaredOn.isAssignableFrom(method.getDeclaringClass());
            boolean finalClass = Modifier.isFinal(type.getModifiers());
            return finalClass || Modifier.isFinal(modifiers) && meant
                    ? new Obstacle(
                            finalClass ? "is in a final class" : "is final",
                            "Remove 'final'" + (type.isRecord() ? " (a record is always final)" : "")
                                    + ". In Kotlin, use the Spring plugin or 'open'.")
                    : null;
        }
        return declaredOn == null && !isOfInterface(type, method)
                ? new Obstacle(
                        "is in none of the interfaces of its class, but proxies are based on interfaces",
                        "Declare it in an interface, or set spring.aop.proxy-target-class=true, the default.")
                : null;
    }

    private static boolean isEqualsOrHashCode(Method method) {
        return method.getName().equals("hashCode") && method.getParameterCount() == 0
                || method.getName().equals("equals")
                        && Arrays.equals(method.getParameterTypes(), new Class<?>[] {Object.class});
    }

    private static boolean isOfInterface(Class<?> type, Method method) {
        return MethodHierarchy.declarations(method, type).stream()
                .anyMatch(each -> each.getDeclaringClass().isInterface());
    }

    /** Returns the reason why a bean has no proxy that acquires locks; {@code null} if it may need none. */
    private @Nullable Obstacle obstacle(String name, Object bean, List<EarlyBeans> early) {
        if (!beans.containsBeanDefinition(name)) {
            return new Obstacle(
                    "was registered as a finished object",
                    "Register a bean definition, such as registerBean(name, type, supplier).");
        }
        if (early.stream().anyMatch(each -> each.contains(name))) {
            String dependents = Arrays.toString(beans.getDependentBeans(name));
            return new Obstacle(
                    "was created before proxies were available, because it is required by "
                            + (dependents.equals("[]") ? "a post-processor" : dependents),
                    "Inject an ObjectProvider of it into post-processors and advisors, or mark the parameter @Lazy, and"
                            + " make @Bean methods of post-processors static.");
        }
        return AopUtils.isAopProxy(bean)
                ? new Obstacle(
                        "is a proxy that hides the annotated class",
                        "Define the object behind the proxy as the bean, or annotate the interface of the proxy.")
                : null;
    }

    private void checkUnadvised(String name, Object bean, List<EarlyBeans> early) {
        Obstacle obstacle = obstacle(name, bean, early);
        Class<?> type = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
        if (obstacle == null || !LockOperationSource.isCandidate(type)) {
            return;
        }
        check(name, type);
        if (!source.isLocked(type)) {
            return;
        }
        for (Method method : MethodHierarchy.all(type)) {
            if (source.find(method, type) != null) {
                throw LockDefinitionException.wrong(
                                method,
                                "the bean " + obstacle.why() + ", so no proxy acquires its lock",
                                obstacle.action(),
                                null)
                        .of(LockAnnotations.of(method, type).get(0).text())
                        .in(name);
            }
        }
    }
}
