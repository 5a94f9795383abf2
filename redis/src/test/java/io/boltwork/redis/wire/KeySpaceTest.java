package io.boltwork.redis.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeySpaceTest {
    private final KeySpace keySpace = new KeySpace("boltwork");

    @Test
    void scanMatchesAtLeastWhatThePatternMatches() {
        assertThat(keySpace.lockGlob("*")).isEqualTo("boltwork:{*}");
        assertThat(keySpace.lockGlob("")).isEqualTo("boltwork:{}");
        assertThat(keySpace.lockGlob("stock:1001")).isEqualTo("boltwork:{stock:1001}");
        assertThat(keySpace.lockGlob("stock:*")).isEqualTo("boltwork:{stock:*}");
        assertThat(keySpace.lockGlob("*:eu:*")).isEqualTo("boltwork:{*:eu:*}");
        assertThat(keySpace.lockGlob("a??*b")).as("characters of many bytes").isEqualTo("boltwork:{a*b}");
        assertThat(keySpace.lockGlob("a*b?c*d")).as("two stars at most").isEqualTo("boltwork:{a*d}");
    }

    @Test
    void specialCharactersOfScanAreEscaped() {
        assertThat(keySpace.lockGlob("[a-z]^\\")).isEqualTo("boltwork:{\\[a\\-z\\]\\^\\\\}");
        assertThat(keySpace.lockGlob("{%}*")).isEqualTo("boltwork:{%7B%25%7D*}");
        assertThat(new KeySpace("b?*[x]").clientGlob()).isEqualTo("b\\?\\*\\[x\\]:client:*");
    }

    @Test
    void onlyTheExactKeyOfALockBelongsToIt() {
        for (String lock : new String[] {"", "a", "{a}", "%7B", "}{", "größe"}) {
            assertThat(keySpace.lockOrNull(keySpace.key(lock))).isEqualTo(lock);
        }
        for (String key : new String[] {"boltwork:{50%}", "boltwork:{a{b}", "boltwork:{a", "boltwork:{", "other:{a}"}) {
            assertThat(keySpace.lockOrNull(key)).as(key).isNull();
        }
        assertThat(keySpace.clientOrNull("boltwork:client:a:b")).isEqualTo("a:b");
        assertThat(keySpace.clientOrNull("boltwork:{client:a}")).isNull();
    }
}
