// SPDX-License-Identifier: Apache-2.0
package kotlin.coroutines;

/** Stands for the type of the last parameter of each {@code suspend} function, without Kotlin. */
public interface Continuation {}
