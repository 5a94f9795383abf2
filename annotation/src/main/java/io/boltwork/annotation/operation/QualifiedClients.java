// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.LockClient;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The clients among the beans of a framework. Each has the names of its qualifiers. Thread-safe.
 *
 * @param <B> a bean, which need not be created
 */
public abstract class QualifiedClients<B> implements LockClients {
    /** The name of a client that has no other one. */
    private static final String UNNAMED = "default";

    private final Map<String, LockClient> used = new ConcurrentHashMap<>();

    /** Returns the beans. */
    protected abstract Stream<B> beans();

    /** Returns the names of a bean, of which the first one represents it; may be empty. */
    protected abstract Set<String> qualifiers(B bean);

    /** Returns the client, and creates it if necessary. */
    protected abstract LockClient client(B bean);

    /** Returns the client that is injected by type. */
    protected abstract LockClient primary();

    /** Returns what a message calls a bean. */
    protected abstract String text(B bean);

    @Override
    public final LockClient get(String name) {
        return used.computeIfAbsent(
                name, key -> key.isEmpty() ? primary() : client(having(key).get(0)));
    }

    @Override
    public final List<String> find(String name) {
        return having(name).stream().map(this::text).toList();
    }

    @Override
    public final String named(String name) {
        List<B> found = name.isEmpty() ? List.of() : having(name);
        return found.size() == 1 ? first(found.get(0)) : name;
    }

    @Override
    public final Set<String> names() {
        return byName(bean -> bean).keySet();
    }

    /** Returns all clients by these names. Creates those that are not created yet. */
    public final Map<String, LockClient> byName() {
        return byName(this::client);
    }

    private <T> Map<String, T> byName(Function<B, T> value) {
        Map<String, T> all = new TreeMap<>();
        beans().forEach(each -> all.put(first(each), value.apply(each)));
        return all;
    }

    private List<B> having(String name) {
        return beans().filter(each -> names(each).contains(name)).toList();
    }

    private String first(B bean) {
        return names(bean).iterator().next();
    }

    private Set<String> names(B bean) {
        Set<String> names = qualifiers(bean);
        return names.isEmpty() ? Set.of(UNNAMED) : names;
    }
}
