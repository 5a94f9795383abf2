package io.boltwork.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.LockClient;
import io.boltwork.memory.MemoryBackend;
import io.boltwork.memory.MemoryServer;
import java.text.MessageFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The warning that clients are configured with different permits. */
class PermitWarningTest {

    private final MemoryServer server = MemoryServer.create();
    private final LockClient client = LockClient.create(MemoryBackend.on(server));
    private final LockClient other = LockClient.create(MemoryBackend.on(server));

    @AfterEach
    void close() {
        client.close();
        other.close();
    }

    @Test
    void clientsThatAreConfiguredDifferentlyAreToldOnce() {
        List<String> told = new CopyOnWriteArrayList<>();
        Logger log = Logger.getLogger("io.boltwork");
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                told.add(MessageFormat.format(entry.getMessage(), entry.getParameters()));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        log.addHandler(handler);
        try {
            client.semaphore("s", 3).acquire().release();
            other.semaphore("s", 5).acquire().release();
            other.semaphore("s", 5).acquire(3).release();
            assertThat(told)
                    .singleElement()
                    .asString()
                    .contains("The semaphore 's' has 3 permits, and this client is configured with 5");
            client.semaphore("s", 3).resize(4);
            other.semaphore("s", 5).acquire(4).release();
            assertThat(told).as("a number that was set counts for all").hasSize(1);
        } finally {
            log.removeHandler(handler);
        }
    }
}
