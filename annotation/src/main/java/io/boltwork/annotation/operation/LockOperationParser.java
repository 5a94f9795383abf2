// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.InvalidNameException;
import io.boltwork.LockClient;
import io.boltwork.annotation.DistributedLock;
import io.boltwork.annotation.OnLost;
import io.boltwork.annotation.acquire.LockGroups;
import io.boltwork.annotation.acquire.TargetKind;
import io.boltwork.annotation.acquire.TargetType;
import io.boltwork.annotation.acquire.TransactionBoundary;
import io.boltwork.annotation.text.LockDefinitionException;
import io.boltwork.annotation.text.LockName;
import io.boltwork.annotation.text.LockText;
import io.boltwork.annotation.text.LockTexts;
import io.boltwork.annotation.text.MethodHierarchy;
import io.boltwork.annotation.text.Spelling;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parses annotations into operations, and reports mistakes in them. Thread-safe. */
public final class LockOperationParser {
    private final Function<Class<?>, ? extends LockTexts> texts;
    private final LockClients clients;
    private final DeferredTypes results;
    private final TransactionBoundary transactions;
    private final Function<String, LockSettings> settings;
    private final LockOverrides overrides;

    /**
     * Creates a parser.
     *
     * @param texts returns the language of the texts for a class
     * @param settings returns the settings of a client by its name; empty for the primary one
     */
    public LockOperationParser(
            Function<Class<?>, ? extends LockTexts> texts,
            LockClients clients,
            DeferredTypes results,
            TransactionBoundary transactions,
            Function<String, LockSettings> settings,
            LockOverrides overrides) {
        this.texts = texts;
        this.clients = clients;
        this.results = results;
        this.transactions = transactions;
        this.settings = settings;
        this.overrides = overrides;
    }

    /** Returns the settings of groups. Once all annotations are parsed, they can be checked. */
    public LockOverrides overrides() {
        return overrides;
    }

    /**
     * Returns a method with all its locks; {@code null} if it has none, or the settings disable them.
     *
     * @param method the most specific method
     * @param annotations those that apply to it
     * @throws LockDefinitionException if an annotation cannot work
     */
    @Nullable
    public LockMethod parse(Method method, Class<?> targetClass, List<LockAnnotation> annotations) {
        List<@Nullable LockOperation> operations = new ArrayList<>();
        annotations.forEach(each -> operations.add(operation(method, targetClass, each)));
        if (operations.stream().allMatch(Objects::isNull)) {
            return null;
        }
        try {
            return new LockMethod(
                    method,
                    operations.stream().filter(Objects::nonNull).toList(),
                    results.of(method, targetClass),
                    transactions.isLeftAside(method, targetClass),
                    LockMethod.leases(method, targetClass, annotations, operations));
        } catch (LockDefinitionException wrong) {
            throw wrong.of(annotations.get(0).text());
        }
    }

    private @Nullable LockOperation operation(Method method, Class<?> targetClass, LockAnnotation annotation) {
        try {
            if (!annotation.lock().value().isEmpty()) {
                throw LockDefinitionException.wrong(
                        method, "both name and value are specified, with different texts", "Remove one of them.", null);
            }
            return parse(method, targetClass, annotation.lock());
        } catch (LockDefinitionException wrong) {
            throw wrong.of(annotation.text());
        }
    }

    private @Nullable LockOperation parse(Method method, Class<?> targetClass, DistributedLock annotation) {
        LockTexts texts = this.texts.apply(targetClass);
        LockText name = annotation.name().isEmpty()
                ? LockText.of(owner(method, targetClass).getName() + "." + method.getName())
                : texts.name(method, annotation.name());
        String annotated = annotation.client().isEmpty() ? "" : texts.resolved(method, "client", annotation.client());
        LockSettings lock = settings.apply(clients.named(annotated));
        String group =
                group(targetClass, method, annotation, name, lock.defaults().group());
        GroupSettings override = overrides.of(group, annotation.permits() != -1);
        if (override != null && !override.enabled()) {
            return null;
        }
        String client = client(method, group, override, annotated);
        lock = settings.apply(client);
        LockDefaults defaults = lock.defaults();
        LockOptionsParser options = new LockOptionsParser(texts, defaults, overrides.errors());
        TargetType type = options.type(method, annotation, override);
        boolean async = LockMethod.isAsync(results.of(method, targetClass));
        LockOutcomes outcomes =
                LockOutcomes.of(annotation, override, defaults, async || type.kind() == TargetKind.SEMAPHORE);
        outcomes.check(method, async, type);
        return new LockOperation(
                LockDefinitionException.where(method),
                client,
                group,
                lockName(
                        method,
                        annotation,
                        LockName.of(
                                annotation.prefix().isEmpty()
                                        ? lock.prefix()
                                        : texts.resolved(method, "prefix", annotation.prefix()),
                                name,
                                Arrays.stream(annotation.keys())
                                        .map(key -> texts.key(method, key))
                                        .toList())),
                type,
                options.options(method, annotation, override, outcomes.onLost()),
                outcomes.mode(),
                options.waiting(method, annotation, override, outcomes.mode()),
                outcomes.onRefused(),
                outcomes.onUnavailable(),
                outcomes.fallbacks(method, targetClass, annotation),
                annotation.message().isEmpty() ? null : texts.message(method, annotation.message()),
                outcomes.onLost() == OnLost.IGNORE,
                annotation.condition().isEmpty() ? null : texts.condition(method, annotation.condition()),
                annotation.order());
    }

    /** Rejects a name that no lock can have, as far as it does not depend on the call. */
    private static LockName lockName(Method method, DistributedLock annotation, LockName name) {
        String literal = name.literal();
        try {
            if (literal != null) {
                LockClient.checkName(literal);
            }
            return name;
        } catch (InvalidNameException e) {
            throw LockDefinitionException.wrong(
                    method,
                    "name = \"" + annotation.name() + "\": " + e.getMessage(),
                    "Correct the name, its prefix and the properties that they contain.",
                    e);
        }
    }

    /** Returns the name of the client, which must be that of one bean. */
    private String client(Method method, String group, @Nullable GroupSettings override, String annotated) {
        String configured = override == null || override.client() == null
                ? ""
                : override.client().strip();
        String client = configured.isEmpty() ? annotated : configured;
        List<String> found = client.isEmpty() ? List.of() : clients.find(client);
        if (client.isEmpty() || found.size() == 1) {
            return clients.named(client);
        }
        Set<String> names = clients.names();
        String problem = found.isEmpty()
                ? "there is no LockClient with this name. The nearest one is '"
                        + Spelling.nearest(client, names).orElse("") + "'"
                : "it is a name of several LockClient beans: " + String.join(", ", found);
        String action = "The clients are " + String.join(", ", names) + ". Choose one of them, or add boltwork.clients."
                + client + ".* or a LockClient bean of that name.";
        throw !configured.isEmpty()
                ? overrides.wrong(group, "client", "'" + client + "': " + problem + ".", action)
                : LockDefinitionException.wrong(method, "client = \"" + client + "\": " + problem, action, null);
    }

    private static String group(
            Class<?> targetClass,
            Method method,
            DistributedLock annotation,
            LockText name,
            @Nullable String otherwise) {
        if (!annotation.group().isEmpty()) {
            return annotation.group();
        }
        if (otherwise != null) {
            return otherwise;
        }
        String start = annotation.name().isEmpty() ? "" : LockGroups.of(name.start());
        return start.isEmpty() ? owner(method, targetClass).getSimpleName() + "." + method.getName() : start;
    }

    /**
     * Returns the class that gives its name to a lock without a name. Generated classes have different names in each
     * JVM.
     */
    private static Class<?> owner(Method method, Class<?> targetClass) {
        return MethodHierarchy.isGenerated(targetClass)
                ? method.getDeclaringClass()
                : MethodHierarchy.userClass(targetClass);
    }
}
