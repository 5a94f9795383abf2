// SPDX-License-Identifier: Apache-2.0
package io.boltwork.annotation.operation;

import io.boltwork.LockClient;
import java.util.List;
import java.util.Set;

/** The clients of an application by name. Thread-safe. */
public interface LockClients {

    /** Returns the client of that name; the primary one if the name is empty. */
    LockClient get(String name);

    /** Returns the beans that have the name, as their own or as a qualifier. There should be one. */
    List<String> find(String name);

    /** Returns the one of a client's names that {@link #names} has; the name itself if it is that of no client. */
    String named(String name);

    /** Returns one name of each client. */
    Set<String> names();
}
