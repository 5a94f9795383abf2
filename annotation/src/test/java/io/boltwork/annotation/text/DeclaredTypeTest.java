// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests which types are known of what a class declares, inherits and implements. */
class DeclaredTypeTest {

    interface Store<K, V extends Number> {
        Optional<V> find(Map<K, List<V>> keys);

        V[] all(K key);
    }

    abstract static class Named<V extends Number> implements Store<String, V> {}

    abstract static class Numbers extends Named<Long> {
        abstract List<? extends Number> some(List<? super Integer> others);

        abstract <T extends Comparable<T>> T largest(List<T> of);

        @SuppressWarnings("rawtypes")
        abstract Optional raw();
    }

    static class Texts extends java.util.ArrayList<String> {
        private static final long serialVersionUID = 1L;
    }

    private static Method method(String name) {
        return Arrays.stream(Numbers.class.getMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseGet(() -> Arrays.stream(Numbers.class.getDeclaredMethods())
                        .filter(each -> each.getName().equals(name))
                        .findFirst()
                        .orElseThrow());
    }

    private static String text(DeclaredType type) {
        String generics = type.generics().isEmpty()
                ? ""
                : type.generics().stream().map(DeclaredTypeTest::text).toList().toString();
        return (type.raw() == null ? "?" : type.raw().getSimpleName()) + generics;
    }

    private static String returned(String method) {
        return text(DeclaredType.returned(method(method), Numbers.class));
    }

    private static String parameter(String method) {
        return text(DeclaredType.ofParameter(method(method), 0, Numbers.class));
    }

    @Test
    void variablesAreThoseOfTheSubclass() {
        assertThat(returned("find")).isEqualTo("Optional[Long]");
        assertThat(parameter("find")).isEqualTo("Map[String, List[Long]]");
        assertThat(returned("all")).isEqualTo("Long[][Long]");
        assertThat(text(DeclaredType.returned(method("find"), Store.class))).isEqualTo("Optional[Number]");
    }

    @Test
    void boundsStandForWhatIsNotKnown() {
        assertThat(returned("some")).isEqualTo("List[Number]");
        assertThat(parameter("some")).isEqualTo("List[Integer]");
        assertThat(returned("largest")).isEqualTo("Comparable[?]");
        assertThat(returned("raw")).isEqualTo("Optional[?]");
        assertThat(DeclaredType.of(Enum.class).generic(0).raw()).isEqualTo(Enum.class);
    }

    @Test
    void supertypesHaveTheTypesOfTheSubclass() {
        assertThat(text(DeclaredType.of(Texts.class).as(Collection.class))).isEqualTo("Collection[String]");
        assertThat(DeclaredType.of(Texts.class).as(Map.class).raw()).isNull();
    }
}
