// SPDX-License-Identifier: Apache-2.0
/**
 * The interface of a backend: {@link io.boltwork.spi.LockBackend} executes
 * {@linkplain io.boltwork.spi.Command commands} and answers with {@linkplain io.boltwork.spi.Reply replies}, both plain
 * values. Only authors of a backend need this package.
 *
 * <p>The rules of a backend are executable: {@link io.boltwork.spi.rules.LockRules} contains them, and
 * {@code LockContract} in the artifact {@code boltwork-contract} is the test that every backend must pass. In short:
 *
 * <ul>
 *   <li>Each command is one atomic step that reads the server's clock once.
 *   <li>A hold has a block of {@value io.boltwork.spi.LockBackend#TOKENS_PER_HOLD} tokens. The first one is
 *       {@code max(fence + 1, microseconds since the epoch)}, and the fence moves to the end of the block. A release
 *       lowers the fence to the last token used, unless the fence has moved since.
 *   <li>A free lock is granted to the head of the queue. A client to which no messages can be delivered is skipped and
 *       removed.
 *   <li>A client that gets a lock by message has a <em>claim</em>: a lease of at most
 *       {@value io.boltwork.spi.LockBackend#CLAIM_MILLIS} ms, until it renews or asks again. A claim that lapses
 *       removes all requests of its client from the queue.
 *   <li>A lease never becomes shorter, except by a release, a withdrawal or a forced release.
 *   <li>The holder of a lock that was released by force learns of it at its next contact: the fence is then above the
 *       block of the hold, whether or not the server knew the holder.
 *   <li>A server that has lost a hold answers FORGOTTEN and writes nothing. Only a restore brings a hold back, and only
 *       if no token of the hold's block or above it has been issued since.
 * </ul>
 */
@NullMarked
package io.boltwork.spi;

import org.jspecify.annotations.NullMarked;
