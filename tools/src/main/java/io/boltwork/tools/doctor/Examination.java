// SPDX-License-Identifier: Apache-2.0
package io.boltwork.tools.doctor;

/** The examination of one kind of store. */
interface Examination {
    /** Examines the store. Blocks for some seconds. */
    void examine();
}
