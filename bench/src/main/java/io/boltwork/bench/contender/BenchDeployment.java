// SPDX-License-Identifier: Apache-2.0
package io.boltwork.bench.contender;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The deployment that serves the locks. */
public enum BenchDeployment {
    /** One Redis server. */
    STANDALONE("one server", Duration.ZERO),
    /** A Redis Cluster of three masters. */
    CLUSTER("a cluster", Duration.ofMillis(2_300)),
    /** A PostgreSQL server. */
    POSTGRESQL("PostgreSQL", Duration.ofMillis(2_500)),
    /** A MariaDB server. */
    MARIADB("MariaDB", Duration.ofMillis(3_000)),
    /** A TCP server of H2 in a JVM of its own. */
    H2("H2", Duration.ofMillis(1_000)),
    /** A ZooKeeper server in a JVM of its own. */
    ZOOKEEPER("ZooKeeper", Duration.ofMillis(1_500)),
    /** An etcd of one member. */
    ETCD("etcd", Duration.ofMillis(2_000));

    private final String title;
    private final Duration start;

    BenchDeployment(String title, Duration start) {
        this.title = title;
        this.start = start;
    }

    /** Returns the name for readers, as in "on PostgreSQL". */
    public String title() {
        return title;
    }

    /** Returns the approximate time that its servers take to start, beyond that of one Redis server. */
    public Duration start() {
        return start;
    }

    /** Returns whether Redis serves the locks. */
    public boolean isRedis() {
        return this == STANDALONE || this == CLUSTER;
    }

    /** Returns whether a database serves the locks. */
    public boolean isDatabase() {
        return this == POSTGRESQL || this == MARIADB || this == H2;
    }

    /** Returns the prefix of the names of files and results. */
    public String prefix() {
        return this == STANDALONE ? "" : id() + "-";
    }

    /** Returns the option that selects it on the command line, with a blank before it. */
    public String option() {
        return this == STANDALONE ? "" : " --deployment " + id();
    }

    /** Returns all deployments whose results are on the same page. */
    public List<BenchDeployment> onSamePage() {
        return Stream.of(values()).filter(other -> other.isRedis() == isRedis()).toList();
    }

    private String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
