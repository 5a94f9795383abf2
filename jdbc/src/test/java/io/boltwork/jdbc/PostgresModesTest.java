// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.boltwork.spi.Command;
import io.boltwork.spi.Reply;
import io.boltwork.store.Extended;
import io.boltwork.store.RecordChange;
import io.boltwork.store.RecordKey;
import io.boltwork.store.ShortForm;
import io.boltwork.store.StoredText;
import io.boltwork.testkit.wait.Await;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every statement works however PostgreSQL's driver sends it. */
@EnabledIfSystemProperty(named = "boltwork.whole", matches = "true", disabledReason = "long: -Dboltwork.whole=true")
class PostgresModesTest {
    private static final PostgresSite SITE = PostgresSite.get();
    private static final long IDLE = 60_000;

    private final String name = "modes ü " + UUID.randomUUID();
    private final RecordKey key = new RecordKey(RecordKey.Kind.LOCK, name);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "&preferQueryMode=simple",
                "&preferQueryMode=extendedForPrepared",
                "&preferQueryMode=extendedCacheEverything",
                "&prepareThreshold=0",
                "&prepareThreshold=-1&binaryTransfer=true",
                "&binaryTransfer=false&prepareThreshold=1",
                "&options=-c%20standard_conforming_strings=off%20-c%20bytea_output=escape",
                "&preferQueryMode=simple&options=-c%20bytea_output=escape",
                "&stringtype=unspecified",
                "&options=-c%20plan_cache_mode=force_generic_plan"
            })
    void everyStatementWorks(String parameters) {
        try (OpenStore opened = new OpenStore(SITE.source(parameters));
                OpenStore other = new OpenStore(SITE.source())) {
            for (int i = 0; i < 7; i++) { // the driver changes the way after five times
                statements(opened, other, i);
            }
            assertThat(opened.events).allMatch(event -> event.startsWith("connected"));
        }
    }

    private void statements(OpenStore opened, OpenStore other, int round) {
        long token = acquire(opened);
        long latest = now(opened) + IDLE;
        List<Command.Renew.Item> items = List.of(
                new Command.Renew.Item(name, opened.client + ":1", token, 40_000, 0),
                new Command.Renew.Item("no " + name, opened.client + ":2", 1, 40_000, 0));
        assertThat(opened.store.extendUnwanted(items, latest, IDLE).locks()).containsExactly(name);
        Command.Release release = new Command.Release(name, opened.client + ":1", token, token, 0, null);
        assertThat(opened.store.releaseUnwanted(release, IDLE).answer())
                .extracting(Reply.Released::outcome)
                .isEqualTo(Reply.Release.RELEASED);
        StoredText before = opened.store.read(key);
        RecordChange change = new RecordChange(before.text() + "\nrest ü' \\ ?", Long.MAX_VALUE / 2, Long.MAX_VALUE);
        assertThat(opened.store.write(key, before, change)).isTrue();
        assertThat(opened.store.read(key).text()).isEqualTo(change.text());
        assertThat(opened.store.write(key, opened.store.read(key), new RecordChange(before.text(), IDLE, latest)))
                .isTrue();
        assertThat(opened.store.scan(RecordKey.Kind.LOCK, "mode", 1_000).records())
                .anyMatch(each -> each.name().equals(name));
        String message = "message ü' \\ " + round;
        assertThat(opened.store.listens(other.client)).isTrue();
        opened.store.sendMessage(other.client, message);
        Await.until("the message arrives", () -> other.messages.contains(message));
        other.store.sendMessage(opened.client, message);
        Await.until("the answer arrives", () -> opened.messages.contains(message));
        SITE.execute("UPDATE boltwork_store SET swept_at = 0");
        opened.store.sweep();
    }

    private long acquire(OpenStore opened) {
        Command.Acquire acquire = new Command.Acquire(name, opened.client + ":1", true, 30_000, 0, now(opened) + IDLE);
        ShortForm<Reply.Acquired> form = opened.store.acquireFree(acquire, IDLE);
        assertThat(form.answer()).isNotNull();
        return form.answer().token();
    }

    private long now(OpenStore opened) {
        return opened.store.read(key).clock().earliest().millis();
    }

    @Test
    void aShortFormThatIsRefusedIsLeftOut() {
        AtomicInteger refused = new AtomicInteger();
        try (OpenStore opened = new OpenStore(refusing(" r SET version = r.version + 1", refused))) {
            long token = acquire(opened);
            List<Command.Renew.Item> items =
                    List.of(new Command.Renew.Item(name, opened.client + ":1", token, 40_000, 0));
            for (int i = 0; i < 3; i++) {
                assertThat(opened.store.extendUnwanted(items, now(opened) + IDLE, IDLE))
                        .isEqualTo(Extended.NONE);
            }
            assertThat(refused).hasValue(1);
            Command.Release release = new Command.Release(name, opened.client + ":1", token, token, 0, null);
            assertThat(opened.store.releaseUnwanted(release, IDLE)).isEqualTo(ShortForm.none());
            assertThat(refused).hasValue(2);
        }
    }

    /** Returns a data source that refuses statements with some text. */
    private static DataSource refusing(String text, AtomicInteger refused) {
        DataSource source = SITE.source();
        return proxy(
                DataSource.class,
                source,
                args -> proxy(Connection.class, source.getConnection(), sql -> {
                    if (sql != null && String.valueOf(sql[0]).contains(text)) {
                        refused.incrementAndGet();
                        throw new SQLException("could not determine data type of parameter $1", "42P18");
                    }
                    return null;
                }));
    }

    private interface Before {
        Object call(Object[] args) throws Exception;
    }

    /** Returns a proxy that calls the target if {@code before} returns {@code null}. */
    private static <T> T proxy(Class<T> type, T target, Before before) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            Object instead = before.call(args);
            try {
                return instead != null ? instead : method.invoke(target, args);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }
}
