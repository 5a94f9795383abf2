// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.LockMode;
import io.boltwork.annotation.OnRefused;
import org.junit.jupiter.api.Test;

/** Tests what an annotation says, alone and with the one of its class. */
class LockAnnotationTest {

    @DistributedLock(value = "class", keys = "#id", waitFor = "2s", lease = "9s", mode = LockMode.TRY)
    static class Shop {
        @DistributedLock
        void all() {}

        @DistributedLock(value = "own", renewedLease = "1m", waitTime = 3, onRefused = OnRefused.THROW)
        void own() {}

        @DistributedLock(keys = {"#a", "#b"})
        void keys() {}

        @DistributedLock(value = "x", name = "x")
        void twice() {}

        @DistributedLock(value = "x", name = "y")
        void different() {}
    }

    private static LockAnnotation of(String method) throws Exception {
        return LockAnnotation.of(
                Shop.class.getDeclaredMethod(method).getAnnotation(DistributedLock.class), DistributedLock.class, null);
    }

    private static LockAnnotation ofClass() {
        return LockAnnotation.of(Shop.class.getAnnotation(DistributedLock.class), DistributedLock.class, Shop.class);
    }

    private static LockAnnotation merged(String method) throws Exception {
        return of(method).with(ofClass());
    }

    @Test
    void valueAndNameAreOne() throws Exception {
        assertThat(of("own").lock().name()).isEqualTo("own");
        assertThat(of("twice").lock().name()).isEqualTo("x");
        assertThat(of("twice").lock().value()).isEmpty();
        assertThat(of("different").text()).isEqualTo("@DistributedLock(name = \"y\", value = \"x\")");
    }

    @Test
    void omittedAttributesComeFromTheClass() throws Exception {
        DistributedLock all = merged("all").lock();
        assertThat(all.name()).isEqualTo("class");
        assertThat(all.keys()).containsExactly("#id");
        assertThat(all.lease()).isEqualTo("9s");
        assertThat(all.mode()).isEqualTo(LockMode.TRY);
        assertThat(merged("keys").lock().keys()).containsExactly("#a", "#b");
        assertThat(merged("keys").lock().name()).isEqualTo("class");
    }

    @Test
    void attributesOfOneKindAreNotMixed() throws Exception {
        DistributedLock own = merged("own").lock();
        assertThat(own.name()).isEqualTo("own");
        assertThat(own.keys()).isEmpty();
        assertThat(own.lease()).isEmpty();
        assertThat(own.waitFor()).isEmpty();
        assertThat(own.mode()).isEqualTo(LockMode.TRY);
    }

    @Test
    void textTellsWhatWasWritten() throws Exception {
        assertThat(of("all").text()).isEqualTo("@DistributedLock");
        assertThat(merged("keys").text())
                .isEqualTo("@DistributedLock(keys = {\"#a\", \"#b\"}) with @DistributedLock(name = \"class\","
                        + " keys = \"#id\", lease = \"9s\", mode = TRY, waitFor = \"2s\") of the class");
        assertThat(ofClass().alone().text()).endsWith(") of " + Shop.class.getName());
        assertThat(LockAnnotation.of(of("own").lock(), Test.class, null).text())
                .startsWith("@Test, which is @DistributedLock(name = \"own\", ");
        assertThat(of("own").lock()).hasToString(of("own").text());
    }
}
