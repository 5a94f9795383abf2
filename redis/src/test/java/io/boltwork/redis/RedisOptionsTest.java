package io.boltwork.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.lettuce.core.resource.ClientResources;
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

    @Test
    void clientResourcesAndPrefixGoTogether() {
        ClientResources resources = ClientResources.create();
        try {
            RedisOptions options = RedisOptions.defaults().clientResources(resources);
            assertThat(options.keyPrefix("shop").clientResources()).isSameAs(resources);
            assertThat(options).hasToString("RedisOptions[keyPrefix=boltwork, clientResources given]");
            assertThat(RedisOptions.defaults()
                            .keyPrefix("shop")
                            .clientResources(resources)
                            .keyPrefix())
                    .isEqualTo("shop");
            assertThat(RedisOptions.defaults().clientResources()).isNull();
            assertThatExceptionOfType(NullPointerException.class)
                    .isThrownBy(() -> options.clientResources(null))
                    .withMessage("resources");
        } finally {
            resources.shutdown();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a b", "a{", "}", "a\tb", "a\n", "a\0", "a\ud800", "\udc00a"})
    void aPrefixThatWouldNotWorkIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedisOptions.defaults().keyPrefix(prefix))
                .withMessageContaining("prefix");
    }
}
