// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spi.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.LockBackend;
import io.boltwork.spi.RequestId;
import io.boltwork.spi.rules.WaitQueue.Budget;
import io.boltwork.spi.rules.WaitQueue.QueuedRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A queue keeps its order, however it is shortened. */
class WaitQueueTest {

    private static final int SEEDS = 20;
    private static final String KIND = "queue";
    private static final long NOW = 1_000_000;

    private WaitQueue queue = new WaitQueue();

    // ================================================================ holes at the beginning

    /** Makes a queue of so many places, of which the first hundred have only some entries, at their beginning. */
    private void hollow(int entriesOfTheFirstHundred, int places) {
        for (int i = 1; i <= places; i++) {
            enter("a:" + i);
        }
        for (int i = entriesOfTheFirstHundred + 1; i <= 100; i++) {
            queue.remove("a:" + i, new Budget(), NOW);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 99", "49, 51", "50, 50", "51, 0"})
    void holesAtTheBeginningAreLeftOutIfTheyAreTheHalf(int entries, int shorter) {
        hollow(entries, 1_000);
        for (int i = 1_001; i < 1_050; i++) {
            assertThat(enter("a:" + i))
                    .as("one in fifty entries shortens the queue")
                    .isEqualTo(i);
        }
        assertThat(enter("a:1050")).isEqualTo(1_050 - shorter);
        assertThat(enter("a:500")).isEqualTo(500 - shorter);
        assertThat(enter("a:1")).isEqualTo(1);
        assertThat(queue.isFirst("a:1")).isTrue();
        assertThat(text()).as("no claim has lapsed").contains(" 1051 0 0 0\n");
        List<String> left = new ArrayList<>();
        for (int i = 1; i <= 1_050; i = i == entries ? 101 : i + 1) {
            left.add("a:" + i);
        }
        assertThat(requests(queue)).isEqualTo(left);
        queue.remove("a:1", new Budget(), NOW);
        assertThat(queue.isFirst(left.get(1))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"50, 902", "51, 1000"})
    void aQueueOfLessThanAThousandPlacesStaysAsItIs(int first, int position) {
        for (int i = 1; i < 1_050; i++) {
            enter("a:" + i);
        }
        for (int i = 1; i < first + 100; i++) {
            if (i != first) {
                queue.remove("a:" + i, new Budget(), NOW);
            }
        }
        assertThat(enter("a:1050")).isEqualTo(position);
    }

    @Test
    void aCommandWithoutEnoughPlacesLeftDoesNotShortenTheQueue() {
        hollow(1, 1_049);
        Budget used = new Budget();
        for (int i = LockBackend.PLACES_PER_STEP; i >= 100; i--) {
            assertThat(used.take()).isTrue();
        }
        assertThat(queue.enter("b:1", 1, 0, NOW, used)).isEqualTo(1_050);
        queue.remove("b:1", used, NOW);
        Budget enough = new Budget();
        for (int i = LockBackend.PLACES_PER_STEP; i > 100; i--) {
            assertThat(enough.take()).isTrue();
        }
        assertThat(queue.enter("b:1", 1, 0, NOW, enough)).isEqualTo(1_050 - 99);
        assertThat(enough.isLeft()).isFalse();
    }

    @Test
    void marksOfClientsThatAreGoneKeepTheirPlaces() {
        enter("a:1");
        enter("x:1");
        queue.lapsed("x:0", false, NOW);
        enter("x:2");
        for (int i = 5; i <= 1_049; i++) {
            enter("a:" + i);
        }
        for (int i = 5; i <= 100; i++) {
            queue.remove("a:" + i, new Budget(), NOW);
        }
        assertThat(enter("b:1")).as("the first four places are moved").isEqualTo(1_050 - 96);
        assertThat(queue.contains("x:1")).isFalse();
        assertThat(queue.contains("x:2")).isTrue();
        assertThat(requests(queue)).startsWith("a:1", "x:2", "a:101");
        queue = copied(queue);
        assertThat(requests(queue)).startsWith("a:1", "x:2", "a:101").endsWith("a:1049", "b:1");

        long later = NOW + LockBackend.SHORT_CLAIMS_LAST_MILLIS;
        assertThat(queue.areClaimsShort(later - 1)).isTrue();
        serve("a:1", later);
        assertThat(text()).contains("queue 100 1051 1030000 1000000 100\n");
        serve("x:2", later);
        assertThat(text()).as("nothing lapsed matters behind the mark").contains("queue 101 1051 0 0 0\n");
        assertThat(queue.areClaimsShort(later - 1)).isFalse();
    }

    private void serve(String request, long now) {
        Budget budget = new Budget();
        QueuedRequest first = queue.first(budget);
        assertThat(first).isNotNull();
        assertThat(first.request()).isEqualTo(request);
        queue.pop(first);
        queue.first(budget);
        queue.looked(now);
    }

    // ================================================================ random sequences

    @Test
    void itIsTheListOfThoseThatWait() {
        for (int seed = 0; seed < SEEDS; seed++) {
            new Sequence(seed).run();
        }
    }

    /** A random sequence of calls, beside the list of the requests that wait. */
    private static final class Sequence {
        private final Random random;
        private final int seed;
        private final List<String> waiting = new ArrayList<>();
        private WaitQueue queue = new WaitQueue();
        private int number;
        private long now = NOW;

        Sequence(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            for (int i = 0; i < 300; i++) {
                step();
                assertThat(requests(queue)).as("seed %d, step %d", seed, i).isEqualTo(waiting);
                now += random.nextInt(20);
            }
        }

        private void step() {
            int kind = random.nextInt(100);
            if (kind < 40) {
                enter(1 + random.nextInt(60));
            } else if (kind < 80) {
                leave(random.nextInt(40));
            } else if (kind < 90) {
                serve();
            } else if (kind < 93) {
                String client = client();
                queue.lapsed(client + ":claim", random.nextBoolean(), now);
                forget(client);
            } else if (kind < 97) {
                lapse();
            } else {
                queue = copied(queue);
            }
        }

        private String client() {
            return "c" + random.nextInt(30);
        }

        private void enter(int count) {
            for (int i = 0; i < count; i++) {
                boolean again = !waiting.isEmpty() && random.nextInt(20) == 0;
                String request = again ? waiting.get(random.nextInt(waiting.size())) : client() + ":" + number++;
                int position = queue.enter(request, 1, 0, now, new Budget());
                if (!again) {
                    waiting.add(request);
                }
                assertThat(position)
                        .as("seed %d: at least the number of those before it", seed)
                        .isGreaterThan(waiting.indexOf(request));
                assertThat(queue.contains(request)).isTrue();
            }
        }

        /** Mostly those near the beginning leave, so that there are holes. */
        private void leave(int count) {
            for (int i = 0; i < count && waiting.size() > 1; i++) {
                String request = waiting.remove(1 + random.nextInt(Math.min(waiting.size() - 1, 90)));
                queue.remove(request, new Budget(), now);
                assertThat(queue.contains(request)).isFalse();
            }
        }

        private QueuedRequest first() {
            for (int i = 0; i < 100; i++) {
                QueuedRequest first = queue.first(new Budget());
                if (first != null) {
                    return first;
                }
            }
            throw new AssertionError("seed " + seed + ": no request is first");
        }

        private void serve() {
            if (!waiting.isEmpty()) {
                QueuedRequest first = first();
                assertThat(first.request()).as("seed %d", seed).isEqualTo(waiting.remove(0));
                assertThat(queue.isFirst(first.request())).isTrue();
                queue.pop(first);
                queue.first(new Budget());
                queue.looked(now);
            }
        }

        /** The first request does not confirm a short claim: it waits at the end, or its client is gone. */
        private void lapse() {
            if (!waiting.isEmpty()) {
                QueuedRequest first = first();
                waiting.remove(first.request());
                queue.pop(first);
                queue.lapsed(first, now, new Budget());
                if (queue.contains(first.request())) {
                    waiting.add(first.request());
                } else {
                    forget(RequestId.clientOf(first.request()));
                }
            }
        }

        private void forget(String client) {
            Predicate<String> isOf = request -> RequestId.clientOf(request).equals(client);
            waiting.removeIf(isOf);
        }
    }

    // ================================================================ helpers

    private int enter(String request) {
        return queue.enter(request, 1, 0, NOW, new Budget());
    }

    private static List<String> requests(WaitQueue queue) {
        return queue.entries().stream().map(QueuedRequest::request).toList();
    }

    private String text() {
        RecordLines lines = RecordLines.ofKind(KIND);
        queue.write(lines);
        return lines.toString();
    }

    private static WaitQueue copied(WaitQueue queue) {
        RecordLines lines = RecordLines.ofKind(KIND);
        queue.write(lines);
        WaitQueue copy = new WaitQueue();
        List<RecordLines.Line> read = RecordLines.read(KIND, lines.toString());
        for (RecordLines.Line line : read.subList(1, read.size())) {
            String kind = line.word();
            assertThat(copy.read(kind, line)).isTrue();
        }
        return copy;
    }
}
