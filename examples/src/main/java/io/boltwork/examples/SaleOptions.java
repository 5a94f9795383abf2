// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import picocli.CommandLine.TypeConversionException;

/** The options of the demo. */
final class SaleOptions {
    private static final String DEFAULT = " Default: ${DEFAULT-VALUE}.";

    @Spec(Target.MIXEE)
    private @Nullable CommandSpec spec;

    @Option(
            names = "--mode",
            order = 6,
            paramLabel = "lock|trylock",
            defaultValue = "lock",
            converter = ModeConverter.class,
            description = "How buyers wait with Boltwork: lock() without a limit, or tryLock(time) for at most"
                    + " --wait." + DEFAULT)
    private SaleMode mode = SaleMode.LOCK;

    @Option(
            names = "--redis",
            order = 8,
            paramLabel = "URI",
            description = "Your own Redis, 6.2 or later; the demo removes its keys. Example: redis://localhost:6379."
                    + " Default: one is started for the demo.")
    private @Nullable String redis;

    @Option(
            names = "--deployment",
            order = 9,
            paramLabel = "KIND",
            converter = DeploymentConverter.class,
            description =
                    "standalone, sentinel, replicated, cluster or quorum: keeps the locks in such a Redis, and kills"
                            + " the master of the sale's lock during the sale, or two of the quorum's five masters.")
    private SaleServers.@Nullable Kind deployment;

    @Option(
            names = "--store",
            order = 10,
            paramLabel = "KIND",
            converter = StoreConverter.class,
            description =
                    "postgresql, h2, zookeeper or etcd: keeps the locks there, and the stock in Redis. PostgreSQL and"
                            + " etcd must be installed; the others come with the demo.")
    private SaleStore.@Nullable Kind store;

    private int shops;
    private int buyers;
    private int stock;
    private Duration over = Duration.ZERO;
    private Duration work = Duration.ZERO;
    private Duration wait = Duration.ZERO;

    @Option(
            names = "--buyers",
            order = 1,
            paramLabel = "N",
            defaultValue = "200",
            description = "Number of buyers, each a thread." + DEFAULT)
    void setBuyers(int buyers) {
        this.buyers = between("--buyers", buyers, 1, 10_000);
    }

    @Option(
            names = "--over",
            order = 2,
            paramLabel = "TIME",
            defaultValue = "1s",
            converter = DurationConverter.class,
            description = "Time within which all buyers arrive." + DEFAULT)
    void setOver(Duration over) {
        this.over = between("--over", over, Duration.ZERO, Duration.ofHours(1));
    }

    @Option(
            names = "--stock",
            order = 3,
            paramLabel = "N",
            defaultValue = "10",
            description = "Number of items to sell." + DEFAULT)
    void setStock(int stock) {
        this.stock = between("--stock", stock, 1, 1_000_000);
    }

    @Option(
            names = "--work",
            order = 4,
            paramLabel = "TIME",
            defaultValue = "50ms",
            converter = DurationConverter.class,
            description = "How long a purchase takes, even if the item is sold out." + DEFAULT)
    void setWork(Duration work) {
        this.work = between("--work", work, Duration.ofMillis(1), Duration.ofMinutes(1));
    }

    @Option(
            names = "--shops",
            order = 5,
            paramLabel = "N",
            defaultValue = "2",
            description = "Number of shops that serve buyers, each a JVM." + DEFAULT)
    void setShops(int shops) {
        this.shops = between("--shops", shops, 1, 16);
    }

    @Option(
            names = "--wait",
            order = 7,
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = DurationConverter.class,
            description = "How long a buyer waits with --mode trylock before being turned away." + DEFAULT)
    void setWait(Duration wait) {
        this.wait = between("--wait", wait, Duration.ofMillis(1), Duration.ofHours(1));
    }

    SaleMode mode() {
        return mode;
    }

    @Nullable
    String redis() {
        return redis;
    }

    /** Returns the deployment of the locks' Redis of which masters are killed; {@code null} for a sale without that. */
    SaleServers.@Nullable Kind deployment() {
        return deployment;
    }

    /** Returns the store of the locks; {@code null} for Redis. */
    SaleStore.@Nullable Kind store() {
        return store;
    }

    int shops() {
        return shops;
    }

    int stock() {
        return stock;
    }

    SalePlan plan(String item, SaleMode chosen) {
        return new SalePlan(item, chosen, buyers, shops, 0, over, work, wait);
    }

    private int between(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw wrong(option, "must be between " + least + " and " + most + ", but is " + value);
        }
        return value;
    }

    private Duration between(String option, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw wrong(
                    option,
                    "must be between " + DurationText.format(least) + " and " + DurationText.format(most) + ", but is "
                            + DurationText.format(value));
        }
        return value;
    }

    private ParameterException wrong(String option, String why) {
        return new ParameterException(
                Objects.requireNonNull(spec).commandLine(), "Invalid value for option '" + option + "': " + why);
    }

    static final class DurationConverter implements ITypeConverter<Duration> {
        @Override
        public Duration convert(String text) {
            try {
                return DurationText.parse(text);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }

    static final class DeploymentConverter implements ITypeConverter<SaleServers.Kind> {
        @Override
        public SaleServers.Kind convert(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "standalone" -> SaleServers.Kind.STANDALONE;
                case "sentinel" -> SaleServers.Kind.SENTINEL;
                case "replicated" -> SaleServers.Kind.REPLICATED;
                case "cluster" -> SaleServers.Kind.CLUSTER;
                case "quorum" -> SaleServers.Kind.QUORUM;
                default ->
                    throw new TypeConversionException(
                            "'" + text + "' is neither standalone, sentinel, replicated, cluster nor quorum");
            };
        }
    }

    static final class StoreConverter implements ITypeConverter<SaleStore.Kind> {
        @Override
        public SaleStore.Kind convert(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "postgresql" -> SaleStore.Kind.POSTGRESQL;
                case "h2" -> SaleStore.Kind.H2;
                case "zookeeper" -> SaleStore.Kind.ZOOKEEPER;
                case "etcd" -> SaleStore.Kind.ETCD;
                default ->
                    throw new TypeConversionException("'" + text + "' is neither postgresql, h2, zookeeper nor etcd");
            };
        }
    }

    static final class ModeConverter implements ITypeConverter<SaleMode> {
        @Override
        public SaleMode convert(String text) {
            return switch (text.toLowerCase(Locale.ROOT)) {
                case "lock" -> SaleMode.LOCK;
                case "trylock" -> SaleMode.TRYLOCK;
                default -> throw new TypeConversionException("'" + text + "' is neither lock nor trylock");
            };
        }
    }
}
