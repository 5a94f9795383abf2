// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

/** Observes the changes of one {@link Request}. */
public interface RequestObserver {

    /** Notes that the request may have changed. */
    void changed();

    /** Notes that a command about the request is being sent. */
    void sent();
}
