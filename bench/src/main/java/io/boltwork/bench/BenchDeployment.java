package io.boltwork.bench;

/** The deployment that serves the locks. */
enum BenchDeployment {
    /** One server. */
    STANDALONE,
    /** A Redis Cluster of three masters. */
    CLUSTER;

    /** Returns the prefix of the names of files and results. */
    String prefix() {
        return this == STANDALONE ? "" : "cluster-";
    }
}
