// SPDX-License-Identifier: Apache-2.0
package io.boltwork.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.IdleLife;
import io.boltwork.spi.rules.LockRecord;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class KeysTest {
    private static final long LIFE = IdleLife.DEFAULT.toMillis();

    private final Keys<LockRecord> keys = new Keys<>(LockRecord::new);

    private void touch(String lock, long millis) {
        LockRecord key = keys.get(lock, millis);
        key.fence = 1;
        key.expiresAt = millis + LIFE;
        keys.put(lock, key);
    }

    @Test
    void namesUsedOnceLeaveNothingBehind() {
        for (int i = 0; i < 1_000; i++) {
            touch("once" + i, i);
        }
        long later = LIFE + 1_000;
        for (int i = 0; i < 1_000; i++) {
            touch("always", later + i);
        }
        assertThat(keys.size()).isEqualTo(1);
    }

    @Test
    void aBlankKeyIsNotKept() {
        keys.put("l", keys.get("l", 0));
        touch("m", 0);
        LockRecord emptied = keys.get("m", 0);
        emptied.fence = 0;
        keys.put("m", emptied);
        assertThat(keys.size()).isZero();
    }

    @Test
    void aKeyEndsOnTheMillisecondEvenBehindAnOlderOne() {
        long day = TimeUnit.DAYS.toMillis(1);
        LockRecord lasting = keys.get("lasting", 0);
        lasting.fence = 1;
        lasting.expiresAt = 9 * day;
        keys.put("lasting", lasting);
        touch("short", 0);
        assertThat(keys.page("", 10, LIFE).found()).containsOnlyKeys("lasting", "short");
        assertThat(keys.page("", 10, LIFE + 1).found()).containsOnlyKeys("lasting");
        assertThat(keys.get("short", LIFE).isBlank()).isFalse();
        assertThat(keys.get("short", LIFE + 1).isBlank()).isTrue();
    }

    @Test
    void atMostTheTwoOldestAreDroppedAtATime() {
        for (int i = 0; i < 5; i++) {
            touch("old" + i, 0);
        }
        keys.get("other", LIFE);
        assertThat(keys.size()).isEqualTo(5);
        keys.get("other", LIFE + 1);
        assertThat(keys.size()).isEqualTo(3);
    }
}
