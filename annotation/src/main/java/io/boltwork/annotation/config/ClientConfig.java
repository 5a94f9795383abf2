// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.config;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.LockRelease;
import io.boltwork.annotation.LockType;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.OnRefused;
import io.boltwork.annotation.OnUnavailable;
import io.boltwork.annotation.operation.HoldSettings;
import io.boltwork.annotation.operation.LockDefaults;
import io.boltwork.annotation.operation.LockSettings;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.spi.LockBackend;
import org.jspecify.annotations.Nullable;

/** The settings of one client. Thread-safe. */
public final class ClientConfig {
    private final Section section;

    /** The place where leases are kept. The setting of other stores is a bean of the application. */
    private enum Backend {
        REDIS,
        MEMORY
    }

    ClientConfig(Settings settings, String prefix) {
        this.section = new Section(settings, prefix);
    }

    /** Returns what applies to the locks of methods, unless their annotations say otherwise. */
    public LockSettings lockSettings() {
        Section lock = section.below("lock");
        String prefix = section.prefix() + "lock";
        HoldSettings hold = BoltworkConfig.hold(lock);
        hold.check(prefix, BoltworkConfig.ERRORS);
        return new LockSettings(
                lock.text("prefix", ""),
                new LockDefaults(
                        lock.text("group"),
                        or(lock.constant("mode", LockMode.class), LockMode.DEFAULT),
                        or(BoltworkConfig.order(lock), LockType.DEFAULT),
                        hold.waitFor(),
                        hold.lease(),
                        hold.renewedLease(),
                        hold.minHold(),
                        hold.maxHold(),
                        hold.takeoverDelay(),
                        or(lock.constant("release", LockRelease.class), LockRelease.DEFAULT),
                        HoldSettings.replication(
                                prefix, hold.replication(), hold.replicationWithin(), BoltworkConfig.ERRORS),
                        or(lock.constant("on-refused", OnRefused.class), OnRefused.DEFAULT),
                        or(lock.constant("on-unavailable", OnUnavailable.class), OnUnavailable.DEFAULT),
                        or(lock.constant("on-lost", OnLost.class), OnLost.DEFAULT)));
    }

    private static <T> T or(@Nullable T value, T otherwise) {
        return value == null ? otherwise : value;
    }

    /** Creates the client, with a backend of its own. */
    public LockClient connect() {
        ClientOptions options = options();
        LockBackend backend = switch (or(section.constant("backend", Backend.class), Backend.REDIS)) {
            case REDIS -> RedisSettings.connect(section.below("redis"));
            case MEMORY -> MemoryBackend.create();
        };
        return LockClient.create(backend, options);
    }

    private ClientOptions options() {
        ClientOptions options = ClientOptions.defaults();
        options = section.with(
                options, "outage-patience", section.duration("outage-patience"), options::withOutagePatience);
        options = section.with(options, "shutdown-time", section.duration("shutdown-time"), options::withShutdownTime);
        options = section.with(options, "slice", section.duration("slice"), options::withSlice);
        options = section.with(options, "long-hold", section.duration("long-hold"), options::withLongHold);
        options = section.with(options, "long-wait", section.duration("long-wait"), options::withLongWait);
        Section all = new Section(section.settings(), "");
        String application = section.settings().application();
        options = all.with(options, application, all.text(application), options::withApplication);
        return section.with(options, "application", section.text("application"), options::withApplication);
    }
}
