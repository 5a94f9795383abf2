// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import java.net.URI;
import java.util.List;
import org.springframework.core.Ordered;
import org.springframework.http.MediaType;
import org.springframework.http.codec.HttpMessageWriter;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.ErrorResponse;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.reactive.result.view.ViewResolver;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import reactor.core.publisher.Mono;

/** The responses of WebFlux's functional endpoints, to which no controller advice applies. */
public final class LockErrorHandler implements WebExceptionHandler, Ordered {
    private final LockErrorAdvice advice;
    private final ServerCodecConfigurer codecs;

    public LockErrorHandler(LockErrorAdvice advice, ServerCodecConfigurer codecs) {
        this.advice = advice;
        this.codecs = codecs;
    }

    /** Comes just before Spring Boot's own handler, which is the last. */
    @Override
    public int getOrder() {
        return -2;
    }

    @Override
    public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
        ErrorResponse error = exchange.getResponse().isCommitted() ? null : advice.respond(failure);
        if (error == null) {
            return Mono.error(failure);
        }
        error.getBody().setInstance(URI.create(exchange.getRequest().getPath().value()));
        exchange.getResponse().getHeaders().setContentType(MediaType.APPLICATION_PROBLEM_JSON);
        return ServerResponse.from(error)
                .flatMap(response -> response.writeTo(exchange, new Codecs(codecs.getWriters())));
    }

    private record Codecs(List<HttpMessageWriter<?>> messageWriters) implements ServerResponse.Context {
        @Override
        public List<ViewResolver> viewResolvers() {
            return List.of();
        }
    }
}
