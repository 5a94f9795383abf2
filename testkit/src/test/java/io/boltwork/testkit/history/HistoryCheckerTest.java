// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.boltwork.testkit.history.HistoryChecker.Verdict;
import io.boltwork.testkit.wait.Slack;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** The checker as a whole. {@link RightHistoriesTest} and {@link WrongHistoriesTest} have its single rules. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class HistoryCheckerTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** A hold as the checker sees it: granted between two times, and not ended before a third one. */
    private record Span(int invoked, int acquired, int until) {
        /**
         * Returns the lines of a separate process. It was killed, so that only the last check shows how long it held.
         */
        String lines(int token) {
            String name = " p" + token + " t ";
            return invoked + name + "acquire invoke x\n" + acquired + name + "acquire ok x " + token + "\n"
                    + (until > acquired ? until + name + "check ok x " + token + "\n" : "");
        }
    }

    /** Returns whether there are times of grants, in the order of the tokens, that fit. Tries all of them. */
    private static boolean fits(List<Span> spans, int next, int free) {
        if (next == spans.size()) {
            return true;
        }
        Span span = spans.get(next);
        for (int granted = Math.max(span.invoked, free); granted <= span.acquired; granted++) {
            int end = span.until > span.acquired ? span.until : granted;
            if (fits(spans, next + 1, end)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void theCheckerAgreesWithASearchOfAllPossibleTimes() {
        long seed = Long.getLong("boltwork.seed", System.nanoTime());
        Random random = new Random(seed);
        int right = 0;
        int rounds = 10_000;
        for (int round = 0; round < rounds; round++) {
            List<Span> spans = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            int holds = 2 + random.nextInt(4);
            for (int i = 0; i < holds; i++) {
                int invoked = i * 3 + random.nextInt(10);
                int acquired = invoked + random.nextInt(8);
                int until = random.nextInt(3) == 0 ? 0 : acquired + 1 + random.nextInt(4);
                spans.add(new Span(invoked, acquired, until));
                text.append(spans.get(i).lines(i + 1));
            }
            Verdict verdict = HistoryChecker.check(History.parse(text.toString()));
            boolean fits = fits(spans, 0, 0);
            assertThat(verdict.violations().isEmpty())
                    .as("-Dboltwork.seed=%d, a search says %s:%n%s%s", seed, fits, text, verdict)
                    .isEqualTo(fits);
            right += fits ? 1 : 0;
        }
        assertThat(right).as("right histories").isBetween(rounds / 10, rounds * 9 / 10);
    }

    @Test
    void halfAMillionEventsAreCheckedInSeconds(@TempDir Path directory) throws IOException {
        Files.writeString(directory.resolve("long.history"), longHistory(125_000));
        long start = THREADS.getCurrentThreadCpuTime(); // others may load the machine
        History history = History.read(directory);
        long read = THREADS.getCurrentThreadCpuTime();
        Verdict verdict = HistoryChecker.check(history).orThrow();
        long end = THREADS.getCurrentThreadCpuTime();
        System.out.printf(
                "%,d events: read in %d ms, judged in %d ms%n",
                verdict.events(), (read - start) / 1_000_000, (end - read) / 1_000_000);
        assertThat(verdict.events()).isEqualTo(500_000);
        assertThat(verdict.holds()).isEqualTo(125_000);
        assertThat(Duration.ofNanos(end - start)).isLessThan(Slack.seconds(5));
    }

    @Test
    void oneWrongHoldAmongManyIsFound() {
        String wrong = longHistory(10_000) + "1000 late t acquire invoke x\n1500 late t acquire ok x 10001\n";
        assertThat(HistoryChecker.check(History.parse(wrong)).violations()).hasSize(1);
    }

    @Test
    void onlySomeOfVeryManyViolationsAreReported() {
        StringBuilder text =
                new StringBuilder("1 a t acquire invoke x\n2 a t acquire ok x 1\n1000000 a t check ok x 1\n");
        for (int i = 2; i < 2_000; i++) {
            text.append(i).append(" p").append(i).append(" t acquire invoke x\n");
            text.append(i + 1)
                    .append(" p")
                    .append(i)
                    .append(" t acquire ok x ")
                    .append(i)
                    .append('\n');
        }
        assertThat(HistoryChecker.check(History.parse(text.toString())).violations())
                .hasSize(10);
    }

    @Test
    void theVerdictNamesTheEvents() {
        Verdict verdict = HistoryChecker.check(History.parse("""
                1000000010 shop-1 load-0#23 acquire invoke stock
                1000000020 shop-1 load-0#23 acquire ok     stock 17
                1000000025 shop-2 load-0#23 acquire invoke stock
                1000000030 shop-2 load-0#23 acquire ok     stock 18
                1000000040 shop-1 load-0#23 check   ok     stock 17
                1000000050 shop-1 -         kill    ok
                """));
        assertThatThrownBy(verdict::orThrow).isInstanceOf(AssertionError.class).hasMessage("""
                6 events, 2 holds
                  EXCLUSION: two owners hold the lock at the same time
                    1.000000010 s  shop-1  load-0#23  acquire invoke  stock  (line:1)
                    1.000000020 s  shop-1  load-0#23  acquire ok  stock  token 17  (line:2)
                    1.000000040 s  shop-1  load-0#23  check ok  stock  token 17  (line:5)
                    1.000000025 s  shop-2  load-0#23  acquire invoke  stock  (line:3)
                    1.000000030 s  shop-2  load-0#23  acquire ok  stock  token 18  (line:4)""");
    }

    /** Returns the history of ten threads of four processes that pass a lock on to each other, process by process. */
    private static String longHistory(int holds) {
        List<StringBuilder> processes = new ArrayList<>(Collections.nCopies(4, null));
        processes.replaceAll(none -> new StringBuilder());
        for (int i = 0; i < holds; i++) {
            int process = i % 4;
            String who = " p" + process + " t" + i % 10 / 4 + " ";
            long time = 20L * i;
            processes
                    .get(process)
                    .append(time - (i < 4 ? 0 : 60))
                    .append(who)
                    .append("acquire invoke x\n")
                    .append(time + 2)
                    .append(who)
                    .append("acquire ok x ")
                    .append(i + 1)
                    .append('\n')
                    .append(time + 10)
                    .append(who)
                    .append("release invoke x ")
                    .append(i + 1)
                    .append('\n')
                    .append(time + 12)
                    .append(who)
                    .append("release ok x ")
                    .append(i + 1)
                    .append('\n');
        }
        return String.join("", processes);
    }
}
