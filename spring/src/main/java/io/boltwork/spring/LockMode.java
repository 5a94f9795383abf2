package io.boltwork.spring;

/** What a method does while somebody else has its lock. */
public enum LockMode {
    /** As the class's annotation says, else the property {@code boltwork.lock.mode}, else {@link #LOCK}. */
    DEFAULT,
    /** Waits for the lock, as long as it takes, or as long as the annotation says; then it is refused. */
    LOCK,
    /** Does not wait, or only as long as the annotation says; then it is refused. */
    TRY,
    /** As {@link #TRY}, but a refusal is no error: the method is not executed and its caller gets {@code null}, zero, {@code false}, an empty {@link java.util.Optional}, or a stage or publisher that is empty. For jobs that another instance does already. */
    SKIP
}
