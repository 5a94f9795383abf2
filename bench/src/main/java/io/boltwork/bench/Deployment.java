package io.boltwork.bench;

/** What the locks are on. */
enum Deployment {
    /** One server. */
    STANDALONE,
    /** A Redis Cluster of three masters. */
    CLUSTER;

    /** How names of files and of results begin. */
    String prefix() {
        return this == STANDALONE ? "" : "cluster-";
    }
}
