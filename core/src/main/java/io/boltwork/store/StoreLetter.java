package io.boltwork.store;

/**
 * A message and the client that it is for.
 *
 * @param client the id of the client
 * @param text a text of one line
 */
public record StoreLetter(String client, String text) {}
