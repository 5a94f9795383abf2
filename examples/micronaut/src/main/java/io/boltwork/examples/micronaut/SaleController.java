// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.micronaut;

import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.Put;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;

/** Opens the sale of an item, sells it, and tells how many are left. */
@Controller(value = "/sale/{item}", produces = MediaType.TEXT_PLAIN)
@ExecuteOn(TaskExecutors.BLOCKING)
public class SaleController {
    private final Shop shop;
    private final Stock stock;

    SaleController(Shop shop, Stock stock) {
        this.shop = shop;
        this.stock = stock;
    }

    @Put("/{items}")
    void open(String item, int items) {
        stock.set(item, items);
    }

    @Post
    String buy(String item) {
        return shop.buy(item) ? "sold" : "sold out";
    }

    @Get
    int left(String item) {
        return stock.left(item);
    }
}
