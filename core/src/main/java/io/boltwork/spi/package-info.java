/**
 * What a backend of Boltwork is: {@link io.boltwork.spi.LockBackend} executes {@linkplain io.boltwork.spi.Command commands}
 * and answers with {@linkplain io.boltwork.spi.Reply replies}, both plain values. Only who writes a backend needs this
 * package.
 *
 * <p>The rules a backend keeps are executable: {@link io.boltwork.memory.MemoryServer} is their shortest form, and
 * {@code LockContract} of the testkit is the test that every backend passes. In short:
 *
 * <ul>
 *   <li>Each command is one atomic step that reads the server's clock once.
 *   <li>A hold has a block of {@value io.boltwork.spi.LockBackend#TOKENS_PER_HOLD} tokens; the first is {@code max(fence + 1,
 *       microseconds since the epoch)}, the fence moves to the block's end, and a release lowers it to the last token used,
 *       but only if nobody has moved it since.
 *   <li>A free lock goes to the head of the queue; a client that nobody delivers messages to is passed over and forgotten.
 *   <li>Who gets a lock by message has a <em>claim</em>: a lease of at most {@value io.boltwork.spi.LockBackend#CLAIM_MILLIS}
 *       ms until it renews or asks again. A claim that lapses removes all requests of its client from the queue.
 *   <li>A lease never gets shorter but by release, withdrawal or force.
 *   <li>Who is forced off a lock is told at its next contact: the fence is above its block then, whether the server knew it
 *       or not.
 *   <li>A server that has lost a hold says FORGOTTEN and writes nothing; only a restore brings a hold back, and only if no
 *       token of the hold's block or above has been issued.
 * </ul>
 */
@NullMarked
package io.boltwork.spi;

import org.jspecify.annotations.NullMarked;
