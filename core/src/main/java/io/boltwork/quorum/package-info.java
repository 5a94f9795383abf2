/**
 * Locks on a majority of several independent servers. {@link io.boltwork.quorum.QuorumBackend} is a backend made of backends, and
 * knows no particular server: {@code QuorumCommands} executes the commands of a client, with {@code Rounds} to get votes,
 * {@code Extensions} to keep them, {@code Returns} to give them back, and {@code Looks} for people. {@code QuorumNode} knows which
 * server may vote.
 */
@NullMarked
package io.boltwork.quorum;

import org.jspecify.annotations.NullMarked;
