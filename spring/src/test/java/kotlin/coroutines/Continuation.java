package kotlin.coroutines;

/** The last parameter of each {@code suspend} function, without Kotlin. */
public interface Continuation {}
