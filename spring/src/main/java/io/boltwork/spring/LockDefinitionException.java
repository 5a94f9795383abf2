package io.boltwork.spring;

import org.jspecify.annotations.Nullable;

/** An annotation that cannot work: where it is, what is wrong, and what would be right. */
final class LockDefinitionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    LockDefinitionException(String where, String problem, String action, @Nullable Throwable cause) {
        super("@DistributedLock on " + where + ": " + problem, cause);
        this.action = action;
    }

    String action() {
        return action;
    }
}
