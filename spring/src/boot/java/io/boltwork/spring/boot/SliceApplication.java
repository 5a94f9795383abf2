// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import io.boltwork.BackendException;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.ServerResponse;

/** The application of the tests with {@code @WebMvcTest} and {@code @WebFluxTest}. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import({SliceApplication.Stock.class, SliceApplication.Desk.class})
class SliceApplication {

    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    RouterFunction<ServerResponse> routes(Stock stock) {
        return org.springframework.web.servlet.function.RouterFunctions.route()
                .GET("/function", request -> ServerResponse.ok().body(stock.sell()))
                .build();
    }

    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    org.springframework.web.reactive.function.server.RouterFunction<?> reactiveRoutes(Stock stock) {
        return RouterFunctions.route()
                .GET(
                        "/function",
                        request -> org.springframework.web.reactive.function.server.ServerResponse.ok()
                                .bodyValue(stock.sell()))
                .build();
    }

    static class Stock {
        volatile boolean down;

        @DistributedLock(name = "stock", mode = LockMode.TRY)
        public String sell() {
            if (down) {
                throw new BackendException("no answer", true, null);
            }
            return "sold";
        }
    }

    @RestController
    static class Desk {
        private final Stock stock;

        Desk(Stock stock) {
            this.stock = stock;
        }

        @GetMapping("/controller")
        String sell() {
            return stock.sell();
        }
    }
}
