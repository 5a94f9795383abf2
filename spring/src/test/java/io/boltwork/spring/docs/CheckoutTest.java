// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.mockito.Mockito.when;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;

import io.boltwork.LockClient;
import io.boltwork.testkit.AutoConfigureBoltwork;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.MockMvc;

// @start region="slice"
@WebMvcTest(Checkout.class)
@AutoConfigureBoltwork
class CheckoutTest {
    @MockitoBean
    Stock stock;

    @Test
    void sellsUnderTheLock(@Autowired MockMvc web, @Autowired LockClient locks) throws Exception {
        when(stock.decrease("1001")).thenAnswer(call -> locks.lock("stock:1001").isHeldByCurrentThread() ? 1 : 0);
        web.perform(post("/buy/1001")).andExpect(content().string("true"));
    }
}
// @end
