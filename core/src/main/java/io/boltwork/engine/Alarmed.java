package io.boltwork.engine;

/** The owner of an {@link Alarm}, which is reached by a field: where the stack has ended, no method can be called. */
abstract class Alarmed {
    final Alarm alarm = new Alarm();
}
