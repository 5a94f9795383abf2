package io.boltwork.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.Task;
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
    private final ConcurrentLinkedQueue<String> said = new ConcurrentLinkedQueue<>();
    private final StaleMasterGuard guard = new StaleMasterGuard(
            () -> {
                CompletableFuture<Object> question = new CompletableFuture<>();
                questions.add(question);
                return question;
            },
            replaced::add,
            now::get);

    private StaleMasterGuard.Kept word(String word) {
        return word(word, () -> {});
    }

    private StaleMasterGuard.Kept word(String word, Runnable andThen) {
        return new StaleMasterGuard.Kept() {
            @Override
            public void use() {
                said.add(word);
                andThen.run();
            }

            @Override
            public void drop(Throwable cause) {
                said.add("no " + word + ": " + cause.getMessage());
            }
        };
    }

    private void silence() {
        now.addAndGet(StaleMasterGuard.SILENCE_NANOS);
    }

    @Test
    void whatComesSoonAfterTheLastIsUsedAtOnce() {
        for (String word : List.of("a", "b", "c")) {
            now.addAndGet(StaleMasterGuard.SILENCE_NANOS - 1);
            guard.heard(word(word));
        }
        assertThat(said).containsExactly("a", "b", "c");
        assertThat(questions).isEmpty();
    }

    @Test
    void whatComesAfterASilenceIsKeptAndUsedInItsOrderIfTheServerIsTheMasterStill() {
        silence();
        guard.heard(word("a"));
        guard.heard(word("b"));
        assertThat(said).isEmpty();
        assertThat(questions).hasSize(1);
        questions.get(0).complete("it is");
        assertThat(said).containsExactly("a", "b");
        guard.heard(word("c"));
        assertThat(said).containsExactly("a", "b", "c");
        assertThat(replaced).isEmpty();
    }

    @Test
    void eachSilenceIsAskedAbout() {
        for (int i = 1; i <= 3; i++) {
            silence();
            guard.heard(word("a"));
            assertThat(questions).hasSize(i);
            questions.get(i - 1).complete("it is");
            assertThat(said).hasSize(i);
        }
    }

    /** The first answer may have been given before the second silence, in which the server was replaced. */
    @Test
    void afterAnotherSilenceOnlyTheAnswerToTheLastQuestionCounts() {
        silence();
        guard.heard(word("a"));
        silence();
        guard.heard(word("b"));
        assertThat(questions).hasSize(2);
        questions.get(0).complete("it is");
        assertThat(said).isEmpty();
        questions.get(1).complete("it is");
        assertThat(said).containsExactly("a", "b");
        guard.heard(word("c"));
        assertThat(said).containsExactly("a", "b", "c");
    }

    @Test
    void aSilenceWhileTheKeptIsUsedStopsThat() {
        silence();
        guard.heard(word("a", () -> {
            silence();
            guard.heard(word("c"));
        }));
        guard.heard(word("b"));
        questions.get(0).complete("it is");
        assertThat(said).containsExactly("a");
        questions.get(1).complete("it is");
        assertThat(said).containsExactly("a", "b", "c");
    }

    @Test
    void whatComesWhileTheKeptIsUsedDoesNotOvertakeIt() {
        silence();
        guard.heard(word("a", () -> guard.heard(word("c"))));
        guard.heard(word("b"));
        questions.get(0).complete("it is");
        assertThat(said).containsExactly("a", "b", "c");
    }

    @Test
    void whatComesAfterASilenceIsDroppedWithTheConnectionIfTheServerIsNotTheMasterAnyMore() {
        silence();
        guard.heard(word("a"));
        IllegalStateException why = new IllegalStateException("another one is");
        questions.get(0).completeExceptionally(why);
        assertThat(replaced).containsExactly(why);
        guard.heard(word("b"));
        assertThat(said).isEmpty();
        guard.end(new IllegalStateException("closed"));
        guard.heard(word("c"));
        assertThat(said).containsExactly("no a: closed", "no b: closed", "no c: closed");
        assertThat(questions).hasSize(1);
        assertThat(replaced).hasSize(1);
    }

    @Test
    void nothingIsUsedThatWasKeptWhenTheConnectionWasClosed() {
        silence();
        guard.heard(word("a"));
        guard.end(new IllegalStateException("closed"));
        questions.get(0).complete("it is");
        guard.heard(word("b"));
        guard.end(new IllegalStateException("closed again"));
        assertThat(said).containsExactly("no a: closed", "no b: closed");
    }

    @Test
    void theOrderIsKeptThoughTheAnswerComesAmongThem() throws Exception {
        for (int round = 1; round <= 20; round++) {
            said.clear();
            silence();
            guard.heard(word("0"));
            CompletableFuture<Object> question = questions.get(round - 1);
            Task<Integer> more = Task.start("server", () -> {
                int next = 1;
                while (next < MANY) {
                    guard.heard(word(Integer.toString(next++)));
                }
                return next;
            });
            question.complete("it is");
            more.get();
            assertThat(said)
                    .containsExactlyElementsOf(
                            IntStream.range(0, MANY).mapToObj(Integer::toString).toList());
        }
    }
}
