package io.boltwork.spring;

/** Says of a method that it is locked, and not how it works. */
interface Counter {
    @DistributedLock("counter")
    String count();
}
