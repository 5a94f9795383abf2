// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import io.boltwork.LockListener;
import io.boltwork.annotation.LockNaming;
import io.boltwork.annotation.LockRefusal;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.operation.LockHooks;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/** The beans of the application that locks use. Their injection points keep a container from leaving them out. */
@Singleton
public class LockBeans {
    private final BeanClients clients;
    private final Instance<LockListener> listeners;
    private final Instance<LockNaming> naming;
    private final Instance<LockRefusal> refusal;
    private final LockGroups groups;
    private volatile @Nullable LockHooks hooks;

    @Inject
    LockBeans(
            @Any Instance<LockClient> clients,
            @Any Instance<LockListener> listeners,
            Instance<LockNaming> naming,
            Instance<LockRefusal> refusal) {
        this.clients = new BeanClients(clients);
        this.listeners = listeners;
        this.naming = naming;
        this.refusal = refusal;
        BoltworkConfig config = MicroProfileSettings.current();
        this.groups = new LockGroups(config.maxGroups(), config.prefixes());
    }

    BeanClients clients() {
        return clients;
    }

    Instance<LockListener> listeners() {
        return listeners;
    }

    LockGroups groups() {
        return groups;
    }

    /** Returns the hooks. They are looked up at the first call, because they may themselves use beans with locks. */
    LockHooks hooks() {
        LockHooks found = hooks;
        if (found == null) {
            found = new LockHooks(only(naming), only(refusal));
            hooks = found;
        }
        return found;
    }

    private static <T> @Nullable T only(Instance<T> beans) {
        return beans.isUnsatisfied() ? null : beans.get();
    }
}
