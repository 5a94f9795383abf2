// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Disables logging during tests in which thousands of leases are lost. */
final class Quiet implements BeforeAllCallback, AfterAllCallback {

    /** Referenced here, because a collected logger loses its level. */
    private static final Logger LOG = Logger.getLogger("io.boltwork");

    @Override
    public void beforeAll(ExtensionContext context) {
        LOG.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        LOG.setLevel(null);
    }
}
