// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut;

import io.boltwork.annotation.DistributedLock;
import io.micronaut.aop.InterceptorBinding;
import io.micronaut.aop.InterceptorKind;
import io.micronaut.core.annotation.AnnotationValue;
import io.micronaut.inject.annotation.TypedAnnotationMapper;
import io.micronaut.inject.visitor.VisitorContext;
import java.util.List;

/**
 * Makes {@link DistributedLock} advice of Micronaut. Its annotation processor finds this class as a service, if this
 * library is on the annotation processor path. Stateless.
 *
 * @since 0.1.0
 */
public final class DistributedLockMapper implements TypedAnnotationMapper<DistributedLock> {

    /** Creates a mapper. */
    public DistributedLockMapper() {}

    @Override
    public Class<DistributedLock> annotationType() {
        return DistributedLock.class;
    }

    @Override
    public List<AnnotationValue<?>> map(AnnotationValue<DistributedLock> annotation, VisitorContext context) {
        return List.of(AnnotationValue.builder(InterceptorBinding.class)
                .value(DistributedLock.class)
                .member("kind", InterceptorKind.AROUND) // otherwise also callbacks such as @PostConstruct
                .build());
    }
}
