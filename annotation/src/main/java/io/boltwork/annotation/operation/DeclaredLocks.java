// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.DistributedLocks;
import io.boltwork.annotation.text.MethodHierarchy;
import java.lang.annotation.Annotation;
import java.lang.annotation.Inherited;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/*
 * As in CDI, annotations of interfaces and of overridden methods have no effect, and those of superclasses have one if
 * they are inherited.
 */
/** Finds annotations by reflection, also those on other annotations, such as stereotypes. */
public final class DeclaredLocks {
    private DeclaredLocks() {}

    /** Returns the locks of a bean's method. */
    public static List<LockAnnotation> of(Method method, Class<?> bean) {
        List<LockAnnotation> ofClass = ofClass(bean);
        List<LockAnnotation> own = locks(method, null);
        if (!own.isEmpty()) {
            return own.stream()
                    .map(each -> ofClass.size() == 1 ? each.with(ofClass.get(0)) : each.alone())
                    .toList();
        }
        return ofClass.isEmpty() || isLeftOut(method, bean, ofClass)
                ? List.of()
                : ofClass.stream().map(LockAnnotation::alone).toList();
    }

    private static List<LockAnnotation> ofClass(Class<?> bean) {
        for (Class<?> each = bean; each != null; each = each.getSuperclass()) {
            List<LockAnnotation> found = locks(each, each);
            if (!found.isEmpty()) {
                return each == bean || Arrays.stream(each.getAnnotations()).anyMatch(DeclaredLocks::isInherited)
                        ? found
                        : List.of();
            }
        }
        return List.of();
    }

    private static boolean isInherited(Annotation annotation) {
        return annotation.annotationType().isAnnotationPresent(Inherited.class)
                && (annotation instanceof DistributedLock
                        || annotation instanceof DistributedLocks
                        || !locks(annotation.annotationType(), null).isEmpty());
    }

    /** Returns whether an annotation on the class does not apply to the method. */
    private static boolean isLeftOut(Method method, Class<?> bean, List<LockAnnotation> ofClass) {
        return !Modifier.isPublic(method.getModifiers())
                || Modifier.isStatic(method.getModifiers())
                || isOfObject(method)
                || MethodHierarchy.all(bean).stream()
                        .filter(each -> !each.equals(method))
                        .anyMatch(each -> Stream.concat(ofClass.stream(), locks(each, null).stream())
                                        .flatMap(lock ->
                                                Arrays.stream(lock.lock().fallback()))
                                        .anyMatch(method.getName()::equals)
                                && LockFallbacks.fits(method, each, bean));
    }

    private static boolean isOfObject(Method method) {
        return Arrays.stream(Object.class.getMethods())
                .anyMatch(each -> each.getName().equals(method.getName())
                        && Arrays.equals(each.getParameterTypes(), method.getParameterTypes()));
    }

    /** Returns whether a method itself is annotated. */
    public static boolean isAnnotated(AnnotatedElement element) {
        return !locks(element, null).isEmpty();
    }

    private static List<LockAnnotation> locks(AnnotatedElement element, @Nullable Class<?> declaredOn) {
        List<LockAnnotation> found = new ArrayList<>();
        for (Annotation each : element.getDeclaredAnnotations()) {
            collect(each, each.annotationType(), declaredOn, found, new HashSet<>());
        }
        return found;
    }

    private static void collect(
            Annotation annotation,
            Class<?> written,
            @Nullable Class<?> declaredOn,
            List<LockAnnotation> found,
            Set<Class<?>> seen) {
        if (annotation instanceof DistributedLock lock) {
            found.add(LockAnnotation.of(lock, written, declaredOn));
        } else if (annotation instanceof DistributedLocks locks) {
            Class<?> own = written == DistributedLocks.class ? DistributedLock.class : written;
            Arrays.stream(locks.value()).forEach(each -> found.add(LockAnnotation.of(each, own, declaredOn)));
        } else if (seen.add(annotation.annotationType())
                && !annotation.annotationType().getName().startsWith("java.")) {
            for (Annotation each : annotation.annotationType().getDeclaredAnnotations()) {
                collect(each, written, declaredOn, found, seen);
            }
        }
    }

    /** Returns an annotation of a method or its class, or of an annotation of them; {@code null} if there is none. */
    public static <A extends Annotation> @Nullable A find(Class<A> type, Method method, Class<?> bean) {
        A own = find(type, method.getAnnotations(), new HashSet<>());
        return own == null ? find(type, bean.getAnnotations(), new HashSet<>()) : own;
    }

    private static <A extends Annotation> @Nullable A find(
            Class<A> type, Annotation[] annotations, Set<Class<?>> seen) {
        for (Annotation each : annotations) {
            if (type.isInstance(each)) {
                return type.cast(each);
            }
            Class<? extends Annotation> own = each.annotationType();
            A found =
                    seen.add(own) && !own.getName().startsWith("java.") ? find(type, own.getAnnotations(), seen) : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }
}
