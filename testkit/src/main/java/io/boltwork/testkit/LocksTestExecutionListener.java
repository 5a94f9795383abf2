// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import io.boltwork.LockClient;
import io.boltwork.memory.MemoryServer;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/** Checks the locks of a Spring context after each test, and frees them. */
final class LocksTestExecutionListener extends AbstractTestExecutionListener {
    private static final String WATCH = LockWatch.class.getName();

    /** Between the listeners of DirtiesContext and of transactions, so that the latter have ended. */
    private static final int ORDER = 3_500;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        if (TestContextAnnotationUtils.hasAnnotation(test.getTestClass(), AutoConfigureBoltwork.class)) {
            ApplicationContext beans = test.getApplicationContext();
            LockWatch watch = new LockWatch(beans.getBean(MemoryServer.class));
            beans.getBeansOfType(LockClient.class, false, false).forEach(watch::add);
            test.setAttribute(WATCH, watch);
        }
    }

    @Override
    public void afterTestMethod(TestContext test) {
        if (test.removeAttribute(WATCH) instanceof LockWatch watch) {
            try {
                if (!LockWatch.mayLeaveLocks(test.getTestMethod(), test.getTestClass())) {
                    watch.check();
                }
            } finally {
                watch.clean();
                watch.end();
            }
        }
    }
}
