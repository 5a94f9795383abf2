// SPDX-License-Identifier: Apache-2.0
package io.boltwork.cdi.bean;

import io.boltwork.LockClient;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.build.compatible.spi.Parameters;
import jakarta.enterprise.inject.build.compatible.spi.SyntheticBeanDisposer;

/** Closes the clients of the settings when the application ends. */
public final class ClosedClient implements SyntheticBeanDisposer<LockClient> {

    @Override
    public void dispose(LockClient client, Instance<Object> lookup, Parameters parameters) {
        client.close();
    }
}
