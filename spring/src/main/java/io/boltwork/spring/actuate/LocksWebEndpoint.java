// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import io.boltwork.BackendException;
import java.security.Principal;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.lang.Nullable;

/**
 * The web extension of the endpoint {@code locks}. The status is 404 if the lock is not known, and 503 if the backend
 * does not answer. A name that does not fit into a path, such as one with slashes, is passed as {@code ?name=}.
 *
 * @since 0.1.0
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
@SuppressWarnings("deprecation") // Spring Boot 3 understands this @Nullable only
public final class LocksWebEndpoint {
    private final LocksEndpoint endpoint;

    public LocksWebEndpoint(LocksEndpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Lists locks, or describes one.
     *
     * @param name the name of the lock to describe; {@code null} to list
     * @param pattern a pattern for names
     * @param limit the maximum number of locks
     * @param kind the kind of the locks
     * @param client the name of the client; {@code null} for the primary one
     * @return {@link LocksEndpoint.Locks}, or {@link LocksEndpoint.Lock} if a name is given
     */
    @ReadOperation
    public WebEndpointResponse<Object> list(
            @Nullable String name,
            @Nullable String pattern,
            @Nullable Integer limit,
            @Nullable String kind,
            @Nullable String client) {
        return answer(() ->
                name == null ? endpoint.list(pattern, limit, kind, client) : endpoint.describe(name, kind, client));
    }

    /**
     * Describes a lock.
     *
     * @param name its name
     * @param kind the kind of the lock
     * @param client the name of the client; {@code null} for the primary one
     * @return {@link LocksEndpoint.Lock}
     */
    @ReadOperation
    public WebEndpointResponse<Object> describe(@Selector String name, @Nullable String kind, @Nullable String client) {
        return answer(() -> endpoint.describe(name, kind, client));
    }

    /**
     * Takes a lock away from its holders.
     *
     * @param user the user of the request
     * @param name the lock's name
     * @param fencingToken the holder's token; {@code null} for all holders
     * @param kind the kind of the lock
     * @param client the name of the client; {@code null} for the primary one
     * @return {@link LocksEndpoint.Forced}
     */
    @DeleteOperation
    public WebEndpointResponse<Object> forceRelease(
            SecurityContext user,
            @Selector String name,
            @Nullable String fencingToken,
            @Nullable String kind,
            @Nullable String client) {
        return force(user, name, fencingToken, kind, client);
    }

    /**
     * Takes a lock away from its holders. The name is passed as a query parameter.
     *
     * @param user the user of the request
     * @param name the lock's name
     * @param fencingToken the holder's token; {@code null} for all holders
     * @param kind the kind of the lock
     * @param client the name of the client; {@code null} for the primary one
     * @return {@link LocksEndpoint.Forced}
     */
    @DeleteOperation
    public WebEndpointResponse<Object> forceReleaseByName(
            SecurityContext user,
            String name,
            @Nullable String fencingToken,
            @Nullable String kind,
            @Nullable String client) {
        return force(user, name, fencingToken, kind, client);
    }

    private WebEndpointResponse<Object> force(
            SecurityContext user,
            String name,
            @Nullable String fencingToken,
            @Nullable String kind,
            @Nullable String client) {
        Long token = token(fencingToken);
        Principal principal = user.getPrincipal();
        return answer(
                () -> endpoint.forceRelease(name, token, kind, client, principal == null ? null : principal.getName()));
    }

    /**
     * Parses the token. The parameter is a text, because Spring would convert an empty number to {@code null}, which
     * means all holders.
     */
    private static @Nullable Long token(@Nullable String text) {
        try {
            return text == null ? null : Long.valueOf(text);
        } catch (NumberFormatException e) {
            throw new InvalidEndpointRequestException(
                    "fencingToken is not a number in a request to the endpoint 'locks'",
                    "fencingToken must be a number",
                    e);
        }
    }

    private static WebEndpointResponse<Object> answer(Supplier<?> question) {
        try {
            Object answer = question.get();
            return answer == null
                    ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                    : new WebEndpointResponse<>(answer);
        } catch (BackendException unknown) {
            return new WebEndpointResponse<>(
                    Map.of("error", String.valueOf(unknown.getMessage())),
                    WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }
}
