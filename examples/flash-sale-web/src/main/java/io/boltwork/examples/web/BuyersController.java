package io.boltwork.examples.web;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Sends buyers for the page's buttons, all at once, to the shops in turn. */
@RestController
class BuyersController {
    private final RedisStock stock;
    private final List<String> shops;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    BuyersController(RedisStock stock, @Value("${sale.shops}") List<String> shops) {
        this.stock = stock;
        this.shops = List.copyOf(shops);
    }

    @PostMapping("/buyers")
    String come(@RequestParam int count, @RequestParam boolean locked) {
        if (count < 1 || count > 1_000) {
            throw new IllegalArgumentException("count must be 1 to 1000, but is " + count);
        }
        stock.open(RedisStock.ITEMS);
        String path = locked ? "/annotation-lock-decrease-stock" : "/decrease-stock";
        for (int i = 0; i < count; i++) {
            URI shop = URI.create(shops.get(i % shops.size()) + path);
            http.sendAsync(HttpRequest.newBuilder(shop).build(), HttpResponse.BodyHandlers.discarding());
        }
        return count + " buyers are on their way";
    }
}
