// SPDX-License-Identifier: Apache-2.0
package io.boltwork.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Publisher;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Tests what libraries use that acquire in their own way. */
class AcquisitionsTest {
    private final List<String> log = new ArrayList<>();
    private final CompletableFuture<Void> released = CompletableFuture.completedFuture(null);

    private Mono<String> acquired() {
        return Acquisitions.of(
                CompletableFuture<String>::new,
                call -> {
                    log.add("begin");
                    call.complete("held");
                },
                value -> log.add("unwanted " + value));
    }

    private <T> Flux<T> guarded(Publisher<T> body, CompletableFuture<Void> released) {
        return Acquisitions.guard(acquired(), held -> body, held -> {
                    log.add("release " + held);
                    return released;
                })
                .doOnComplete(() -> log.add("end"));
    }

    @Test
    void releaseComesBeforeTheEnd() {
        Flux<Integer> guarded = guarded(Flux.just(1, 2), released);
        assertThat(log).isEmpty();
        StepVerifier.create(guarded).expectNext(1, 2).verifyComplete();
        StepVerifier.create(guarded).expectNext(1, 2).verifyComplete();
        assertThat(log).containsExactly("begin", "release held", "end", "begin", "release held", "end");
    }

    @Test
    void failedReleaseIsTheEndOrSuppressed() {
        CompletableFuture<Void> lost = CompletableFuture.failedFuture(new IllegalStateException("lost"));
        StepVerifier.create(guarded(Mono.just(1), lost)).expectNext(1).verifyErrorMessage("lost");
        StepVerifier.create(guarded(Mono.error(new IllegalArgumentException("own")), lost))
                .verifyErrorSatisfies(failure -> {
                    assertThat(failure).hasMessage("own");
                    assertThat(failure.getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class);
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"begun", "acquired", "guarded", "subscribed"})
    void cancellationReleasesAtAnyMoment(String moment) {
        BaseSubscriber<Integer> subscriber = new BaseSubscriber<>() {};
        Consumer<String> now = reached -> {
            if (reached.equals(moment)) {
                subscriber.cancel();
            }
        };
        Mono<String> acquired = Acquisitions.of(
                        CompletableFuture<String>::new,
                        call -> {
                            now.accept("begun");
                            call.complete("held");
                        },
                        value -> log.add("unwanted " + value))
                .doOnNext(held -> now.accept("acquired"));
        Acquisitions.guard(
                        acquired,
                        held -> {
                            now.accept("guarded");
                            return Mono.<Integer>never().doOnSubscribe(body -> now.accept("subscribed"));
                        },
                        held -> {
                            log.add("release " + held);
                            return released;
                        })
                .subscribe(subscriber);
        assertThat(log).isEqualTo(moment.equals("begun") ? List.of() : List.of("release held"));
    }

    @Test
    void cancellationReleases() {
        Disposable subscription = guarded(Flux.never(), released).subscribe();
        subscription.dispose();
        assertThat(log).containsExactly("begin", "release held");
    }

    @Test
    void cancellationCancelsTheCallOrGivesItsValueBack() {
        CompletableFuture<String> pending = new CompletableFuture<>();
        Acquisitions.of(() -> pending, call -> {}, value -> log.add("unwanted " + value))
                .subscribe()
                .dispose();
        assertThat(pending).isCancelled();
        CompletableFuture<String> stubborn = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        Acquisitions.of(() -> stubborn, call -> {}, value -> log.add("unwanted " + value))
                .subscribe()
                .dispose();
        stubborn.complete("late");
        assertThat(log).containsExactly("unwanted late");
    }
}
