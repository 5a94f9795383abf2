-- The tables of Boltwork in H2 2.x. Another prefix: replace boltwork_ everywhere.
-- Times are milliseconds since the epoch, except seen_at and sent_at, which are microseconds.

-- Locks, latches and clients. Names are bytes of UTF-8, so that no collation makes two names equal.
CREATE TABLE IF NOT EXISTS boltwork_lock (
    kind SMALLINT NOT NULL,
    name VARBINARY(1024) NOT NULL,
    version BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    drop_at BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    token BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    owner VARCHAR(512),
    rest CHARACTER LARGE OBJECT,
    PRIMARY KEY (kind, name)
);

-- Clients that ask for their messages, and when they last did.
CREATE TABLE IF NOT EXISTS boltwork_client (
    client VARBINARY(1024) NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
);

-- Messages for these clients.
CREATE TABLE IF NOT EXISTS boltwork_inbox (
    client VARBINARY(1024) NOT NULL,
    id BIGINT NOT NULL,
    sent_at BIGINT NOT NULL,
    message CHARACTER LARGE OBJECT NOT NULL,
    PRIMARY KEY (client, id)
);

-- One row that identifies this set of data. Made last.
CREATE TABLE IF NOT EXISTS boltwork_store (
    id SMALLINT NOT NULL PRIMARY KEY,
    run VARCHAR(36) NOT NULL,
    swept_at BIGINT NOT NULL
);

INSERT INTO boltwork_store (id, run, swept_at)
    SELECT 1, CAST(RANDOM_UUID() AS VARCHAR(36)), 0 WHERE NOT EXISTS (SELECT 1 FROM boltwork_store);
