// SPDX-License-Identifier: Apache-2.0
package io.boltwork.testkit;

import io.boltwork.ClientOptions;
import io.boltwork.LockClient;
import io.boltwork.memory.MemoryServer;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * A JUnit extension that gives each test a lock server in memory, and fails a test that leaves locks behind.
 *
 * <pre>{@code
 * @ExtendWith(BoltworkExtension.class)
 * class PurchasesTest {
 *     LockClient locks;
 *
 *     @Test
 *     void anotherJvmIsBuying(TestLocks all) {
 *         try (Lease other = all.newClient().lock("stock:1001").acquire()) {
 *             assertThat(new Purchases(locks).buy("1001")).isEqualTo("busy");
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>Parameters of tests and of {@code @BeforeEach} and {@code @AfterEach} methods, and fields that are neither static
 * nor final and still {@code null}, can have the types {@link LockClient}, {@link MemoryServer} and {@link TestLocks}.
 * They are new for each test, also with one instance of the test class for all tests, and those of one test belong
 * together. So tests that run at the same time do not disturb each other, if they use parameters or an instance each.
 *
 * <p>After each test, the server is healed from a freeze or an outage. Then a lock, a read-write lock or a semaphore
 * that is held or waited for, after a patience of two seconds times {@link io.boltwork.testkit.wait.Slack#factor()},
 * fails the test. The message names the lock, its holder with client and thread and since when, and the waiters. The
 * stacks of the acquisition and of the waiting threads are suppressed exceptions, as far as they are known. These do
 * not count: a lock that a client merely {@linkplain io.boltwork.LockOptions#withRetention retains}, a lock that is
 * kept closed by {@link io.boltwork.LockOptions#withMinHold}, latches, and waits for conditions. Finally all clients
 * are closed, which ends all waits. {@link MayLeaveLocks} switches the check off.
 *
 * @since 0.1.0
 */
public final class BoltworkExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(BoltworkExtension.class);

    private static final Map<Class<?>, Function<TestLocks, Object>> TYPES = Map.of(
            TestLocks.class, locks -> locks,
            LockClient.class, TestLocks::client,
            MemoryServer.class, TestLocks::server);

    private record InjectedField(Object test, Field field) {}

    /** The locks of one test, and the fields that have them. */
    private record State(TestLocks locks, List<InjectedField> fields) {}

    private final ClientOptions options;

    /** Creates an extension whose clients have {@linkplain ClientOptions#defaults() default options}. */
    public BoltworkExtension() {
        this(ClientOptions.defaults());
    }

    private BoltworkExtension(ClientOptions options) {
        this.options = options;
    }

    /**
     * Returns an extension whose clients have other options, for a field with {@code @RegisterExtension}.
     *
     * @param options the options of all clients that are not given their own
     * @return a new extension
     */
    public BoltworkExtension withClientOptions(ClientOptions options) {
        return new BoltworkExtension(Objects.requireNonNull(options, "options"));
    }

    @Override
    public void beforeEach(ExtensionContext context) throws IllegalAccessException {
        State state = new State(new TestLocks(options), new ArrayList<>());
        context.getStore(NAMESPACE).put(State.class, state);
        for (Object test : context.getRequiredTestInstances().getAllInstances()) {
            for (Class<?> type = test.getClass(); type != null; type = type.getSuperclass()) {
                for (Field field : type.getDeclaredFields()) {
                    inject(state, test, field);
                }
            }
        }
    }

    private static void inject(State state, Object test, Field field) throws IllegalAccessException {
        Function<TestLocks, Object> value = TYPES.get(field.getType());
        if (value == null || Modifier.isStatic(field.getModifiers()) || Modifier.isFinal(field.getModifiers())) {
            return;
        }
        field.setAccessible(true);
        if (field.get(test) == null) {
            field.set(test, value.apply(state.locks));
            state.fields.add(new InjectedField(test, field));
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws IllegalAccessException {
        State state = context.getStore(NAMESPACE).remove(State.class, State.class);
        if (state == null) {
            return; // it could not begin
        }
        try {
            if (!LockWatch.mayLeaveLocks(context.getRequiredTestMethod(), context.getRequiredTestClass())) {
                state.locks.check();
            }
        } finally {
            state.locks.close();
            for (InjectedField injected : state.fields) {
                injected.field.set(injected.test, null); // an instance for all tests gets those of its next test
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return TYPES.containsKey(parameter.getParameter().getType());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        @Nullable State state = context.getStore(NAMESPACE).get(State.class, State.class);
        Function<TestLocks, Object> value = TYPES.get(type);
        if (state == null || value == null) {
            throw new ParameterResolutionException("A " + type.getSimpleName() + " belongs to one test. Make it a"
                    + " parameter of the test or of a @BeforeEach method, or a field, instead of a parameter of "
                    + parameter.getDeclaringExecutable().getName());
        }
        return value.apply(state.locks);
    }
}
