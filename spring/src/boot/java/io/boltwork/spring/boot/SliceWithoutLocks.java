// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** A slice that maps exceptions to responses, but has no locks. */
abstract class SliceWithoutLocks {

    @Test
    void mapsExceptions(@Autowired ApplicationContext context) {
        assertThat(context.getBeansOfType(LockClient.class)).isEmpty();
        SliceApplication.Stock stock = context.getBean(SliceApplication.Stock.class);
        SliceRequests.allAnswer(context, 200);
        stock.down = true;
        SliceRequests.allAnswer(context, 503);
        stock.down = false;
    }
}
