// SPDX-License-Identifier: Apache-2.0
package io.boltwork.machine.request;

/** Observes the changes of one {@link Request}. */
public interface RequestObserver {

    /** Called when the request may have changed. */
    void changed();

    /** Called when a command about the request is being sent. */
    void sent();
}
