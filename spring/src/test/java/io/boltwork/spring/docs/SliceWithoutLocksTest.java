// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;

import io.boltwork.LockClient;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.ApplicationContext;
import org.springframework.test.web.servlet.MockMvc;

/** A slice test has no locks by default, as docs/start/spring.md says. */
@WebMvcTest(Checkout.class)
class SliceWithoutLocksTest {

    @Test
    void sliceTestRunsWithoutLocks(@Autowired MockMvc web, @Autowired ApplicationContext context) throws Exception {
        assertThat(context.getBeansOfType(LockClient.class)).isEmpty();
        web.perform(post("/buy/1001")).andExpect(content().string("true"));
    }
}
