// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.autoconfigure;

import static io.boltwork.spring.TestApplication.assertWrong;
import static io.boltwork.spring.TestApplication.memory;
import static io.boltwork.spring.TestApplication.redis;
import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.Leadership;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import io.boltwork.spi.LockBackend;
import io.boltwork.spring.LeaderElected;
import io.boltwork.spring.LeaderRevoked;
import io.boltwork.spring.actuate.LocksHealthIndicator;
import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Slack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** The leadership of an application: its events, its health, and its end. */
@ExtendWith(OutputCaptureExtension.class)
class LeaderTest {
    private static final String LOCK = "shop:cleaner";

    private final MemoryServer server = MemoryServer.create();
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final CountDownLatch failed = new CountDownLatch(1);

    /** Writes down the events of one application. */
    static class Listener {
        private final LeaderTest test;
        private final String application;
        private final boolean fails;

        Listener(LeaderTest test, String application, boolean fails) {
            this.test = test;
            this.application = application;
            this.fails = fails;
        }

        @EventListener
        public void elected(LeaderElected event) {
            if (fails) {
                test.failed.countDown();
                throw new IllegalStateException("for the test");
            }
            test.events.add(
                    application + " elected, leads: " + event.leadership().isLeader());
            assertThat(event.lease().fencingToken()).isPositive();
        }

        @EventListener
        public void revoked(LeaderRevoked event) {
            test.events.add(application + " revoked " + event.revocation().reason() + ", leads: "
                    + event.leadership().isLeader() + ", holds: "
                    + event.leadership().leader().isPresent());
        }
    }

    private ApplicationContextRunner application(String name, boolean fails) {
        return redis().withBean(LockBackend.class, () -> MemoryBackend.on(server))
                .withBean(Listener.class, () -> new Listener(this, name, fails))
                .withPropertyValues("boltwork.leader.lock=cleaner", "boltwork.lock.prefix=shop:");
    }

    private void next(String event) throws InterruptedException {
        assertThat(events.poll(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS))
                .isEqualTo(event);
    }

    @Test
    void eventsAndHealthTellWhoLeads() {
        application("a", false).run(context -> {
            next("a elected, leads: true");
            Leadership leadership = context.getBean(Leadership.class);
            assertThat(leadership.lockName()).isEqualTo(LOCK);
            assertThat(leadership.leader()).isPresent();
            LocksHealthIndicator health = context.getBean(LocksHealthIndicator.class);
            assertThat(health.health().getDetails())
                    .containsEntry(
                            "leadership",
                            List.of("Leadership['shop:cleaner', leads with fencing token "
                                    + leadership.lease().orElseThrow().fencingToken() + "]"));
            context.getBean(LockClient.class).inspector().forceRelease(LOCK);
            next("a revoked LOST, leads: false, holds: false");
            next("a elected, leads: true");
            leadership.yieldFor(Duration.ofDays(1));
            next("a revoked YIELDED, leads: false, holds: true");
            Await.until("given back", () -> leadership.leader().isEmpty());
        });
        assertThat(events).isEmpty();
    }

    @Test
    void anotherInstanceLeadsWhenTheLeadersJobsHaveEnded(CapturedOutput output) {
        application("a", false)
                .withBean(ThreadPoolTaskScheduler.class, ThreadPoolTaskScheduler::new)
                .run(leader -> {
                    next("a elected, leads: true");
                    application("b", false).run(other -> {
                        assertThat(other.getBean(Leadership.class).isLeader()).isFalse();
                        CountDownLatch working = new CountDownLatch(1);
                        leader.getBean(ThreadPoolTaskScheduler.class).execute(() -> {
                            working.countDown();
                            sleep(200);
                            events.add("job ended, leads: "
                                    + leader.getBean(Leadership.class).isLeader());
                        });
                        working.await();
                        leader.close();
                        next("job ended, leads: true");
                        next("a revoked CLOSED, leads: false, holds: true");
                        next("b elected, leads: true");
                    });
                });
        assertThat(output).doesNotContain("Locks were still held");
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aListenerThatThrowsLetsAnotherInstanceLead() {
        application("a", true).run(failing -> {
            assertThat(failed.await(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS))
                    .isTrue();
            next("a revoked FAILED, leads: false, holds: true");
            application("b", false).run(other -> {
                String event = "";
                while (!event.startsWith("b")) { // a may have tried again
                    event = events.poll(Slack.seconds(20).toMillis(), TimeUnit.MILLISECONDS);
                }
                assertThat(event).isEqualTo("b elected, leads: true");
            });
        });
    }

    @Test
    void aRestartedApplicationStandsAgain() {
        application("a", false)
                .withPropertyValues("spring.main.lazy-initialization=true")
                .run(context -> {
                    next("a elected, leads: true");
                    context.stop();
                    next("a revoked CLOSED, leads: false, holds: true");
                    assertThat(context.getBean(Leadership.class)).hasToString("Leadership['shop:cleaner', closed]");
                    context.start();
                    next("a elected, leads: true");
                });
    }

    @Test
    void noLeaderWithoutAName() {
        memory().run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(Leadership.class);
            assertThat(context.getBean(LocksHealthIndicator.class).health().getDetails())
                    .doesNotContainKey("leadership");
        });
        assertWrong(memory(), "boltwork.leader.lock=", "name must not be empty");
    }
}
