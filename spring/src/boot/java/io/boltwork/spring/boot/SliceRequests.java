// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.boot;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import org.springframework.context.ApplicationContext;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.context.WebApplicationContext;

/** Requests to a slice through the client that it has. */
final class SliceRequests {
    private SliceRequests() {}

    static void allAnswer(ApplicationContext context, int status) {
        for (String path : new String[] {"/controller", "/function"}) {
            if (context instanceof WebApplicationContext) {
                try {
                    context.getBean(MockMvc.class).perform(get(path)).andExpect(status().is(status));
                } catch (Exception e) {
                    throw new AssertionError(path, e);
                }
            } else {
                context.getBean(WebTestClient.class)
                        .get()
                        .uri(path)
                        .exchange()
                        .expectStatus()
                        .isEqualTo(status);
            }
        }
    }
}
