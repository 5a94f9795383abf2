// SPDX-License-Identifier: Apache-2.0
/**
 * {@code boltwork doctor}: examines a store, and says what must be changed so that locks in it keep their promises. A
 * {@link io.boltwork.tools.doctor.Diagnosis} collects findings and measurements. Each kind of store has an examination
 * of its own.
 */
@NullMarked
package io.boltwork.tools.doctor;

import org.jspecify.annotations.NullMarked;
