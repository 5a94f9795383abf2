// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that is executed for one caller at a time, across all threads and all instances of the application.
 * With {@link LockType#READ}, any number of readers execute it at a time, and with {@link #permits()}, a limited number
 * of callers. On a class, the annotation applies to each of its public methods except {@code toString}, {@code equals},
 * {@code hashCode}, its fallbacks, inherited final methods, and callbacks of the container, such as {@code
 * afterPropertiesSet}. On an interface, it applies to the methods of that interface, including inherited ones. If both
 * a method and its class are annotated, the method's annotation takes the attributes that it omits from the class's
 * annotation. A method that specifies a name takes no keys from the class. A method that specifies a lease or wait
 * attribute takes no attributes of the same kind. The same applies to {@code type} and {@code permits}.
 *
 * <!-- snippet: spring/Purchases.java#buy -->
 * <pre>{@code
 * @DistributedLock(name = "stock:#{#item}", waitFor = "2s")
 * @Transactional
 * public boolean buy(String item) {
 *     return stock.decrease(item) > 0;
 * }
 * }</pre>
 *
 * <p><b>Scope.</b> The lock is acquired before a transaction of the same method begins and released after that
 * transaction has completed, regardless of the order of the annotations. If the caller has begun the transaction,
 * imperative or reactive, the lock is released when that transaction has completed, and a lease that is lost before the
 * commit rolls it back. This does not apply to methods that are themselves {@code REQUIRES_NEW}, {@code NOT_SUPPORTED}
 * or {@code NEVER}.
 *
 * <p>A method that returns a {@link java.util.concurrent.CompletionStage} or a Reactor type does not block its caller.
 * If another advice, such as that of {@code @Async}, has moved the call to an executor, the method stays there, and the
 * executor's thread waits for the lock. The method keeps the lock until the result has completed or failed, or until
 * the subscription is cancelled. Such a hold is not reentrant. Cancelling a future withdraws work that has not started,
 * and lets work that has started run to its end. Result types whose end cannot be observed, such as streams, are
 * rejected. As with all interceptors, the annotation applies to calls from other beans, not to {@code this.method()}.
 *
 * <p><b>Texts.</b> {@code name}, {@code message} and durations may contain placeholders ({@code ${..}}). What else a
 * text may contain depends on the framework, which evaluates it once per call. In Spring, a name or message that
 * contains {@code #{..}} is a template; one that begins with {@code #}, {@code @} or {@code '} is an expression (SpEL);
 * any other text is literal. Expressions can refer to arguments by name ({@code #item}) and number ({@code #p0}), to
 * beans ({@code @shops}), and to {@code #root.method}, {@code #root.args}, {@code #root.target} and {@code
 * #root.targetClass}. In CDI and Micronaut, names and keys are templates with parameters, such as {@code stock:{item}}.
 * Durations have the form {@code 500ms}, {@code 30s}, {@code 5m} or {@code PT30S}, and are not negative.
 *
 * <p><b>Values.</b> Equal values must name the same lock in each JVM. A value in a name is therefore a text, a
 * character, a boolean, a whole number, a {@code BigDecimal}, an enum constant, a {@code UUID}, a {@code Class}, a date
 * or time of {@code java.time}, a {@code java.util.Date}, a {@code Locale} or a {@code Currency}, or an
 * {@code Optional}, an array, a {@code List}, a {@code Set}, a {@code Map} or a record of these. Sets and maps are
 * sorted. Points in time are written in UTC. Other types are rejected: at the start if the declared type shows it,
 * otherwise at the call. If a value, or a part of it, is null or empty, or if the name is too long, the method is not
 * executed, and the caller gets an {@link io.boltwork.InvalidNameException}. If a name has several values, colons and
 * percent signs in them are escaped.
 *
 * <p><b>Lease.</b> A parameter of type {@link io.boltwork.Lease} receives the hold, with its fencing token, regardless
 * of the value that the caller passes (usually {@code null}). If the method has several locks, {@link LeaseOf} selects
 * one. {@link CurrentLease} gives access to the lease without a parameter.
 *
 * <p><b>Failures.</b> Results and exceptions of the method are passed on unchanged. If the backend does not answer, the
 * method is not executed in any mode, and the caller gets {@link io.boltwork.BackendException} or the outcome selected
 * by {@link #onUnavailable()}. Mistakes in an annotation are reported when the application starts.
 *
 * @since 0.1.0
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

    /**
     * The same as {@link #name()}. Specifying both, with different texts, is an error.
     *
     * @return the lock's name
     */
    String value() default "";

    /**
     * The lock's name, without prefix and keys. Default: the name of the class and the method.
     *
     * @return a text
     */
    String name() default "";

    /**
     * Expressions that are appended to the name, each after a colon, such as {@code "#order.id"}. Default: none.
     *
     * @return expressions
     */
    String[] keys() default {};

    /**
     * The prefix of the name. Default: {@code boltwork.lock.prefix} of the {@link #client()}.
     *
     * @return a text without expressions
     */
    String prefix() default "";

    /**
     * The client that provides the lock: a name of {@code boltwork.clients.*}, or the name or qualifier of a {@link
     * io.boltwork.LockClient} bean. The defaults and the prefix are those of that client: {@code
     * boltwork.clients.orders.lock.*}. {@code boltwork.lock.names.*.client} overrides it. Default: the client that is
     * injected by type.
     *
     * @return a text without expressions
     */
    String client() default "";

    /**
     * The group of the lock in metrics and in {@code boltwork.lock.names.*}. Default: {@code boltwork.lock.group}; if
     * that is not set, the literal text at the beginning of the name, up to the first colon or digit, such as {@code
     * stock}; if there is none, the name of the class and the method.
     *
     * @return a text without expressions
     */
    String group() default "";

    /**
     * The length, in seconds, of a lease that is not renewed. Default: {@code boltwork.lock.lease}; if that is not set,
     * the lease is renewed while the method is running.
     *
     * @return seconds; -1 for the default
     */
    long leaseTime() default -1;

    /**
     * The same as {@link #leaseTime()}, as a text. Specifying both is an error.
     *
     * @return a duration, such as {@code 30s}
     */
    String lease() default "";

    /**
     * The length of a lease that is renewed while the method is running. This is also how long the lock stays taken
     * after its holder has died. Default: {@code boltwork.lock.renewed-lease}; if that is not set, 30 s. Specifying a
     * fixed lease as well is an error.
     *
     * @return a duration, at least {@code 100ms}
     */
    String renewedLease() default "";

    /**
     * The maximum time to wait, in seconds. Default: {@code boltwork.lock.wait-for}; if that is not set, no limit with
     * {@link LockMode#LOCK}, and no waiting in other modes.
     *
     * @return seconds; -1 for the default
     */
    long waitTime() default -1;

    /**
     * The same as {@link #waitTime()}, as a text. Specifying both is an error.
     *
     * @return a duration, such as {@code 500ms}
     */
    String waitFor() default "";

    /**
     * The behavior while another owner holds the lock.
     *
     * @return the mode
     */
    LockMode mode() default LockMode.DEFAULT;

    /**
     * The kind of lock, and the order in which waiting callers get it. {@link LockType#READ} and {@link LockType#WRITE}
     * are the two sides of a read-write lock; whether they are fair depends on {@code boltwork.lock.type}.
     *
     * @return the type
     */
    LockType type() default LockType.DEFAULT;

    /**
     * The total number of permits of a semaphore: the number of callers that may execute the method at a time, across
     * all instances of the application. Each call takes one permit, whose lease belongs to the call and not to its
     * thread. A semaphore is therefore not reentrant: a nested call takes another permit, and waits for it if none is
     * free. A caller's transaction does not keep the permit after the method has ended. {@code
     * boltwork.lock.names.*.permits} overrides the number.
     *
     * <p>All methods and instances that use one name should specify the same number. The number of the first user
     * applies until the semaphore has not been used for the backend's idle life (10 minutes by default), or until
     * {@link io.boltwork.LeasedSemaphore#resize} sets another one.
     *
     * <p>Specifying {@link LockType#READ}, {@link LockType#WRITE}, {@link LockType#REENTRANT} or {@link
     * OnLost#INTERRUPT} as well is an error.
     *
     * @return 1 or more; -1, the default, for a lock
     */
    int permits() default -1;

    /**
     * The shortest time that the lock stays taken, even if the method ends sooner. Use it for jobs that must run once
     * per period although clocks differ. Default: {@code boltwork.lock.min-hold}; if that is not set, none.
     *
     * @return a duration
     */
    String minHold() default "";

    /**
     * The longest time that the lock is held; after that it is lost. Default: {@code boltwork.lock.max-hold}; if that
     * is not set, none.
     *
     * @return a duration
     */
    String maxHold() default "";

    /**
     * The additional time that the lock stays unavailable after a lease that ended without a release. Default: {@code
     * boltwork.lock.takeover-delay}; if that is not set, none.
     *
     * @return a duration
     */
    String takeoverDelay() default "";

    /**
     * The time for which this application keeps the lock after the method has ended, unless another one wants it, so
     * that the next call needs no request. Needs a renewed lease of 1 s to 10 s ({@link #renewedLease}). See
     * {@link io.boltwork.LockOptions#withRetention}. Default: the lock is not kept.
     *
     * @return a duration
     */
    String retention() default "";

    /**
     * The time at which a release returns. {@link LockRelease#SENT} saves a round trip if no other caller wants the
     * lock.
     *
     * @return the kind of release
     */
    LockRelease release() default LockRelease.DEFAULT;

    /**
     * The places where a lock must be recorded before it counts as acquired: {@code "1"} or more for that many
     * replicas, {@code "disk"} for the server's own disk, or {@code "none"}. Default: {@code
     * boltwork.lock.replication}; if that is not set, none. See {@link io.boltwork.Replication}.
     *
     * @return a number of replicas, {@code disk} or {@code none}
     */
    String replication() default "";

    /**
     * The maximum time to wait for {@link #replication()}. Required if replication is specified.
     *
     * @return a duration, shorter than the backend's command timeout
     */
    String replicationWithin() default "";

    /**
     * The outcome for a caller that is refused. Has no effect with {@link LockMode#SKIP}. A {@link LockRefusal} bean
     * decides if neither the annotations nor the properties do.
     *
     * @return the outcome
     */
    OnRefused onRefused() default OnRefused.DEFAULT;

    /**
     * The outcome for a caller while the backend does not answer. The method is not executed, whatever the outcome.
     *
     * @return the outcome
     */
    OnUnavailable onUnavailable() default OnUnavailable.DEFAULT;

    /**
     * The names of the methods to call instead, for {@link OnRefused#FALLBACK} and {@link OnUnavailable#FALLBACK}. A
     * fallback belongs to the same class. It has the same parameters, optionally followed by one more that accepts a
     * {@link LockRefusedException} or a {@link io.boltwork.BackendException}. If there are several methods, under one
     * name or more, the one with the closest exception type is called. A fallback is called through the proxy, so that
     * its own annotations apply, unless it is private or final. An annotation on the class does not apply to it. If
     * {@code @Async} has moved the call to an executor, the fallback stays there.
     *
     * @return names
     */
    String[] fallback() default {};

    /**
     * The message of the {@link LockRefusedException}. Default: a text that names the lock and the method.
     *
     * @return a text
     */
    String message() default "";

    /**
     * The behavior when the lease is lost.
     *
     * @return the behavior
     */
    OnLost onLost() default OnLost.DEFAULT;

    /**
     * A condition for taking the lock; the method is executed whether it is true or false. A condition that is null, or
     * that compares null with {@code <} or {@code >}, is refused with an {@link io.boltwork.InvalidNameException}.
     * Default: the lock is always taken.
     *
     * @return an expression, such as {@code "#amount > 100"}
     */
    String condition() default "";

    /**
     * The order in which several locks are acquired, lowest first. Locks of the same order are acquired in the order of
     * their names, so that two methods do not wait for each other.
     *
     * @return a number
     */
    int order() default 0;
}
