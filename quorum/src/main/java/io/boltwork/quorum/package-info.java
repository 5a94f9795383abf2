// SPDX-License-Identifier: Apache-2.0
/**
 * Locks on a majority of several independent servers. {@link io.boltwork.quorum.QuorumBackend} is a backend made of
 * backends, and knows no particular server. {@code QuorumCommands} executes the commands of a client: {@code Rounds}
 * gets votes, {@code Extensions} keeps them, {@code GivingBack} gives them back, and {@code MajorityAnswers} answers
 * the questions of people. {@code QuorumNode} knows whether a server may vote.
 */
@NullMarked
package io.boltwork.quorum;

import org.jspecify.annotations.NullMarked;
