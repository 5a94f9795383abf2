// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

// @start region="memory"
@SpringBootTest(properties = "boltwork.backend=memory")
class PurchasesTest {

    @Test
    void sellsTheItemsInStock(@Autowired Purchases purchases) {
        assertThat(purchases.buy("1001")).isTrue();
    }
}
// @end
