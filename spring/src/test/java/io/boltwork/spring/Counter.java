// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.annotation.DistributedLock;

/** An interface whose method is annotated as locked. */
public interface Counter {
    @DistributedLock("counter")
    String count();
}
