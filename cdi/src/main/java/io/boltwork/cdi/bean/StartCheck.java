// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.text.LockDefinitionException;
import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.spi.BeanContainer;
import jakarta.enterprise.inject.spi.DeploymentException;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.interceptor.Interceptor;
import java.util.Map;

/** Reports mistakes in annotations and settings when the application starts, and creates the clients. */
@Singleton
public class StartCheck {
    private final LockBeans beans;
    private final LockCalls calls;
    private final BeanContainer container;
    private final Instance<Extra> extras;

    /** Tells a library of the application of the clients. */
    interface Extra {
        void started(Map<String, LockClient> clients);
    }

    @Inject
    StartCheck(LockBeans beans, LockCalls calls, BeanContainer container, Instance<Extra> extras) {
        this.beans = beans;
        this.calls = calls;
        this.container = container;
        this.extras = extras;
    }

    void check(@Observes @Priority(Interceptor.Priority.LIBRARY_BEFORE) Startup event) {
        BoltworkConfig config = MicroProfileSettings.current();
        config.checkNames();
        try {
            calls.locked()
                    .check(container.getBeans(Object.class, Any.Literal.INSTANCE).stream()
                            .map(each -> each.getBeanClass()));
        } catch (LockDefinitionException wrong) {
            throw new DeploymentException(wrong.getMessage() + ". " + wrong.action(), wrong);
        }
        if (config.isEnabled()) {
            Map<String, LockClient> clients = beans.clients().byName();
            extras.forEach(each -> each.started(clients));
        }
    }
}
