// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** A slice to which the test has added locks. */
abstract class SliceWithLocks {

    @Test
    void refusedLocks(@Autowired ApplicationContext context, @Autowired LockClient locks) throws Exception {
        SliceRequests.allAnswer(context, 200);
        Lease taken = locks.lock("stock").acquireAsync().toCompletableFuture().get(5, TimeUnit.SECONDS);
        SliceRequests.allAnswer(context, 423);
        taken.release();
        SliceRequests.allAnswer(context, 200);
    }
}
