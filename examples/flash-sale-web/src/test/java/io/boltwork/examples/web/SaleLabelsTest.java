// SPDX-License-Identifier: Apache-2.0
package io.boltwork.examples.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.examples.web.PageState.LockState;
import io.boltwork.examples.web.PageState.RedisState;
import io.boltwork.examples.web.PageState.SaleState;
import io.boltwork.examples.web.PageState.Server;
import io.boltwork.examples.web.PageState.ShopState;
import io.boltwork.examples.web.PageState.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Labels in the lanes neither overlap nor are cut off, in a real Chromium, whatever happened how soon after each other.
 */
@EnabledIfSystemProperty(named = "boltwork.proof", matches = "true", disabledReason = "minutes: -Dboltwork.proof=true")
class SaleLabelsTest {
    private static final SaleSettings SETTINGS = new SaleSettings(200, 160, 50, SaleSettings.Kind.LOCK, false, true);
    private static final List<String> SERVERS = List.of("Redis A", "Redis B", "Redis C");

    /** Looks at all labels in each of many frames, while they move. */
    private static final String FAULTS = """
            const done = arguments[arguments.length - 1];
            const faults = new Set();
            let frames = 0;
            let most = 0;
            function look() {
              for (const picture of document.querySelectorAll('#lanes svg, #chart')) {
                const edges = picture.getBoundingClientRect();
                const labels = [...picture.querySelectorAll('text')].filter(each => each.textContent)
                  .map(each => ({ words: each.textContent, box: each.getBoundingClientRect() }));
                most = Math.max(most, labels.length);
                labels.forEach(({ words, box }, i) => {
                  if (box.left < edges.left - 0.5 || box.right > edges.right + 0.5) {
                    faults.add(`${words} is cut off`);
                  }
                  labels.slice(i + 1).filter(other => box.left < other.box.right && other.box.left < box.right
                      && box.top < other.box.bottom && other.box.top < box.bottom)
                    .forEach(other => faults.add(`${words} overlaps ${other.words}`));
                });
              }
              frames++;
              frames < 150 ? requestAnimationFrame(look) : done([String(most), ...faults]);
            }
            let drawn = 0; // the picture is drawn for its new size in the next frame
            function begin() {
              drawn++ < 3 ? requestAnimationFrame(begin) : look();
            }
            begin();
            """;

    private final AtomicReference<Supplier<PageState>> shown = new AtomicReference<>();
    private PageServer server;
    private SalePage page;

    @BeforeEach
    void open() {
        shown.set(() -> state(0, 0, List.of(), null));
        server = new PageServer(0, () -> shown.get().get(), press -> {}, CodeOfButtons.all());
        page = new SalePage("http://127.0.0.1:" + server.port() + "/");
    }

    @AfterEach
    void close() {
        page.close();
        server.close();
    }

    /** A sale that began some time ago, with failovers that follow each other. */
    private static PageState state(long age, long failoverEvery, List<Turn> turns, Long ended) {
        long now = System.currentTimeMillis();
        long from = ended == null ? now - age : ended - age;
        List<DemoRedis.Reign> reigns = new ArrayList<>(List.of(new DemoRedis.Reign(from - 60_000, "Redis A")));
        List<DemoRedis.Outage> outages = new ArrayList<>();
        long end = ended == null ? now : ended;
        for (long at = from + 1_000; failoverEvery > 0 && at < end; at += failoverEvery) {
            String old = reigns.get(reigns.size() - 1).name();
            String next = SERVERS.get(reigns.size() % SERVERS.size());
            long over = at + failoverEvery * 2 / 3;
            outages.add(new DemoRedis.Outage(at, over < end ? over : null, old + " killed"));
            if (over < end) {
                reigns.add(new DemoRedis.Reign(over, next));
            }
        }
        List<ShopState> shops = DemoShop.NAMES.stream()
                .map(name -> new ShopState(name, DemoShop.State.FROZEN, 12, null))
                .toList();
        SaleFigures figures = new SaleFigures(1, SETTINGS, 40, 0, 0, 0, 3, 0, true, age / 1_000.0, 18.5, 20, null);
        return new PageState(
                now,
                true,
                shops,
                new RedisState(
                        DemoRedis.State.UP,
                        true,
                        false,
                        List.of(new Server("Redis A", "master", "up")),
                        outages,
                        reigns),
                new LockState(true, now, 0, 7, "1795844481913512", 1_500, 2_000, List.of(), 0),
                new SaleState(
                        1,
                        ended == null,
                        SETTINGS,
                        from,
                        ended,
                        120,
                        100,
                        1,
                        "0120",
                        figures,
                        List.of(10.0, 20.0),
                        turns),
                null,
                null,
                List.of());
    }

    private void isReadable(String what) {
        for (int width : new int[] {1_280, 900, 390}) {
            page.size(width, 900, 1);
            page.await(
                    "the picture is drawn", () -> page.text("#lanes .ticks svg").contains(" s"));
            List<String> found = page.faults(FAULTS);
            assertThat(found.subList(1, found.size()))
                    .as("%s at %d pixels", what, width)
                    .isEmpty();
            assertThat(Integer.parseInt(found.get(0))).as("labels in a lane").isGreaterThan(2);
        }
    }

    @Test
    void labelsOfFailoversAreReadableHoweverCloseTheyAre() {
        for (long every : new long[] {8_000, 2_500, 1_000, 300}) {
            long begin = System.currentTimeMillis();
            shown.set(() -> state(System.currentTimeMillis() - begin + 9_000, every, List.of(), null));
            page.await("a failover is named", () -> page.text("#redis svg").contains("✕"));
            isReadable("a failover every " + every + " ms");
        }
        page.size(1_280, 900, 1);
        shown.set(() -> state(30_000, 9_000, List.of(), System.currentTimeMillis() - 5_000));
        page.await("the end is shown", () -> page.text("#redis svg").contains("is master"));
        isReadable("the end of a sale");
    }

    @Test
    void theLatestFailoverIsNamedAtOnce() {
        long begin = System.currentTimeMillis();
        for (Map.Entry<Integer, String> size :
                Map.of(1_280, "✕ Redis A killed", 390, "✕ Redis A killed").entrySet()) {
            page.size(size.getKey(), 900, 1);
            shown.set(() -> state(System.currentTimeMillis() - begin + 14_000, 0, List.of(), null));
            page.await("the master is named", () -> page.text("#redis svg").equals("Redis A is master"));
            shown.set(() -> {
                long age = System.currentTimeMillis() - begin + 14_000;
                return state(age, age - 1_100, List.of(), null);
            });
            page.await("its death is named", () -> page.text("#redis svg").contains(size.getValue()));
        }
    }

    @Test
    void labelsOfLateWritesAreReadableHoweverCloseTheyAre() {
        long begin = System.currentTimeMillis();
        for (long every : new long[] {3_000, 700, 150}) {
            shown.set(() -> {
                long now = System.currentTimeMillis();
                List<Turn> turns = new ArrayList<>();
                for (long at = begin - 11_000; at < now; at += every) {
                    turns.add(new Turn(0, 1, at, Math.min(now, at + every - 50), RunningSale.Outcome.REFUSED));
                }
                turns.add(new Turn(1, 2, begin - 3_000, null, RunningSale.Outcome.WORKING));
                return state(now - begin + 11_500, 4_000, turns, null);
            });
            page.await("a late write is named", () -> page.text("#shop-0 svg").contains("✕"));
            page.await(
                    "the frozen shop is named", () -> page.text("#shop-1 svg").contains("frozen"));
            isReadable("a late write every " + every + " ms");
        }
    }
}
