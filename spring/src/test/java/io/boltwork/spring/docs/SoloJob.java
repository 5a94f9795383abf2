// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.springframework.core.annotation.AliasFor;

// @start region="composed"
@Retention(RetentionPolicy.RUNTIME)
@DistributedLock(mode = LockMode.SKIP, minHold = "1m")
@interface SoloJob {
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String value();
}
// @end
