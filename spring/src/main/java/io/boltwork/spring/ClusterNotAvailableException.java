package io.boltwork.spring;

/** Redis Cluster was asked for, which Boltwork cannot use yet. */
final class ClusterNotAvailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ClusterNotAvailableException() {
        super("Redis Cluster is not available yet in this version of Boltwork");
    }
}
