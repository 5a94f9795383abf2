package io.boltwork.engine;

/** The owner of an {@link ErrorFlag}, which is reached by a field: where the stack has ended, no method can be called. */
abstract class ErrorFlagOwner {
    final ErrorFlag errorFlag = new ErrorFlag();
}
