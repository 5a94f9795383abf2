// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.LockClient;
import io.micronaut.context.annotation.Primary;
import io.micronaut.context.condition.Condition;
import io.micronaut.context.condition.ConditionContext;
import io.micronaut.core.annotation.AnnotationUtil;
import io.micronaut.inject.BeanDefinitionReference;

/** Matches if the application has no client of its own for injection by type. */
final class NoOwnClient implements Condition {
    private static final String OURS = NoOwnClient.class.getPackageName() + ".";

    @Override
    @SuppressWarnings("rawtypes") // as in the interface
    public boolean matches(ConditionContext context) {
        return context.getBeanContext().getBeanDefinitionReferences().stream().noneMatch(NoOwnClient::isOwn);
    }

    private static boolean isOwn(BeanDefinitionReference<?> bean) {
        return !bean.getBeanDefinitionName().startsWith(OURS)
                && !bean.getBeanDefinitionName().startsWith("io.micronaut.")
                && bean.isPresent()
                && bean.getBeanType() == LockClient.class
                && (bean.getAnnotationMetadata().hasStereotype(Primary.class)
                        || !bean.getAnnotationMetadata().hasStereotype(AnnotationUtil.QUALIFIER));
    }
}
