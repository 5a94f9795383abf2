// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockKind;
import io.boltwork.engine.StillClient;
import io.boltwork.engine.drive.UseReports;
import io.boltwork.spi.LockUsage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests which locks count as the busiest, and how much is kept of them. */
class BusyLocksTest {
    private final StillClient client = new StillClient();
    private final UseReports reports = client.engine.drivers.useReports;
    private final BusyLocks busy = new BusyLocks(client.engine.drivers);

    private void used(String lock, int turns) {
        assertThat(reports.add(LockKind.LOCK, lock, turns, 0, 0)).isTrue();
    }

    private List<String> names() {
        return busy.announce().stream().map(LockUsage::lock).toList();
    }

    @Test
    void theBusiestLocksComeFirst() {
        for (int i = 0; i < 30; i++) {
            used("lock-" + i, i + 1);
        }
        reports.add(LockKind.LOCK, "waited for", 0, TimeUnit.MILLISECONDS.toNanos(29) + 500_000, 0);
        busy.takeCounts();
        assertThat(names()).hasSize(20).startsWith("lock-29", "waited for", "lock-28", "lock-27");
    }

    @Test
    void numbersOfOneLockAddUp() {
        reports.add(LockKind.SEMAPHORE, "a", 2, 3_000, 5_000);
        reports.add(LockKind.LOCK, "a", 1, 0, 0);
        reports.add(LockKind.SEMAPHORE, "a", 4, 1_000, 1_999);
        busy.takeCounts();
        reports.add(LockKind.SEMAPHORE, "a", 1, 0, 1);
        busy.takeCounts();
        assertThat(busy.announce())
                .containsExactly(
                        new LockUsage(LockKind.SEMAPHORE, "a", 7, 0, 4, 7),
                        new LockUsage(LockKind.LOCK, "a", 1, 0, 0, 0));
    }

    @Test
    void longNamesLeaveRoomForFewerLocks() {
        String name = "é".repeat(100);
        for (int i = 0; i < 20; i++) {
            used(name + i, 100 - i);
        }
        busy.takeCounts();
        List<LockUsage> announced = busy.announce();
        assertThat(announced).hasSize(9).extracting(LockUsage::lock).startsWith(name + 0, name + 1);
        assertThat(announced.stream().mapToInt(LockUsage::size).sum()).isBetween(1_800, 2_048);
    }

    @Test
    void aNameThatFillsAllRoomIsLeftOut() {
        used("n".repeat(3_000), 1_000);
        used("short", 1);
        busy.takeCounts();
        assertThat(names()).containsExactly("short");
    }

    @Test
    void namesUsedOnceDoNotHideABusyLock() {
        int name = 0;
        for (int second = 0; second < 30; second++) {
            for (int i = 0; i < 1_000; i++) {
                used("order:" + name++, 1);
            }
            used("stock", 2);
            busy.takeCounts();
        }
        assertThat(busy.announce().get(0)).isEqualTo(new LockUsage(LockKind.LOCK, "stock", 60, 0, 0, 0));
        assertThat(busy.kept()).isEqualTo(BusyLocks.KEPT);
    }

    @Test
    void aLockThatWasBusyOnceGivesItsPlaceAway() {
        for (int i = 0; i < BusyLocks.KEPT; i++) {
            used("before-" + i, 1_000);
        }
        busy.takeCounts();
        used("newcomer", 1);
        busy.takeCounts();
        assertThat(names()).doesNotContain("newcomer");
        for (int second = 0; second < 60; second++) {
            used("now", 5);
            busy.takeCounts();
        }
        assertThat(names()).first().isEqualTo("now");
    }

    @Test
    void aNameUsedOnceTakesNoPlaceOfALockThatIsUsedMore() {
        for (int i = 0; i < BusyLocks.KEPT; i++) {
            used("lock-" + i, 10 + i);
        }
        busy.takeCounts();
        used("once", 1);
        busy.takeCounts();
        used("lock-0", 1_000); // was used least
        busy.takeCounts();
        assertThat(busy.announce().get(0).turns())
                .as("counted from the beginning")
                .isEqualTo(1_010);
    }

    @Test
    void onlyChangesAreNews() {
        assertThat(busy.hasNews()).isFalse();
        used("a", 1);
        busy.takeCounts();
        assertThat(busy.hasNews()).isTrue();
        busy.announce();
        busy.takeCounts();
        assertThat(busy.hasNews()).isFalse();
    }

    @Test
    void reportsAreBounded() {
        for (int i = 0; i < UseReports.MOST; i++) {
            used("order:" + i, 1);
        }
        assertThat(reports.add(LockKind.LOCK, "one more", 1, 0, 0)).isFalse();
        assertThat(reports.takeAll())
                .hasSize(UseReports.MOST)
                .first()
                .extracting(UseReports.Report::lock)
                .isEqualTo("order:0");
        assertThat(reports.add(LockKind.LOCK, "one more", 1, 0, 0)).isTrue();
    }
}
