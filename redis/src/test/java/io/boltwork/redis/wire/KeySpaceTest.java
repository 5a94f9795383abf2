// SPDX-License-Identifier: Apache-2.0
package io.boltwork.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.boltwork.LockKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KeySpaceTest {
    private final KeySpace keySpace = new KeySpace("boltwork");

    @Test
    void scanMatchesAtLeastWhatThePatternMatches() {
        assertThat(keySpace.lockGlob(LockKind.LOCK, "*")).isEqualTo("boltwork:{*}");
        assertThat(keySpace.lockGlob(LockKind.LOCK, "")).isEqualTo("boltwork:{}");
        assertThat(keySpace.lockGlob(LockKind.LOCK, "stock:1001")).isEqualTo("boltwork:{stock:1001}");
        assertThat(keySpace.lockGlob(LockKind.LOCK, "stock:*")).isEqualTo("boltwork:{stock:*}");
        assertThat(keySpace.lockGlob(LockKind.LOCK, "*:eu:*")).isEqualTo("boltwork:{*:eu:*}");
        assertThat(keySpace.lockGlob(LockKind.LOCK, "a??*b"))
                .as("characters of many bytes")
                .isEqualTo("boltwork:{a*b}");
        assertThat(keySpace.lockGlob(LockKind.LOCK, "a*b?c*d"))
                .as("two stars at most")
                .isEqualTo("boltwork:{a*d}");
    }

    @Test
    void thePatternForAllKindsHasTwoStarsAtMostToo() {
        assertThat(keySpace.lockGlob(null, "a")).isEqualTo("boltwork:*{a}");
        assertThat(keySpace.lockGlob(null, "*:eu:*")).isEqualTo("boltwork:*{*}");
        assertThat(keySpace.lockGlob(LockKind.SEMAPHORE, "*:eu:*")).isEqualTo("boltwork:semaphore:{*:eu:*}");
    }

    @Test
    void specialCharactersOfScanAreEscaped() {
        assertThat(keySpace.lockGlob(LockKind.LOCK, "[a-z]^\\")).isEqualTo("boltwork:{\\[a\\-z\\]\\^\\\\}");
        assertThat(keySpace.lockGlob(LockKind.LOCK, "{%}*")).isEqualTo("boltwork:{%7B%25%7D*}");
        assertThat(new KeySpace("b?*[x]").clientGlob()).isEqualTo("b\\?\\*\\[x\\]:client:*");
    }

    @Test
    void onlyTheExactKeyOfALockBelongsToIt() {
        for (String lock : new String[] {"", "a", "{a}", "%7B", "}{", "größe"}) {
            for (LockKind kind : LockKind.values()) {
                assertThat(keySpace.lockOrNull(keySpace.key(kind, lock))).isEqualTo(new LockKey(kind, lock));
            }
        }
        for (String key : new String[] {
            "boltwork:{50%}", "boltwork:{a{b}", "boltwork:{a", "boltwork:{", "other:{a}", "boltwork:latch:{a}"
        }) {
            assertThat(keySpace.lockOrNull(key)).as(key).isNull();
        }
        assertThat(keySpace.clientOrNull("boltwork:client:a:b")).isEqualTo("a:b");
        assertThat(keySpace.clientOrNull("boltwork:{client:a}")).isNull();
    }

    @Test
    void eachKindHasKeysOfItsOwn() {
        assertThat(keySpace.key(LockKind.LOCK, "a b"))
                .isEqualTo("boltwork:{a b}")
                .isEqualTo(keySpace.key("a b"));
        assertThat(keySpace.key(LockKind.SEMAPHORE, "a b")).isEqualTo("boltwork:semaphore:{a b}");
        assertThat(keySpace.key(LockKind.READ_WRITE, "a{b}%")).isEqualTo("boltwork:readwrite:{a%7Bb%7D%25}");
    }

    @ParameterizedTest
    @EnumSource(LockKind.class)
    void theKeyOfALockTellsItsKindAndItsName(LockKind kind) {
        for (String lock : new String[] {"a", "{a}", "%7B", "}{", "semaphore:{a", "größe 🔒", " "}) {
            String key = keySpace.key(kind, lock);
            assertThat(keySpace.kind(key)).as(key).isEqualTo(kind);
            assertThat(keySpace.lock(key)).isEqualTo(lock);
            assertThat(Slots.of(key)).as("locks of one name share a slot").isEqualTo(keySpace.slot(lock));
        }
    }

    @ParameterizedTest
    @EnumSource(LockKind.class)
    void aKeyIsWrittenWithItsLength(LockKind kind) {
        for (String lock : new String[] {"a", "{größe}", "x".repeat(10_000)}) {
            ByteBuf written = Unpooled.buffer();
            keySpace.writeKey(written, kind, lock);
            byte[] key = keySpace.key(kind, lock).getBytes(StandardCharsets.UTF_8);
            assertThat(written.toString(StandardCharsets.ISO_8859_1))
                    .isEqualTo("$" + key.length + "\r\n" + new String(key, StandardCharsets.ISO_8859_1) + "\r\n");
        }
    }

    @Test
    void aForeignKeyIsNotThatOfALock() {
        for (String key : new String[] {
            "boltwork:semaphore:{a", "boltwork:semaphore{a}", "boltwork:latch:{a}", "other:semaphore:{a}", "{a}", ""
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> keySpace.kind(key))
                    .withMessageContaining("Not the key of a lock");
            assertThatIllegalArgumentException().isThrownBy(() -> keySpace.lock(key));
        }
    }

    @Test
    void aMessageNamesTheKindAndTheKey() {
        assertThat(keySpace.describe("a")).isEqualTo("the lock 'a' (key 'boltwork:{a}')");
        assertThat(keySpace.describe(LockKind.SEMAPHORE, "a"))
                .isEqualTo("the semaphore 'a' (key 'boltwork:semaphore:{a}')");
        assertThat(keySpace.describe(LockKind.READ_WRITE, "a"))
                .isEqualTo("the read-write lock 'a' (key 'boltwork:readwrite:{a}')");
    }
}
