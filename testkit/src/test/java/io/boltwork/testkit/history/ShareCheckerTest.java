// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.testkit.history.HistoryChecker.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The checker's judgement of shares as a whole. {@link RightShareHistoriesTest} and {@link WrongShareHistoriesTest}
 * have its single rules.
 */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class ShareCheckerTest {

    /**
     * A hold as the checker sees it: granted between two times, and not ended before a third one. A writer with {@code
     * reads} goes on as a reader between {@code until} and {@code left}, until {@code reads}.
     */
    private record Span(int token, RecordedShare share, int invoked, int acquired, int until, int left, int reads) {
        boolean goesOn() {
            return reads > 0;
        }

        /**
         * Returns the lines of a separate process. It was killed, so that only the last check shows how long it held.
         */
        String lines() {
            String name = " p" + token + " t ";
            String share = " " + share();
            String hold = " x " + token + share + "\n";
            StringBuilder text = new StringBuilder()
                    .append(invoked + name + "acquire invoke x" + share + "\n")
                    .append(acquired + name + "acquire ok" + hold);
            if (goesOn()) {
                text.append(acquired + name + "acquire invoke x read\n")
                        .append(acquired + name + "acquire ok x " + token + " read\n")
                        .append(until + name + "release invoke" + hold)
                        .append(left + name + "release ok" + hold)
                        .append(reads + name + "check ok x " + token + " read\n");
            } else if (until > acquired) {
                text.append(until + name + "check ok" + hold);
            }
            return text.toString();
        }
    }

    /** A stretch of a hold at certain times. */
    private record Stretch(int token, RecordedShare share, int from, int to) {
        boolean allows(Stretch other) {
            boolean alone = share.takesAll() || other.share.takesAll();
            return token == other.token || !alone || (token < other.token ? to <= other.from : other.to <= from);
        }
    }

    /** Returns whether there are times of grants and downgrades that fit. Tries all of them. */
    private static boolean fits(List<Span> spans, int next, List<Stretch> stretches) {
        if (next == spans.size()) {
            return hasRoom(stretches);
        }
        Span span = spans.get(next);
        for (int granted = span.invoked; granted <= span.acquired; granted++) {
            for (int left = span.until; left <= span.left; left++) {
                List<Stretch> more = new ArrayList<>(stretches);
                more.add(new Stretch(
                        span.token, span.share, granted, Math.max(granted, span.goesOn() ? left : span.until)));
                if (span.goesOn()) {
                    more.add(new Stretch(span.token, RecordedShare.READ, left, span.reads));
                }
                boolean allowed = more.subList(stretches.size(), more.size()).stream()
                        .allMatch(stretch -> stretches.stream().allMatch(stretch::allows));
                if (allowed && fits(spans, next + 1, more)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean hasRoom(List<Stretch> stretches) {
        return stretches.stream()
                .allMatch(begins -> stretches.stream()
                                .filter(stretch -> !stretch.share.takesAll()
                                        && stretch.from <= begins.from
                                        && begins.from < stretch.to)
                                .mapToLong(stretch -> stretch.share.weight())
                                .sum()
                        <= begins.share.capacity());
    }

    private static Span random(Random random, int number, int token, boolean permits) {
        int invoked = number * 2 + random.nextInt(7);
        int acquired = invoked + random.nextInt(6);
        int until = random.nextInt(3) == 0 ? 0 : acquired + 1 + random.nextInt(4);
        if (permits) {
            return new Span(token, RecordedShare.permits(1 + random.nextInt(3), 3), invoked, acquired, until, until, 0);
        }
        if (random.nextInt(3) > 0) {
            return new Span(token, RecordedShare.READ, invoked, acquired, until, until, 0);
        }
        int left = until + random.nextInt(3);
        int reads = until == 0 || random.nextBoolean() ? 0 : left + 1 + random.nextInt(3);
        return new Span(token, RecordedShare.WRITE, invoked, acquired, until, reads == 0 ? until : left, reads);
    }

    @Test
    void theCheckerAgreesWithASearchOfAllPossibleTimes() {
        long seed = Long.getLong("boltwork.seed", System.nanoTime());
        Random random = new Random(seed);
        int right = 0;
        int rounds = 4_000;
        for (int round = 0; round < rounds; round++) {
            int holds = 2 + random.nextInt(3);
            boolean permits = random.nextBoolean();
            List<Integer> tokens =
                    new ArrayList<>(IntStream.rangeClosed(1, holds).boxed().toList());
            if (random.nextInt(3) == 0) {
                Collections.shuffle(tokens, random);
            }
            List<Span> spans = new ArrayList<>();
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < holds; i++) {
                spans.add(random(random, i, tokens.get(i), permits));
                text.append(spans.get(i).lines());
            }
            Verdict verdict = HistoryChecker.check(History.parse(text.toString()));
            boolean fits = fits(spans, 0, List.of());
            assertThat(verdict.violations().isEmpty())
                    .as("-Dboltwork.seed=%d, a search says %s:%n%s%s", seed, fits, text, verdict)
                    .isEqualTo(fits);
            assertThat(verdict.holds()).isEqualTo(holds);
            right += fits ? 1 : 0;
        }
        assertThat(right).as("right histories").isBetween(rounds / 10, rounds * 9 / 10);
    }

    @Test
    void aHoldThatIsTooMuchIsReportedOnce() {
        StringBuilder text =
                new StringBuilder("1 a t acquire invoke x 2/3\n2 a t acquire ok x 1 2/3\n90000 a t check ok x 1 2/3\n");
        for (int i = 2; i < 1_000; i++) {
            String who = " p" + i + " t ";
            String hold = " x " + i + " 2/3\n";
            text.append(i * 10 + who + "acquire invoke x 2/3\n")
                    .append(i * 10 + 1 + who + "acquire ok" + hold)
                    .append(i * 10 + 5 + who + "check ok" + hold);
        }
        assertThat(HistoryChecker.check(History.parse(text.toString())).violations())
                .hasSize(1);
    }
}
