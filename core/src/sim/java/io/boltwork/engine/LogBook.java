// SPDX-License-Identifier: Apache-2.0
package io.boltwork.engine;

import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects log messages instead of printing them, until it is closed. */
public final class LogBook extends Handler {

    private static final Logger LOG = Logger.getLogger("io.boltwork"); // a collected logger loses its handlers

    public final List<String> entries = new ArrayList<>();

    /** The formats of these messages, before their parameters were filled in. */
    final List<String> formats = new ArrayList<>();

    /** The throwables of these messages. */
    public final List<Throwable> thrown = new ArrayList<>();

    public LogBook() {
        LOG.setUseParentHandlers(false);
        LOG.setLevel(Level.ALL);
        LOG.addHandler(this);
    }

    @Override
    public void publish(LogRecord entry) {
        formats.add(entry.getMessage());
        if (entry.getThrown() != null) {
            thrown.add(entry.getThrown());
        }
        Object[] parameters = entry.getParameters();
        entries.add(parameters == null ? entry.getMessage() : MessageFormat.format(entry.getMessage(), parameters));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOG.removeHandler(this);
        LOG.setLevel(null);
        LOG.setUseParentHandlers(true);
    }
}
