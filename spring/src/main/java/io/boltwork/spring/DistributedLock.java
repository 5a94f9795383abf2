package io.boltwork.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.aot.hint.annotation.Reflective;
import org.springframework.core.annotation.AliasFor;

/**
 * The method is executed by one caller at a time, over all threads and all instances of the application. On a class: each of its
 * public methods, but {@code toString}, {@code equals}, {@code hashCode}, its fallbacks, and what it inherits that is final. A
 * method with an annotation of its own takes from the one on its class what it leaves out; a method with a name takes no keys, and a
 * lease or a wait of its own replaces the class's.
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
 * <p><b>When.</b> The lock is taken before a transaction of the same method begins and given back after it has completed, in
 * whichever order the annotations are written. Where the caller has begun the transaction, imperative or reactive, the lock is
 * given back when that has completed, and a lease that was lost before its commit rolls it back; not so if the method is itself
 * {@code REQUIRES_NEW}, {@code NOT_SUPPORTED} or {@code NEVER}. A method that returns a {@link
 * java.util.concurrent.CompletionStage} or a Reactor type does not block its caller, and keeps the lock until that has
 * completed or failed, or the subscription is cancelled; such a hold is not reentrant. Cancelling a future withdraws what has
 * not begun, and leaves what has begun to its own end. Results whose end cannot be told, such as streams, are refused. Like all of Spring's advice it works on calls from
 * other beans, not on {@code this.method()}.
 *
 * <p><b>Texts.</b> {@code name}, {@code message} and durations may have placeholders ({@code ${..}}). A name or message with
 * {@code #{..}} in it is a template; one that begins with {@code #}, {@code @} or {@code '} is an expression (SpEL); anything
 * else is meant literally. Expressions know the arguments by name ({@code #item}) and number ({@code #p0}), beans
 * ({@code @shops}), and {@code #root.method}, {@code #root.args}, {@code #root.target}, {@code #root.targetClass}. They are
 * evaluated once for each call. Each value in a name must have a text of its own, and none may be empty; if there are several,
 * colons and percent signs in them are escaped. Durations are written like {@code 500ms}, {@code 30s}, {@code 5m} or {@code PT30S}.
 *
 * <p><b>Lease.</b> A parameter of type {@link io.boltwork.Lease} gets the hold, with its fencing token, whatever the caller
 * passes ({@code null}). If the method has several locks, {@link LeaseOf} says which. {@link CurrentLease} has it without a parameter.
 *
 * <p><b>Failures.</b> Results and exceptions of the method pass unchanged. If the backend does not answer, the caller gets
 * {@link io.boltwork.BackendException}, or what {@link #onUnavailable()} says, and the method is not executed, whatever the mode.
 * Mistakes in an annotation are found when the application starts.
 */
@Target({ElementType.METHOD, ElementType.TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Reflective
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

    /** The order of the advice, unless {@code boltwork.lock.order} says otherwise: outside of transactions. */
    int ADVICE_ORDER = Integer.MAX_VALUE - 1_000;

    /**
     * The same as {@link #name()}.
     *
     * @return the lock's name
     */
    @AliasFor("name")
    String value() default "";

    /**
     * The lock's name, without prefix and keys. Default: the class's and the method's name.
     *
     * @return a text
     */
    @AliasFor("value")
    String name() default "";

    /**
     * What follows the name, with a colon before each: always expressions, such as {@code "#order.id"}. Default: none.
     *
     * @return expressions
     */
    String[] keys() default {};

    /**
     * What comes before the name. Default: {@code boltwork.lock.prefix}.
     *
     * @return a text without expressions
     */
    String prefix() default "";

    /**
     * What the lock is called in metrics and in {@code boltwork.lock.names.*}. Default: what is literal at the beginning of the
     * name, up to the first colon, such as {@code stock}.
     *
     * @return a text without expressions
     */
    String group() default "";

    /**
     * The length in seconds of a lease that is not renewed. Default: a lease that is renewed while the method is running.
     *
     * @return seconds; negative for the default
     */
    long leaseTime() default -1;

    /**
     * As {@link #leaseTime()}, as a text. Giving both is an error.
     *
     * @return a duration, such as {@code 30s}
     */
    String lease() default "";

    /**
     * The length of a lease that is renewed while the method is running, and so for how long the lock stays taken after its holder
     * has died. Default: {@code boltwork.lock.renewed-lease}, else 30 s. Giving a fixed lease, too, is an error.
     *
     * @return a duration, at least {@code 100ms}
     */
    String renewedLease() default "";

    /**
     * For how many seconds to wait. Default: for ever with {@link LockMode#LOCK}, else not at all.
     *
     * @return seconds; negative for the default
     */
    long waitTime() default -1;

    /**
     * As {@link #waitTime()}, as a text. Giving both is an error.
     *
     * @return a duration, such as {@code 500ms}
     */
    String waitFor() default "";

    /**
     * What happens while somebody else has the lock.
     *
     * @return the mode
     */
    LockMode mode() default LockMode.DEFAULT;

    /**
     * In which order those who wait get the lock.
     *
     * @return the type
     */
    LockType type() default LockType.DEFAULT;

    /**
     * The shortest time that the lock stays taken, though the method may end sooner. For jobs that shall run once per period
     * although clocks differ. Default: none.
     *
     * @return a duration
     */
    String minHold() default "";

    /**
     * The longest time that the lock is held; then it is lost. Default: none.
     *
     * @return a duration
     */
    String maxHold() default "";

    /**
     * How much longer the lock stays closed after a lease that ended without a release. Default: none.
     *
     * @return a duration
     */
    String takeoverDelay() default "";

    /**
     * When a release returns. {@link LockRelease#SENT} saves a round trip where no other caller wants the lock.
     *
     * @return when
     */
    LockRelease release() default LockRelease.DEFAULT;

    /**
     * Where a lock must be known before it counts as acquired: {@code "1"} or more for that many replicas, {@code "disk"} for the
     * server's own disk, {@code "none"}. Default: none. See {@link io.boltwork.Replication}.
     *
     * @return a number of replicas, {@code disk} or {@code none}
     */
    String replication() default "";

    /**
     * How long to wait for {@link #replication()}, which needs it.
     *
     * @return a duration, shorter than the backend's command timeout
     */
    String replicationWithin() default "";

    /**
     * What happens to a caller that is refused. Means nothing with {@link LockMode#SKIP}.
     *
     * @return what happens
     */
    OnRefused onRefused() default OnRefused.DEFAULT;

    /**
     * What happens to a caller while the backend gives no answer. The method is not executed in any case.
     *
     * @return what happens
     */
    OnUnavailable onUnavailable() default OnUnavailable.DEFAULT;

    /**
     * Methods that are called instead, for {@link OnRefused#FALLBACK} and {@link OnUnavailable#FALLBACK}: of the same class, with the
     * same parameters, or with one more, to which a {@link LockRefusedException} or a {@link io.boltwork.BackendException} can be
     * passed. Of several methods, with one name or more, the one with the nearest exception type is called. A fallback is called
     * through the proxy, so its own annotations count, unless it is private or final. An annotation on the class does not lock it.
     *
     * @return names
     */
    String[] fallback() default {};

    /**
     * What {@link LockRefusedException} says. Default: which lock was refused to which method.
     *
     * @return a text
     */
    String message() default "";

    /**
     * What happens when the lease is lost.
     *
     * @return what happens
     */
    OnLost onLost() default OnLost.DEFAULT;

    /**
     * Whether to take the lock at all; the method is executed in any case. Default: yes.
     *
     * @return an expression, such as {@code "#amount > 100"}
     */
    String condition() default "";

    /**
     * Which of several locks is taken first: the lowest; among equals the one whose name comes first, so that two methods do not
     * wait for each other.
     *
     * @return a number
     */
    int order() default 0;
}
