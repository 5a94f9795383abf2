// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

/** The records of core. */
class PrintableRecordsTest extends PrintableRecords {}
