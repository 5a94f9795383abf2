// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.acquire;

import io.boltwork.LockClient;
import io.boltwork.LockOptions;

/**
 * The kind of a target and, for a semaphore, its number of permits. Immutable.
 *
 * @param kind the kind
 * @param permits the number of permits in all; 0 unless the kind is {@link TargetKind#SEMAPHORE}
 */
public record TargetType(TargetKind kind, int permits) {
    public static final TargetType LOCK = new TargetType(TargetKind.LOCK, 0);
    public static final TargetType READ = new TargetType(TargetKind.READ, 0);
    public static final TargetType WRITE = new TargetType(TargetKind.WRITE, 0);

    public static TargetType semaphore(int permits) {
        return new TargetType(TargetKind.SEMAPHORE, permits);
    }

    /** Returns the target of that name. */
    public LockTarget target(LockClient client, String name, LockOptions options) {
        return switch (kind) {
            case LOCK -> new FencedTarget(kind, client.lock(name, options));
            case READ ->
                new FencedTarget(kind, client.readWriteLock(name, options).readLock());
            case WRITE ->
                new FencedTarget(kind, client.readWriteLock(name, options).writeLock());
            case SEMAPHORE -> new SemaphoreTarget(client.semaphore(name, permits, options));
        };
    }
}
