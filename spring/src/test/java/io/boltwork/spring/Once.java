// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.springframework.core.annotation.AliasFor;

/** An annotation composed of {@link DistributedLock}. */
@Retention(RetentionPolicy.RUNTIME)
@DistributedLock(mode = LockMode.TRY)
public @interface Once {
    @AliasFor(annotation = DistributedLock.class, attribute = "name")
    String value();
}
