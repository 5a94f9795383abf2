// SPDX-License-Identifier: Apache-2.0
package io.boltwork.micronaut.bean;

import io.boltwork.annotation.LockNaming;
import io.boltwork.annotation.LockRefusal;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.call.LockedBeans;
import io.boltwork.annotation.config.BoltworkConfig;
import io.boltwork.annotation.operation.LockHooks;
import io.boltwork.micronaut.call.BeanInvocation;
import io.boltwork.micronaut.call.MicronautTypes;
import io.micronaut.context.BeanContext;
import io.micronaut.core.util.SupplierUtil;
import jakarta.inject.Singleton;

/** Shares what all calls under locks need. Thread-safe. */
@Singleton
final class LockCalls {
    private final LockGroups groups;
    private final TransactionBoundary transactions;
    private final LockedBeans locked;

    LockCalls(BoltworkConfig config, BeanClients clients, BeanContext beans) {
        this.groups = new LockGroups(config.maxGroups(), config.prefixes());
        this.transactions = beans.findBean(TransactionBoundary.class).orElse(TransactionBoundary.NONE);
        this.locked = new LockedBeans(
                config,
                clients,
                groups,
                // at the first call, because these beans may themselves use beans with locks
                SupplierUtil.memoized(() -> new LockHooks(
                        beans.findBean(LockNaming.class).orElse(null),
                        beans.findBean(LockRefusal.class).orElse(null))),
                transactions,
                new MicronautTypes(),
                BeanInvocation::contexts);
    }

    LockGroups groups() {
        return groups;
    }

    TransactionBoundary transactions() {
        return transactions;
    }

    LockedBeans locked() {
        return locked;
    }
}
