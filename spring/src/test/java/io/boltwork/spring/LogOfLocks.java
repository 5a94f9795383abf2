// SPDX-License-Identifier: Apache-2.0
package io.boltwork.spring;

import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects what the client logs, at level INFO and above, until it is closed. */
public final class LogOfLocks extends Handler {
    private static final Logger LOG = Logger.getLogger("io.boltwork"); // a collected logger loses its handlers

    public final List<String> entries = new CopyOnWriteArrayList<>();

    public LogOfLocks() {
        LOG.addHandler(this);
    }

    @Override
    public void publish(LogRecord entry) {
        entries.add(entry.getLevel() + " " + MessageFormat.format(entry.getMessage(), entry.getParameters()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOG.removeHandler(this);
    }
}
