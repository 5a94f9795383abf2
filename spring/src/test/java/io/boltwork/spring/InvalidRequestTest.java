// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.BoltworkWebAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** A request from which no name of a lock can be computed is answered with 400. */
@WebMvcTest(properties = "boltwork.backend=memory")
@ImportAutoConfiguration({
    BoltworkAutoConfiguration.class,
    DistributedLockAutoConfiguration.class,
    BoltworkWebAutoConfiguration.class
})
class InvalidRequestTest {
    @Autowired
    private MockMvc web;

    @Configuration(proxyBeanMethods = false)
    @Import(Shop.class)
    static class App {}

    @RestController
    static class Shop {
        private final LockTemplate locks;

        Shop(LockTemplate locks) {
            this.locks = locks;
        }

        @GetMapping("/plain")
        @DistributedLock("stock:#{#item}")
        public String plain(@RequestParam(required = false) @Nullable String item) {
            return "done";
        }

        @GetMapping("/condition")
        @DistributedLock(name = "stock", condition = "#item > 'a'")
        public String condition(@RequestParam(required = false) @Nullable String item) {
            return "done";
        }

        @GetMapping("/future")
        @DistributedLock(name = "stock", keys = "#item")
        public CompletableFuture<String> future(@RequestParam(required = false) @Nullable String item) {
            return CompletableFuture.completedFuture("done");
        }

        @GetMapping("/template")
        public String template(@RequestParam String item) {
            return locks.execute(item, () -> "done");
        }

        @GetMapping("/later")
        public CompletableFuture<String> later(@RequestParam String item) {
            return locks.executeAsync(item, lease -> CompletableFuture.completedFuture("done"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/plain, none",
        "/plain, ''",
        "/plain, long",
        "/condition, none",
        "/future, none",
        "/future, long",
        "/template, ''",
        "/template, long",
        "/later, ''",
        "/later, long"
    })
    void invalidValueIs400(String path, String item) throws Exception {
        String value = item.equals("long") ? "secret".repeat(200) : item;
        MvcResult result = web.perform(
                        item.equals("none") ? get(path) : get(path).param("item", value))
                .andReturn();
        if (result.getRequest().isAsyncStarted()) {
            result = web.perform(asyncDispatch(result)).andReturn();
        }
        assertThat(result.getResponse().getStatus()).isEqualTo(400);
        assertThat(result.getResponse().getContentType()).isEqualTo("application/problem+json");
        assertThat(result.getResponse().getContentAsString())
                .contains("\"status\":400", "A value of the request is missing, empty, too long")
                .doesNotContain("secret", "stock", "Shop");
    }

    @Test
    void validValueIsAnswered() throws Exception {
        for (String path : new String[] {"/plain", "/condition", "/template"}) {
            web.perform(get(path).param("item", "b"))
                    .andExpect(status().isOk())
                    .andExpect(content().string("done"));
        }
    }
}
