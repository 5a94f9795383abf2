package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedisOptionsTest {

    @Test
    void thePrefixIsBoltworkUnlessGiven() {
        assertThat(RedisOptions.defaults().keyPrefix()).isEqualTo("boltwork");
        RedisOptions other = RedisOptions.defaults().keyPrefix("shop:a%");
        assertThat(other.keyPrefix()).isEqualTo("shop:a%");
        assertThat(other).hasToString("RedisOptions[keyPrefix=shop:a%]");
        assertThat(RedisOptions.defaults().keyPrefix()).isEqualTo("boltwork");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a{", "}", "a\tb", "a\n", "a\0"})
    void aPrefixThatWouldNotWorkIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisOptions.defaults().keyPrefix(prefix))
                .withMessageContaining("prefix");
    }
}
