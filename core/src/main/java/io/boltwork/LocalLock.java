package io.boltwork;

import io.boltwork.spi.Printable;
import java.util.Optional;

/**
 * A lock as one client uses it, including the threads of that client's JVM, which the backend does not know.
 *
 * @param name the name of the lock
 * @param thread the name of the thread that holds the lock, or that asked for it if a handle holds it; empty if this
 *     client does not hold the lock
 * @param fencingToken the token of that hold, 0 without one
 * @param waiting how many callers of this client wait for the lock
 */
public record LocalLock(String name, Optional<String> thread, long fencingToken, int waiting) {
    @Override
    public String toString() {
        return Printable.text("LocalLock[name=" + name + ", thread=" + thread + ", fencingToken=" + fencingToken
                + ", waiting=" + waiting + "]");
    }
}
