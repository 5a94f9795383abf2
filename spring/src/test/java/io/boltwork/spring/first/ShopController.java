// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.first;

// @start region="controller"
import io.boltwork.LeaseLostException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ShopController {
    private final Purchases purchases;

    ShopController(Purchases purchases) {
        this.purchases = purchases;
    }

    @PostMapping("/buy/{item}")
    String buy(@PathVariable String item) throws InterruptedException {
        return purchases.buy(item);
    }

    @ExceptionHandler
    ProblemDetail lost(LeaseLostException lost) { // the work was done, but not under the lock to its end
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, lost.getMessage());
    }
}
// @end
