// SPDX-License-Identifier: Apache-2.0
package io.boltwork.jdbc;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.testkit.wait.Await;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Wraps a data source: notes the statements that are executed, and lends at most so many connections at a time. */
final class CountedSource {
    final List<String> executed = new CopyOnWriteArrayList<>();
    final AtomicInteger opened = new AtomicInteger();
    private final DataSource source;
    private final Semaphore free;
    private final boolean unwraps;

    CountedSource(DataSource source, int most, boolean unwraps) {
        this.source = source;
        this.free = new Semaphore(most);
        this.unwraps = unwraps;
    }

    DataSource source() {
        return proxy(DataSource.class, source, (method, result) -> result, (call, args) -> {
            if (!call.equals("getConnection")) {
                return null;
            }
            free.acquire();
            opened.incrementAndGet();
            return connection(source.getConnection());
        });
    }

    /** Creates a client, and waits until its own record, which is in the same table as the locks, has been written. */
    LockClient newClient() {
        String application = "counted " + UUID.randomUUID();
        LockClient client = LockClient.create(
                JdbcBackend.on(source(), JdbcSite.OPTIONS),
                ClientOptions.defaults().withApplication(application));
        Await.until(
                "the client announces itself",
                () -> client.inspector().clients().stream()
                        .anyMatch(known -> known.application().equals(application)));
        return client;
    }

    /** Returns the statements on locks that were executed, and forgets them. */
    List<String> takeLockStatements() {
        List<String> taken =
                executed.stream().filter(sql -> sql.contains("boltwork_lock")).toList();
        executed.clear();
        return taken;
    }

    private Connection connection(Connection connection) {
        boolean[] returned = {false};
        return proxy(
                Connection.class,
                connection,
                (sql, result) -> result instanceof PreparedStatement statement
                        ? proxy(PreparedStatement.class, statement, (call, same) -> same, (call, args) -> {
                            if (call.startsWith("execute")) {
                                executed.add(sql);
                            }
                            return null;
                        })
                        : result,
                (call, args) -> {
                    if (call.equals("close") && !returned[0]) {
                        returned[0] = true;
                        free.release();
                    }
                    return call.equals("isWrapperFor") && !unwraps ? Boolean.FALSE : null;
                });
    }

    private interface Before {
        Object call(String method, Object[] args) throws Exception;
    }

    private interface After {
        Object result(String firstArgument, Object result);
    }

    private static <T> T proxy(Class<T> type, T target, After after, Before before) {
        InvocationHandler handler = (self, method, args) -> {
            Object instead = before.call(method.getName(), args);
            if (instead != null) {
                return instead;
            }
            try {
                Object result = method.invoke(target, args);
                String first = args != null && args.length > 0 ? String.valueOf(args[0]) : "";
                return after.result(first, result);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
