-- The tables of Boltwork in PostgreSQL 13 or later. Another prefix: replace boltwork_ everywhere.
-- Times are milliseconds since the epoch, except seen_at and sent_at, which are microseconds.
-- To read names: SELECT convert_from(name, 'UTF8'), * FROM boltwork_lock.

-- Locks, latches and clients. Half of each page stays free, so that an update finds room beside the old row.
CREATE TABLE IF NOT EXISTS boltwork_lock (
    kind SMALLINT NOT NULL,
    name BYTEA NOT NULL,
    version BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    drop_at BIGINT NOT NULL,
    fence BIGINT NOT NULL,
    token BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    owner TEXT,
    rest TEXT,
    PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);

-- Clients that ask for their messages, and when they last did.
CREATE TABLE IF NOT EXISTS boltwork_client (
    client BYTEA NOT NULL PRIMARY KEY,
    seen_at BIGINT NOT NULL
) WITH (fillfactor = 50);

-- Messages for these clients.
CREATE TABLE IF NOT EXISTS boltwork_inbox (
    client BYTEA NOT NULL,
    id BIGINT NOT NULL,
    sent_at BIGINT NOT NULL,
    message TEXT NOT NULL,
    PRIMARY KEY (client, id)
);

-- One row that identifies this set of data. Made last.
CREATE TABLE IF NOT EXISTS boltwork_store (
    id SMALLINT NOT NULL PRIMARY KEY,
    run VARCHAR(36) NOT NULL,
    swept_at BIGINT NOT NULL
);

INSERT INTO boltwork_store (id, run, swept_at) VALUES (1, gen_random_uuid(), 0) ON CONFLICT DO NOTHING;
