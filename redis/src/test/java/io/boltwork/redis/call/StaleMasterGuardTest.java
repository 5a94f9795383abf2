// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.wait.Await;
import io.boltwork.testkit.wait.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StaleMasterGuardTest {
    private static final int MANY = 10_000;

    private final AtomicLong now = new AtomicLong(1);
    private final List<CompletableFuture<Object>> questions = new ArrayList<>();
    private final List<Throwable> replaced = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> results = new ConcurrentLinkedQueue<>();
    private final StaleMasterGuard guard = new StaleMasterGuard(
            () -> {
                CompletableFuture<Object> question = new CompletableFuture<>();
                questions.add(question);
                return question;
            },
            replaced::add,
            now::get);

    private StaleMasterGuard.Kept reply(String reply) {
        return reply(reply, () -> {});
    }

    private StaleMasterGuard.Kept reply(String reply, Runnable andThen) {
        return new StaleMasterGuard.Kept() {
            @Override
            public void use() {
                results.add(reply);
                andThen.run();
            }

            @Override
            public void drop(Throwable cause) {
                results.add("no " + reply + ": " + cause.getMessage());
            }
        };
    }

    private void silence() {
        now.addAndGet(StaleMasterGuard.SILENCE_NANOS);
    }

    @Test
    void aReplySoonAfterAnotherIsUsedAtOnce() {
        for (String reply : List.of("a", "b", "c")) {
            now.addAndGet(StaleMasterGuard.SILENCE_NANOS - 1);
            guard.heard(reply(reply));
        }
        assertThat(results).containsExactly("a", "b", "c");
        assertThat(questions).isEmpty();
    }

    @Test
    void repliesAfterASilenceAreHeldBackAndUsedInOrder() {
        silence();
        guard.heard(reply("a"));
        guard.heard(reply("b"));
        assertThat(results).isEmpty();
        assertThat(questions).hasSize(1);
        questions.get(0).complete("it is");
        assertThat(results).containsExactly("a", "b");
        guard.heard(reply("c"));
        assertThat(results).containsExactly("a", "b", "c");
        assertThat(replaced).isEmpty();
    }

    @Test
    void eachSilenceCausesOneQuestion() {
        for (int i = 1; i <= 3; i++) {
            silence();
            guard.heard(reply("a"));
            assertThat(questions).hasSize(i);
            questions.get(i - 1).complete("it is");
            assertThat(results).hasSize(i);
        }
    }

    /** The first answer may be from before the second silence, in which the server was replaced. */
    @Test
    void onlyTheAnswerAfterTheLastSilenceCounts() {
        silence();
        guard.heard(reply("a"));
        silence();
        guard.heard(reply("b"));
        assertThat(questions).hasSize(2);
        questions.get(0).complete("it is");
        assertThat(results).isEmpty();
        questions.get(1).complete("it is");
        assertThat(results).containsExactly("a", "b");
        guard.heard(reply("c"));
        assertThat(results).containsExactly("a", "b", "c");
    }

    @Test
    void aSilenceStopsTheUseOfHeldBackReplies() {
        silence();
        guard.heard(reply("a", () -> {
            silence();
            guard.heard(reply("c"));
        }));
        guard.heard(reply("b"));
        questions.get(0).complete("it is");
        assertThat(results).containsExactly("a");
        questions.get(1).complete("it is");
        assertThat(results).containsExactly("a", "b", "c");
    }

    @Test
    void newRepliesDoNotOvertakeHeldBackOnes() {
        silence();
        guard.heard(reply("a", () -> guard.heard(reply("c"))));
        guard.heard(reply("b"));
        questions.get(0).complete("it is");
        assertThat(results).containsExactly("a", "b", "c");
    }

    @Test
    void repliesOfAReplacedMasterAreDroppedWithTheConnection() {
        silence();
        guard.heard(reply("a"));
        IllegalStateException why = new IllegalStateException("another one is");
        questions.get(0).completeExceptionally(why);
        assertThat(replaced).containsExactly(why);
        guard.heard(reply("b"));
        assertThat(results).isEmpty();
        guard.end(new IllegalStateException("closed"));
        guard.heard(reply("c"));
        assertThat(results).containsExactly("no a: closed", "no b: closed", "no c: closed");
        assertThat(questions).hasSize(1);
        assertThat(replaced).hasSize(1);
    }

    @Test
    void heldBackRepliesAreNotUsedAfterTheConnectionClosed() {
        silence();
        guard.heard(reply("a"));
        guard.end(new IllegalStateException("closed"));
        questions.get(0).complete("it is");
        guard.heard(reply("b"));
        guard.end(new IllegalStateException("closed again"));
        assertThat(results).containsExactly("no a: closed", "no b: closed");
    }

    @Test
    void repliesKeepTheirOrderWhenTheAnswerArrivesAmongThem() throws Exception {
        for (int round = 1; round <= 20; round++) {
            results.clear();
            silence();
            guard.heard(reply("0"));
            CompletableFuture<Object> question = questions.get(round - 1);
            Task<Integer> more = Task.start("server", () -> {
                int next = 1;
                while (next < MANY) {
                    guard.heard(reply(Integer.toString(next++)));
                }
                return next;
            });
            question.complete("it is");
            more.get();
            assertThat(results)
                    .containsExactlyElementsOf(
                            IntStream.range(0, MANY).mapToObj(Integer::toString).toList());
        }
    }

    /** The answer to a caller may arrive on its thread at the same time as that to a ping. */
    @Test
    void aSecondReplyAfterASilenceIsHeldBackWhileTheFirstIs() throws Exception {
        silence();
        Thread[] first = new Thread[1];
        Task<Boolean> pinged;
        synchronized (guard) {
            pinged = Task.start("pinged", () -> {
                first[0] = Thread.currentThread();
                guard.heard(reply("a"));
                return true;
            });
            Await.until(
                    "the first is about to be held back",
                    () -> first[0] != null && first[0].getState() == Thread.State.BLOCKED);
            guard.heard(reply("b"));
            assertThat(results).isEmpty();
        }
        pinged.get();
        assertThat(questions).hasSize(1);
        questions.get(0).complete("it is");
        assertThat(results).containsExactly("b", "a");
    }
}
