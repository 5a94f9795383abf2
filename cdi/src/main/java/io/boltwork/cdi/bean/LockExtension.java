// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.DistributedLocks;
import io.boltwork.cdi.ClientName;
import jakarta.enterprise.inject.Default;
import jakarta.enterprise.inject.build.compatible.spi.BeanInfo;
import jakarta.enterprise.inject.build.compatible.spi.BuildCompatibleExtension;
import jakarta.enterprise.inject.build.compatible.spi.Discovery;
import jakarta.enterprise.inject.build.compatible.spi.MetaAnnotations;
import jakarta.enterprise.inject.build.compatible.spi.Registration;
import jakarta.enterprise.inject.build.compatible.spi.ScannedClasses;
import jakarta.enterprise.inject.build.compatible.spi.Synthesis;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanBuilder;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticComponents;
import jakarta.enterprise.util.Nonbinding;
import jakarta.inject.Singleton;
import java.lang.annotation.Annotation;
import java.util.stream.Stream;

/*
 * The jar is no archive of beans, because some of them need libraries that may be absent. LockClient is final, so it
 * has no client proxy, and its scope is a pseudo-scope.
 */
/** Makes the annotations interceptor bindings, and adds the beans. Containers find it as a service. */
public final class LockExtension implements BuildCompatibleExtension {
    private boolean hasOwnClient;

    /** Adds the interceptors, and what the libraries of the application need. */
    @Discovery
    public void discover(MetaAnnotations annotations, ScannedClasses classes) {
        bind(DistributedLock.class, annotations);
        bind(DistributedLocks.class, annotations);
        Stream.of(
                        LockBeans.class,
                        LockCalls.class,
                        StartCheck.class,
                        LockInterceptor.class,
                        LocksInterceptor.class,
                        CommitInterceptor.class,
                        CommitsInterceptor.class)
                .forEach(each -> classes.add(each.getName()));
        String own = LockExtension.class.getPackageName();
        addWith("jakarta.transaction.TransactionSynchronizationRegistry", own + ".JtaTransactions", classes);
        addWith("org.eclipse.microprofile.context.ThreadContext", own + ".PropagatedContexts", classes);
        addWith("org.eclipse.microprofile.health.HealthCheck", own + ".LocksReadiness", classes);
        addWith("io.micrometer.core.instrument.MeterRegistry", own + ".ClientMeters", classes);
    }

    private static void bind(Class<? extends Annotation> annotation, MetaAnnotations annotations) {
        annotations.addInterceptorBinding(annotation).methods().forEach(each -> each.addAnnotation(Nonbinding.class));
    }

    private static void addWith(String library, String bean, ScannedClasses classes) {
        try {
            Class.forName(library, false, Thread.currentThread().getContextClassLoader());
            classes.add(bean);
        } catch (ClassNotFoundException absent) {
            return; // the application does not use it
        }
    }

    /** Looks for clients of the application. */
    @Registration(types = LockClient.class)
    public void found(BeanInfo bean) {
        hasOwnClient |= bean.qualifiers().stream().anyMatch(each -> each.name().equals(Default.class.getName()));
    }

    /** Adds the clients of the settings. */
    @Synthesis
    public void addClients(SyntheticComponents components) {
        if (!hasOwnClient) {
            client(components, "");
        }
        MicroProfileSettings.current()
                .clients()
                .forEach(name -> client(components, name).qualifier(ClientName.Literal.of(name)));
    }

    private static SyntheticBeanBuilder<LockClient> client(SyntheticComponents components, String name) {
        return components
                .addBean(LockClient.class)
                .type(LockClient.class)
                .scope(Singleton.class)
                .withParam(ConfiguredClient.NAME, name)
                .createWith(ConfiguredClient.class)
                .disposeWith(ClosedClient.class);
    }
}
