// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.when;

import io.boltwork.annotation.CurrentLease;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.spring.autoconfigure.BoltworkAutoConfiguration;
import io.boltwork.spring.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** Mocks of beans with locked methods take no locks, and a test's application starts with them. */
@SpringBootTest(classes = MockedBeanTest.App.class, properties = "boltwork.backend=memory")
class MockedBeanTest {

    static class Mocked {
        @DistributedLock("mocked")
        public String run() {
            return "real";
        }
    }

    static class Spied {
        @DistributedLock("spied")
        public String run() {
            return CurrentLease.get().lockName();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({BoltworkAutoConfiguration.class, DistributedLockAutoConfiguration.class})
    @Import(Spied.class)
    static class App {}

    @MockitoBean
    Mocked mocked;

    @MockitoSpyBean
    Spied spied;

    @Test
    void applicationStartsWithMockedBeans(@Autowired Spied bean) {
        when(mocked.run()).thenReturn("mocked");
        assertThat(mocked.run()).isEqualTo("mocked");
        assertThat(bean.run()).isEqualTo("spied");
    }
}
