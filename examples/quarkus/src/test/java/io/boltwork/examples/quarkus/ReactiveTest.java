// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.quarkus;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Lease;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.redis.RedisBackend;
import io.boltwork.testkit.wait.Await;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import jakarta.enterprise.context.RequestScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.resteasy.reactive.RestPath;
import org.jboss.resteasy.reactive.server.ServerRequestFilter;
import org.junit.jupiter.api.Test;

/** Requests that wait for a lock without a thread. Their methods go on where, and for whom, they were called. */
@QuarkusTest
@QuarkusTestResource(RedisResource.class)
class ReactiveTest {
    @TestHTTPResource
    URI address;

    @ConfigProperty(name = "boltwork.redis.uri")
    String redis;

    @Inject
    LockClient locks;

    /** The buyer of a request. */
    @RequestScoped
    public static class Buyer {
        private String name = "";

        String name() {
            return name;
        }

        void set(String name) {
            this.name = name;
        }
    }

    /** Remembers who sends a request. */
    public static class Buyers {
        @Inject
        Buyer buyer;

        @ServerRequestFilter
        public void remember(ContainerRequestContext request) {
            buyer.set(request.getUriInfo().getQueryParameters().getFirst("buyer"));
        }
    }

    /** Says who its caller is, and whether it runs on the event loop. */
    @Path("/reactive/{item}")
    public static class Prices {
        @Inject
        Buyer buyer;

        @GET
        @Path("/uni")
        @DistributedLock(name = "price:{item}", waitFor = "10s")
        public Uni<String> uni(@RestPath String item) {
            return Uni.createFrom().item(this::seen);
        }

        @GET
        @Path("/stage")
        @DistributedLock(name = "price:{item}", waitFor = "10s")
        public CompletionStage<String> stage(@RestPath String item) {
            return CompletableFuture.completedFuture(seen());
        }

        private String seen() {
            return buyer.name() + (Context.isOnEventLoopThread() ? " on the event loop" : " elsewhere");
        }
    }

    /** Sends a request while another client holds the lock. */
    private String answer(String item, String path) {
        CompletableFuture<HttpResponse<String>> answer;
        try (LockClient elsewhere = LockClient.create(RedisBackend.connect(redis))) {
            try (Lease held = elsewhere.lock("price:" + item).acquire()) {
                answer = HttpClient.newHttpClient()
                        .sendAsync(
                                HttpRequest.newBuilder(address.resolve("/reactive/" + item + path + "?buyer=ann"))
                                        .build(),
                                BodyHandlers.ofString());
                Await.until("the request waits for the lock", () -> locks.waiting() == 1);
                assertThat(held.verify()).isTrue();
            }
            return answer.join().body();
        }
    }

    @Test
    void aUniGoesOnOnTheEventLoopOfItsRequest() {
        assertThat(answer("1", "/uni")).isEqualTo("ann on the event loop");
    }

    @Test
    void aStageGoesOnForItsRequest() {
        assertThat(answer("2", "/stage")).isEqualTo("ann elsewhere");
    }
}
