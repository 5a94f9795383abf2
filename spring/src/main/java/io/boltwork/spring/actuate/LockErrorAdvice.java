// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.actuate;

import io.boltwork.BackendException;
import io.boltwork.InvalidNameException;
import io.boltwork.annotation.LockRefusedException;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.method.annotation.ExceptionHandlerMethodResolver;

/*
 * The details are fixed texts. The exceptions' messages contain names of locks and addresses of servers, which must not
 * be disclosed to the clients of an application.
 */
/**
 * The responses of a web application whose controllers do not handle exceptions of locks. An application's own handlers
 * come first.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
public final class LockErrorAdvice {
    private static final ExceptionHandlerMethodResolver HANDLERS =
            new ExceptionHandlerMethodResolver(LockErrorAdvice.class);
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(1);
    private static final Duration AFTER_OUTAGE = Duration.ofSeconds(5);

    @ExceptionHandler
    ErrorResponse refused(LockRefusedException refused) {
        return ErrorResponse.builder(refused, HttpStatus.LOCKED, "Another request holds the lock. Nothing was done.")
                .header(HttpHeaders.RETRY_AFTER, seconds(AFTER_REFUSAL))
                .build();
    }

    @ExceptionHandler
    ErrorResponse unavailable(BackendException unknown) {
        ErrorResponse.Builder response = ErrorResponse.builder(
                unknown, HttpStatus.SERVICE_UNAVAILABLE, "The lock server does not answer as expected.");
        if (unknown.isRetryable()) {
            response.header(HttpHeaders.RETRY_AFTER, seconds(AFTER_OUTAGE));
        }
        return response.build();
    }

    /** The name of a lock depends on the request, so the request is at fault. */
    @ExceptionHandler
    ErrorResponse invalid(InvalidNameException invalid) {
        return ErrorResponse.builder(
                        invalid,
                        HttpStatus.BAD_REQUEST,
                        "A value of the request is missing, empty, too long or not well-formed. Nothing was done.")
                .build();
    }

    /**
     * Returns the response of the method above that handles the exception or one of its causes; {@code null} if there
     * is none.
     */
    @Nullable
    ErrorResponse respond(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            Method handler = HANDLERS.resolveMethodByExceptionType(cause.getClass());
            if (handler != null) {
                ReflectionUtils.makeAccessible(handler);
                return (ErrorResponse) ReflectionUtils.invokeMethod(handler, this, cause);
            }
        }
        return null;
    }

    private static String seconds(Duration time) {
        return String.valueOf(time.toSeconds());
    }
}
