// SPDX-License-Identifier: Apache-2.0
package io.boltwork;

/** The records of stores. */
class PrintableRecordsTest extends PrintableRecords {}
